// The kernels with WebAssembly's SIMD instructions: four floats, or eight 16-bit codes, at a time.
//
// An absent element counts as a zero here. That changes no bit: a partial sum starts from +0, is therefore never -0,
// and x + 0 is x for every other x.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/kernels.h"
#include "kernels/simd.h"

namespace headflow::kernels {
namespace {

template <std::size_t kCount>
struct Vectors {
  v128_t lanes[kCount];

  v128_t& operator[](std::size_t i) { return lanes[i]; }
  const v128_t& operator[](std::size_t i) const { return lanes[i]; }
};

template <std::size_t kCount>
Vectors<kCount> zeros() {
  Vectors<kCount> all;
  for (v128_t& each : all.lanes) each = wasm_i32x4_splat(0);
  return all;
}

// Rows computed for all tokens before the next ones, so that they stay in the cache.
constexpr std::size_t kRowsPerChunk = 32;

// Finite fp16 numbers, one in the low half of each lane -> f32. The shifted bits are the number times 2^-112.
v128_t f16_to_f32x4(v128_t halves) {
  const v128_t sign = wasm_i32x4_shl(wasm_v128_and(halves, wasm_i32x4_splat(0x8000)), 16);
  const v128_t magnitude = wasm_i32x4_shl(wasm_v128_and(halves, wasm_i32x4_splat(0x7fff)), 13);
  return wasm_v128_or(wasm_f32x4_mul(magnitude, wasm_f32x4_splat(0x1p112F)), sign);
}

// (v_0 + v_1) + (v_2 + v_3)
float sum_of_lanes(v128_t v) {
  return (wasm_f32x4_extract_lane(v, 0) + wasm_f32x4_extract_lane(v, 1)) +
         (wasm_f32x4_extract_lane(v, 2) + wasm_f32x4_extract_lane(v, 3));
}

// [a_0 + a_2, b_0 + b_2, a_1 + a_3, b_1 + b_3]
v128_t fold_pair(v128_t a, v128_t b) {
  return wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
}

// From the folds of blocks 0, 1 and of blocks 2, 3: each block's integer sum in its lane.
v128_t block_sums(v128_t fold_01, v128_t fold_23) {
  return wasm_i32x4_add(wasm_i32x4_shuffle(fold_01, fold_23, 0, 1, 4, 5),
                        wasm_i32x4_shuffle(fold_01, fold_23, 2, 3, 6, 7));
}

std::uint16_t scale_bits(const std::byte* block) {
  std::uint16_t bits;
  std::memcpy(&bits, block, sizeof bits);
  return bits;
}

// Adds the products of one weight block with the same block of each token: four partial sums per token.
template <std::size_t kTokens>
Vectors<kTokens> block_products(const std::byte* block, const std::int16_t* codes, std::size_t stride) {
  const std::byte* weights = block + sizeof(std::uint16_t);
  Vectors<kTokens> sums;
  for (std::size_t i = 0; i < quant::kBlockSize; i += 8) {
    const v128_t weight = wasm_i16x8_load8x8(weights + i);
    for (std::size_t t = 0; t < kTokens; ++t) {
      const v128_t product = wasm_i32x4_dot_i16x8(weight, wasm_v128_load(codes + t * stride + i));
      sums[t] = i == 0 ? product : wasm_i32x4_add(sums[t], product);
    }
  }
  return sums;
}

// One stored row times kTokens activation rows. Blocks go by fours: the lanes of `sums` are s_0 .. s_3.
template <std::size_t kTokens>
void row_q8_0(const std::byte* row, std::size_t blocks, const std::int16_t* codes, const float* scales, float* out,
              std::size_t out_stride) {
  constexpr std::size_t kBytes = quant::kQ8_0BlockBytes;
  constexpr std::size_t kSize = quant::kBlockSize;
  const std::size_t columns = blocks * kSize;
  Vectors<kTokens> sums = zeros<kTokens>();

  std::size_t b = 0;
  for (; b + 4 <= blocks; b += 4) {
    const std::byte* block = row + b * kBytes;
    const std::int16_t* x = codes + b * kSize;
    const v128_t weight_scales = f16_to_f32x4(wasm_i32x4_make(
        scale_bits(block), scale_bits(block + kBytes), scale_bits(block + 2 * kBytes), scale_bits(block + 3 * kBytes)));
    const auto products_0 = block_products<kTokens>(block, x, columns);
    const auto products_1 = block_products<kTokens>(block + kBytes, x + kSize, columns);
    Vectors<kTokens> fold_01;
    for (std::size_t t = 0; t < kTokens; ++t) fold_01[t] = fold_pair(products_0[t], products_1[t]);
    const auto products_2 = block_products<kTokens>(block + 2 * kBytes, x + 2 * kSize, columns);
    const auto products_3 = block_products<kTokens>(block + 3 * kBytes, x + 3 * kSize, columns);
    for (std::size_t t = 0; t < kTokens; ++t) {
      const v128_t integers = block_sums(fold_01[t], fold_pair(products_2[t], products_3[t]));
      const v128_t scale = wasm_f32x4_mul(weight_scales, wasm_v128_load(scales + t * blocks + b));
      sums[t] = wasm_f32x4_add(sums[t], wasm_f32x4_mul(wasm_f32x4_convert_i32x4(integers), scale));
    }
  }

  if (b < blocks) {
    const std::size_t left = blocks - b;
    std::array<std::uint16_t, 4> bits{};
    for (std::size_t j = 0; j < left; ++j) bits[j] = scale_bits(row + (b + j) * kBytes);
    const v128_t weight_scales = f16_to_f32x4(wasm_i32x4_make(bits[0], bits[1], bits[2], bits[3]));
    std::array<Vectors<kTokens>, 4> products;
    products.fill(zeros<kTokens>());
    for (std::size_t j = 0; j < left; ++j) {
      products[j] = block_products<kTokens>(row + (b + j) * kBytes, codes + (b + j) * kSize, columns);
    }
    for (std::size_t t = 0; t < kTokens; ++t) {
      std::array<float, 4> token_scales{};
      std::copy_n(scales + t * blocks + b, left, token_scales.begin());
      const v128_t integers =
          block_sums(fold_pair(products[0][t], products[1][t]), fold_pair(products[2][t], products[3][t]));
      const v128_t scale = wasm_f32x4_mul(weight_scales, wasm_v128_load(token_scales.data()));
      sums[t] = wasm_f32x4_add(sums[t], wasm_f32x4_mul(wasm_f32x4_convert_i32x4(integers), scale));
    }
  }
  for (std::size_t t = 0; t < kTokens; ++t) out[t * out_stride] = sum_of_lanes(sums[t]);
}

void matmul_q8_0(const MatrixView& w, const quant::QuantizedRows& x, float* out, std::size_t out_stride) {
  const std::size_t blocks = w.columns / quant::kBlockSize;
  const std::size_t row_bytes = blocks * quant::kQ8_0BlockBytes;
  for (std::size_t first = 0; first < w.rows; first += kRowsPerChunk) {
    const std::size_t end = std::min(w.rows, first + kRowsPerChunk);
    for (std::size_t t = 0; t < x.rows; t += 4) {
      constexpr std::array kTiles = {row_q8_0<1>, row_q8_0<2>, row_q8_0<3>, row_q8_0<4>};
      const auto tile = kTiles[std::min<std::size_t>(x.rows - t, 4) - 1];
      const std::int16_t* codes = x.codes.data() + t * w.columns;
      const float* scales = x.scales.data() + t * blocks;
      for (std::size_t r = first; r < end; ++r) {
        tile(w.data + r * row_bytes, blocks, codes, scales, out + t * out_stride + r, out_stride);
      }
    }
  }
}

// Four elements of a row of floats, and the last one to three with zeros behind them.
struct F32Row {
  const std::byte* data;

