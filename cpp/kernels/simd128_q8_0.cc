// Q8_0 products with WebAssembly's SIMD instructions: weight codes widened to 16 bits, eight products at a time.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/simd.h"
#include "kernels/simd128.h"

namespace headflow::kernels {
namespace {

constexpr std::size_t kBlock = quant::kBlockSize;
constexpr std::size_t kBlockBytes = quant::kQ8_0BlockBytes;

constexpr std::size_t kTokensPerTile = 4;

// Rows computed for all tokens before the next ones, so that their weights stay in the cache. Even.
constexpr std::size_t kRowsPerChunk = 32;

// How many bytes ahead weights are asked for.
constexpr std::size_t kAhead = 1024;

// Some stored rows times some activation rows.
struct Tile {
  const std::byte* rows;
  std::size_t blocks;  // Per row.
  const std::int16_t* codes;
  const float* scales;
  float* out;
  std::size_t out_stride;
  std::size_t ahead;  // kAhead, or 0 where the matrix ends before.
};

// Asks for four blocks that are needed soon. WebAssembly has no instruction for that: it is a load from each cache line
// of 64 bytes, whose result goes unused.
void touch_blocks(const std::byte* block) {
  for (const std::byte* line : {block, block + 64}) static_cast<void>(*static_cast<const volatile std::byte*>(line));
}

// The scales of `count` blocks of a stored row as f32, then zeros.
v128_t weight_scales(const std::byte* block, std::size_t count) {
  std::array<std::uint16_t, 4> bits{};
  for (std::size_t j = 0; j < count; ++j) std::memcpy(&bits[j], block + j * kBlockBytes, sizeof bits[j]);
  return f16_to_f32x4(wasm_i32x4_make(bits[0], bits[1], bits[2], bits[3]));
}

// The same for activations.
v128_t activation_scales(const float* scales, std::size_t count) {
  if (count == 4) return wasm_v128_load(scales);
  std::array<float, 4> padded{};
  std::copy_n(scales, count, padded.begin());
  return wasm_v128_load(padded.data());
}

// Adds the products of eight codes of each row and each token.
template <std::size_t kRows, std::size_t kTokens>
void multiply_add(const Vectors<kRows>& weights, const std::int16_t* codes, std::size_t columns,
                  Vectors<kRows * kTokens>& sums) {
  for (std::size_t t = 0; t < kTokens; ++t) {
    const v128_t x = wasm_v128_load(codes + t * columns);
    for (std::size_t r = 0; r < kRows; ++r) {
      v128_t& sum = sums[r * kTokens + t];
      sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(weights[r], x));
    }
  }
}

// One block's products, as four partial sums for each row and token: [row * kTokens + token].
template <std::size_t kRows, std::size_t kTokens>
Vectors<kRows * kTokens> products(const std::byte* block, std::size_t row_bytes, const std::int16_t* codes,
                                  std::size_t columns) {
  const std::byte* weights = block + sizeof(std::uint16_t);
  auto sums = zeros<kRows * kTokens>();
  for (std::size_t i = 0; i < kBlock; i += 16) {
    Vectors<kRows> low;
    Vectors<kRows> high;
    for (std::size_t r = 0; r < kRows; ++r) {
      const v128_t bytes = wasm_v128_load(weights + r * row_bytes + i);
      low[r] = wasm_i16x8_extend_low_i8x16(bytes);
      high[r] = wasm_i16x8_extend_high_i8x16(bytes);
    }
    multiply_add<kRows, kTokens>(low, codes + i, columns, sums);
    multiply_add<kRows, kTokens>(high, codes + i + 8, columns, sums);
  }
  return sums;
}

// [a_0 + a_2, b_0 + b_2, a_1 + a_3, b_1 + b_3]
v128_t fold(v128_t a, v128_t b) {
  return wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
}

// The integer sums of four blocks, each in its lane.
v128_t integer_sums(v128_t block_0, v128_t block_1, v128_t block_2, v128_t block_3) {
  const v128_t fold_01 = fold(block_0, block_1);
  const v128_t fold_23 = fold(block_2, block_3);
  return wasm_i32x4_add(wasm_i32x4_shuffle(fold_01, fold_23, 0, 1, 4, 5),
                        wasm_i32x4_shuffle(fold_01, fold_23, 2, 3, 6, 7));
}

// Adds the terms of `count` blocks from b, a multiple of four: the lanes of `sums` are s_0 .. s_3. All groups but a
// row's last have four blocks, and Count says so at compile time. (The four products stay a loop with results in
// memory on purpose: unrolled, the larger tiles need more registers than there are and are a third slower.)
template <std::size_t kRows, std::size_t kTokens, typename Count>
void add_terms(const Tile& tile, std::size_t b, Count count, Vectors<kRows * kTokens>& sums) {
  const std::size_t row_bytes = tile.blocks * kBlockBytes;
  const std::byte* first = tile.rows + b * kBlockBytes;
  const std::int16_t* codes = tile.codes + b * kBlock;
  std::array<Vectors<kRows * kTokens>, 4> block;
  if (count < 4) block.fill(zeros<kRows * kTokens>());
  for (std::size_t j = 0; j < count; ++j) {
    block[j] = products<kRows, kTokens>(first + j * kBlockBytes, row_bytes, codes + j * kBlock, tile.blocks * kBlock);
  }
  Vectors<kRows> row_scales;
  for (std::size_t r = 0; r < kRows; ++r) {
    if (count == 4) touch_blocks(first + r * row_bytes + tile.ahead);
    row_scales[r] = weight_scales(first + r * row_bytes, count);
  }
  for (std::size_t t = 0; t < kTokens; ++t) {
    const v128_t token_scales = activation_scales(tile.scales + t * tile.blocks + b, count);
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::size_t i = r * kTokens + t;
      const v128_t integers = integer_sums(block[0][i], block[1][i], block[2][i], block[3][i]);
      const v128_t scales = wasm_f32x4_mul(row_scales[r], token_scales);
      sums[i] = wasm_f32x4_add(sums[i], wasm_f32x4_mul(wasm_f32x4_convert_i32x4(integers), scales));
    }
  }
}

