// The kernels with WebAssembly's SIMD instructions, four floats at a time.
#include "kernels/simd128.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/simd.h"

namespace headflow::kernels {
namespace {

// Rows computed for all tokens before the next ones, so that they stay in the cache.
constexpr std::size_t kRowsPerChunk = 32;

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

constexpr Kernels kSimd128 = {"simd128", matmul_q8_0_simd128, matmul_float, dot, add_scaled};

}  // namespace

const Kernels& simd128() noexcept {
  return kSimd128;
}

}  // namespace headflow::kernels