  v128_t load4(std::size_t i) const { return wasm_v128_load(data + i * sizeof(float)); }
  v128_t load_last(std::size_t i, std::size_t n) const {
    std::array<float, 4> values{};
    std::memcpy(values.data(), data + i * sizeof(float), (n - i) * sizeof(float));
    return wasm_v128_load(values.data());
  }
};

struct F16Row {
  const std::byte* data;

  v128_t load4(std::size_t i) const { return f16_to_f32x4(wasm_u32x4_load16x4(data + i * sizeof(std::uint16_t))); }
  v128_t load_last(std::size_t i, std::size_t n) const {
    std::array<std::uint16_t, 4> values{};
    std::memcpy(values.data(), data + i * sizeof(std::uint16_t), (n - i) * sizeof(std::uint16_t));
    return f16_to_f32x4(wasm_u32x4_load16x4(values.data()));
  }
};

F32Row as_row(const float* data) {
  return {reinterpret_cast<const std::byte*>(data)};
}

// One stored row times kTokens activation rows of n elements. partial[t][k] holds p_{4k} .. p_{4k+3}.
template <std::size_t kTokens, typename Row>
void row_float(Row row, std::size_t n, const float* x, float* out, std::size_t out_stride) {
  std::array<Vectors<4>, kTokens> partial;
  partial.fill(zeros<4>());
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    for (std::size_t k = 0; k < 4; ++k) {
      const v128_t weight = row.load4(i + 4 * k);
      for (std::size_t t = 0; t < kTokens; ++t) {
        const v128_t product = wasm_f32x4_mul(weight, wasm_v128_load(x + t * n + i + 4 * k));
        partial[t][k] = wasm_f32x4_add(partial[t][k], product);
      }
    }
  }
  for (std::size_t k = 0; i < n; ++k, i += 4) {
    const bool whole = i + 4 <= n;
    const v128_t weight = whole ? row.load4(i) : row.load_last(i, n);
    for (std::size_t t = 0; t < kTokens; ++t) {
      const F32Row token = as_row(x + t * n);
      const v128_t product = wasm_f32x4_mul(weight, whole ? token.load4(i) : token.load_last(i, n));
      partial[t][k] = wasm_f32x4_add(partial[t][k], product);
    }
  }
  for (std::size_t t = 0; t < kTokens; ++t) {
    const Vectors<4>& p = partial[t];
    out[t * out_stride] = sum_of_lanes(wasm_f32x4_add(wasm_f32x4_add(p[0], p[1]), wasm_f32x4_add(p[2], p[3])));
  }
}

template <typename Row>
void matmul_rows(const MatrixView& w, std::size_t row_bytes, const float* x, std::size_t tokens, float* out,
                 std::size_t out_stride) {
  for (std::size_t first = 0; first < w.rows; first += kRowsPerChunk) {
    const std::size_t end = std::min(w.rows, first + kRowsPerChunk);
    for (std::size_t t = 0; t < tokens; t += 2) {
      const auto tile = t + 2 <= tokens ? row_float<2, Row> : row_float<1, Row>;
      for (std::size_t r = first; r < end; ++r) {
        tile(Row{w.data + r * row_bytes}, w.columns, x + t * w.columns, out + t * out_stride + r, out_stride);
      }
    }
  }
}

void matmul_float(const MatrixView& w, const float* x, std::size_t tokens, float* out, std::size_t out_stride) {
  if (w.type == gguf::TensorType::kF16) {
    matmul_rows<F16Row>(w, w.columns * sizeof(std::uint16_t), x, tokens, out, out_stride);
  } else {
    matmul_rows<F32Row>(w, w.columns * sizeof(float), x, tokens, out, out_stride);
  }
}

float dot(const float* a, const float* b, std::size_t n) {
  float result;
  row_float<1>(as_row(a), n, b, &result, 0);
  return result;
}

void add_scaled(float a, const float* x, float* y, std::size_t n) {
  const v128_t factor = wasm_f32x4_splat(a);
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const v128_t product = wasm_f32x4_mul(factor, wasm_v128_load(x + i));
    wasm_v128_store(y + i, wasm_f32x4_add(wasm_v128_load(y + i), product));
  }
  for (; i < n; ++i) y[i] += a * x[i];
}

constexpr Kernels kSimd128 = {"simd128", matmul_q8_0, matmul_float, dot, add_scaled};

}  // namespace

const Kernels& simd128() noexcept {
  return kSimd128;
}

}  // namespace headflow::kernels