template <std::size_t kRows, std::size_t kTokens>
void compute(const Tile& tile) {
  constexpr std::integral_constant<std::size_t, 4> kFour;
  auto sums = zeros<kRows * kTokens>();
  std::size_t b = 0;
  for (; b + kFour <= tile.blocks; b += kFour) add_terms<kRows, kTokens>(tile, b, kFour, sums);
  if (b < tile.blocks) add_terms<kRows, kTokens>(tile, b, tile.blocks - b, sums);
  for (std::size_t t = 0; t < kTokens; ++t) {
    for (std::size_t r = 0; r < kRows; ++r) tile.out[t * tile.out_stride + r] = sum_of_lanes(sums[r * kTokens + t]);
  }
}

using Compute = void (*)(const Tile& tile);
constexpr std::array<Compute, kTokensPerTile> kOneRow = {compute<1, 1>, compute<1, 2>, compute<1, 3>, compute<1, 4>};
// For a single token one row at a time is faster: its speed is that of reading, and one stream is read faster than two.
constexpr std::array<Compute, kTokensPerTile> kTwoRows = {nullptr, compute<2, 2>, compute<2, 3>, compute<2, 4>};

}  // namespace

void matmul_q8_0_simd128(const MatrixView& w, const quant::QuantizedRows& x, float* out, std::size_t out_stride) {
  const std::size_t blocks = w.columns / kBlock;
  const std::size_t row_bytes = blocks * kBlockBytes;
  for (std::size_t first = 0; first < w.rows; first += kRowsPerChunk) {
    const std::size_t end = std::min(w.rows, first + kRowsPerChunk);
    for (std::size_t t = 0; t < x.rows; t += kTokensPerTile) {
      const std::size_t tokens = std::min(x.rows - t, kTokensPerTile);
      for (std::size_t r = first; r < end;) {
        const std::size_t rows = tokens > 1 && r + 2 <= end ? 2 : 1;
        const std::size_t bytes_behind = (w.rows - r - rows) * row_bytes;
        const auto compute_tile = (rows == 2 ? kTwoRows : kOneRow)[tokens - 1];
        compute_tile({.rows = w.data + r * row_bytes,
                      .blocks = blocks,
                      .codes = x.codes.data() + t * w.columns,
                      .scales = x.scales.data() + t * blocks,
                      .out = out + t * out_stride + r,
                      .out_stride = out_stride,
                      .ahead = bytes_behind >= kAhead ? kAhead : 0});
        r += rows;
      }
    }
  }
}

}  // namespace headflow::kernels
