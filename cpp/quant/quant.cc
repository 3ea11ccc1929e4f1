#include "quant/quant.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "base/error.h"

namespace headflow::quant {
namespace {

constexpr std::uint32_t kSignBit = 0x80000000U;
constexpr float kLargestCode = 127.0F;

template <typename T>
T load(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The largest |x|; infinite or NaN where any is, since without their sign floats are ordered as their bits are.
float largest_magnitude(std::span<const float> x) noexcept {
  std::uint32_t largest = 0;
  for (const float value : x) largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & ~kSignBit);
  return std::bit_cast<float>(largest);
}

// numerator / largest; 0 where that is not a finite number.
float finite_inverse(float numerator, float largest) noexcept {
  const float inverse = numerator / largest;
  return inverse <= std::numeric_limits<float>::max() ? inverse : 0.0F;
}

// Changes no code of a finite block; gives NaN one too.
float clamp_code(float code) noexcept {
  return std::max(-kLargestCode, std::min(kLargestCode, code));
}

// To nearest, ties to even, for |value| < 2^22: the sum leaves no bits below the unit.
float round_to_even(float value) noexcept {
  constexpr float kShift = 12582912.0F;  // 1.5 * 2^23
  return (value + kShift) - kShift;
}

}  // namespace

float f16_to_f32(std::uint16_t half) noexcept {
  constexpr float kRebias = 0x1p112F;  // fp32's exponent bias less fp16's, as a factor: exact, subnormals included.
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t rest = static_cast<std::uint32_t>(half & 0x7FFFU) << 13;
  if ((half & 0x7C00U) == 0x7C00U) return std::bit_cast<float>(sign | 0x7F800000U | rest);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) * kRebias));
}

std::uint16_t f32_to_f16(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits & kSignBit) >> 16);
  const std::uint32_t rest = bits & ~kSignBit;
  if (rest > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);   // NaN
  if (rest >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);  // 65520 and above round to infinity
  if (rest < 0x38800000U) {  // Below 2^-14: a multiple of 2^-24, which adding 1/2 rounds to.
    const float shifted = std::bit_cast<float>(rest) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U));
  }
  const std::uint32_t rounded = rest + 0x0FFFU + ((rest >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

std::size_t row_bytes(gguf::TensorType type, std::size_t columns) noexcept {
  switch (type) {
    case gguf::TensorType::kF32: return columns * 4;
    case gguf::TensorType::kF16: return columns * 2;
    case gguf::TensorType::kQ8_0: return columns / kBlockSize * kQ8_0BlockBytes;
  }
  return 0;
}

void dequantize_row(gguf::TensorType type, std::span<const std::byte> row, std::span<float> out) noexcept {
  switch (type) {
    case gguf::TensorType::kF32: std::memcpy(out.data(), row.data(), out.size_bytes()); break;
    case gguf::TensorType::kF16:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = f16_to_f32(load<std::uint16_t>(&row[2 * i]));
      break;
    case gguf::TensorType::kQ8_0:
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::byte* const block = &row[i / kBlockSize * kQ8_0BlockBytes];
        const auto code = load<std::int8_t>(block + 2 + i % kBlockSize);
        out[i] = f16_to_f32(load<std::uint16_t>(block)) * static_cast<float>(code);
      }
      break;
  }
}

std::ptrdiff_t first_not_finite(gguf::TensorType type, std::span<const std::byte> row) noexcept {
  const bool wide = type == gguf::TensorType::kF32;
  const std::size_t step = wide ? 4 : type == gguf::TensorType::kF16 ? 2 : kQ8_0BlockBytes;
  for (std::size_t at = 0; at < row.size(); at += step) {
    const bool finite = wide ? (load<std::uint32_t>(&row[at]) & 0x7F800000U) != 0x7F800000U
                             : (load<std::uint16_t>(&row[at]) & 0x7C00U) != 0x7C00U;
    if (!finite) return static_cast<std::ptrdiff_t>(at / step);
  }
  return -1;
}

bool is_zero(gguf::TensorType type, std::span<const std::byte> row) noexcept {
  const auto zero = [](std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
  };
  if (type != gguf::TensorType::kQ8_0) return zero(row);
  for (std::size_t at = 0; at < row.size(); at += kQ8_0BlockBytes) {
    if (!zero(row.subspan(at, 2)) && !zero(row.subspan(at + 2, kBlockSize))) return false;
  }
  return true;
}

void quantize_activations(std::span<const float> x, std::size_t rows, std::size_t columns, QuantizedRows& out) {
  out.rows = rows;
  out.columns = columns;
  out.codes.resize(rows * columns);
  out.scales.resize(rows * columns / kBlockSize);
  for (std::size_t block = 0; block < out.scales.size(); ++block) {
    const std::span<const float> values = x.subspan(block * kBlockSize, kBlockSize);
    const float largest = largest_magnitude(values);
    const float inverse = finite_inverse(kLargestCode, largest);
    out.scales[block] = f16_to_f32(f32_to_f16(largest / kLargestCode));
    std::int16_t* const codes = &out.codes[block * kBlockSize];
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      codes[i] = static_cast<std::int16_t>(clamp_code(round_to_even(values[i] * inverse)));
    }
  }
}

void round_to_f16(std::span<const float> x, std::span<float> out) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = f16_to_f32(f32_to_f16(x[i]));
    if (std::isfinite(out[i])) continue;
    throw Error(ErrorCode::kOutOfRange,
                {"activation " + std::to_string(i) + " of a product with an F16 matrix", std::to_string(x[i]),
                 "a number that fp16 holds, at most 65504", "Choose the F32 or Q8_0 file of this model"});
  }
}

std::vector<float> as_used(gguf::TensorType type, std::span<const float> x, std::size_t columns) {
  std::vector<float> used(x.begin(), x.end());
  if (type == gguf::TensorType::kF16) round_to_f16(x, used);
  if (type == gguf::TensorType::kQ8_0) {
    QuantizedRows rounded;
    quantize_activations(x, x.size() / columns, columns, rounded);
    for (std::size_t i = 0; i < used.size(); ++i) {
      used[i] = static_cast<float>(rounded.codes[i]) * rounded.scales[i / kBlockSize];  // 7 bits by 11: exact.
    }
  }
  return used;
}

void quantize_row_reference(std::span<const float> x, std::span<std::byte> out) noexcept {
  for (std::size_t block = 0; block < x.size() / kBlockSize; ++block) {
    const std::span<const float> values = x.subspan(block * kBlockSize, kBlockSize);
    const float scale = largest_magnitude(values) / kLargestCode;
    const float inverse = finite_inverse(1.0F, scale);
    std::byte* const to = &out[block * kQ8_0BlockBytes];
    const std::uint16_t half = f32_to_f16(scale);
    std::memcpy(to, &half, sizeof half);
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      to[2 + i] = static_cast<std::byte>(static_cast<std::int8_t>(clamp_code(std::round(values[i] * inverse))));
    }
  }
}

}  // namespace headflow::quant
