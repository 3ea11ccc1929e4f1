// Blocks of weights as they lie in the file (F32, F16, Q8_0), and how activations are rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gguf/header.h"

namespace headflow::quant {

inline constexpr std::size_t kBlockSize = 32;       // Elements per Q8_0 block.
inline constexpr std::size_t kQ8_0BlockBytes = 34;  // fp16 scale, then 32 int8 codes.

// Exact fp16 -> f32, subnormals, infinities and NaN included.
[[nodiscard]] float f16_to_f32(std::uint16_t half) noexcept;
// f32 -> fp16, rounded to nearest, ties to even.
[[nodiscard]] std::uint16_t f32_to_f16(float value) noexcept;

// Bytes of one stored row of `columns` elements. Q8_0 needs columns % 32 == 0.
[[nodiscard]] std::size_t row_bytes(gguf::TensorType type, std::size_t columns) noexcept;

// One stored row as floats (exact for all three types). row.size() == row_bytes(type, out.size()).
void dequantize_row(gguf::TensorType type, std::span<const std::byte> row, std::span<float> out) noexcept;

// The index of the first element of the row (F32, F16) or first block (Q8_0) whose value or scale is not finite,
// or -1 where all are finite.
[[nodiscard]] std::ptrdiff_t first_not_finite(gguf::TensorType type, std::span<const std::byte> row) noexcept;

// Whether every value of the row is 0.
[[nodiscard]] bool is_zero(gguf::TensorType type, std::span<const std::byte> row) noexcept;

// Activation rows rounded to blocks of 32 exactly as ggml rounds them before a product with a Q8_0 matrix:
// scale = max|x| / 127, kept as fp16; code = x * (127 / max|x|), to nearest, ties to even.
// A block that is 0, or too small for 127 / max|x| to be finite, has codes 0. One with an infinity or NaN has a scale
// that is not finite, and some codes.
struct QuantizedRows {
  std::size_t rows = 0;
  std::size_t columns = 0;          // A multiple of 32.
  std::vector<std::int16_t> codes;  // [rows, columns], each in [-127, 127]; 16 bits wide for the kernels.
  std::vector<float> scales;        // [rows, columns / 32], fp16 values.
};
// `x`: [rows, columns], row-major. Reuses the storage of `out`.
void quantize_activations(std::span<const float> x, std::size_t rows, std::size_t columns, QuantizedRows& out);

// Activations rounded to fp16 exactly as ggml rounds them before a product with an F16 matrix. Throws Error
// (out_of_range) for a number beyond fp16's range. out.size() == x.size().
void round_to_f16(std::span<const float> x, std::span<float> out);

// Activation rows [rows, columns] as a product with a matrix of this type uses them, as floats: fp16 values, Q8_0
// codes times scales, or for F32 as they are.
[[nodiscard]] std::vector<float> as_used(gguf::TensorType type, std::span<const float> x, std::size_t columns);

// Writing a file follows ggml's reference instead: d = max|x| / 127 stored as fp16; code = x * (1/d) with the f32 d,
// rounded half away from zero; where 1/d is not finite, as above.
// `x`: one row, x.size() % 32 == 0; out.size() == row_bytes(kQ8_0, x.size()).
void quantize_row_reference(std::span<const float> x, std::span<std::byte> out) noexcept;

}  // namespace headflow::quant
