// fp16 against its definition, dequantization of every code, and both ways to round to Q8_0 against plain derivations.
#include "quant/quant.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace headflow::quant {
namespace {

using gguf::TensorType;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// fp16 by its definition.
double value_of_half(unsigned half) {
  const int exponent = static_cast<int>(half >> 10 & 31U);
  const int fraction = static_cast<int>(half & 1023U);
  double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

float next_up(float value) {
  return std::nextafter(value, kInfinity);
}
float next_down(float value) {
  return std::nextafter(value, -kInfinity);
}

// One block as it lies in a file.
std::array<std::byte, kQ8_0BlockBytes> block_of(std::uint16_t scale, int first_code) {
  std::array<std::byte, kQ8_0BlockBytes> block{};
  std::memcpy(block.data(), &scale, sizeof scale);
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    block.at(2 + i) = static_cast<std::byte>(static_cast<std::int8_t>(first_code + static_cast<int>(i)));
  }
  return block;
}

struct StoredBlock {
  std::uint16_t scale = 0;
  std::array<std::int8_t, kBlockSize> codes{};
};

StoredBlock quantized(const std::vector<float>& x) {
  std::array<std::byte, kQ8_0BlockBytes> bytes{};
  quantize_row_reference(x, bytes);
  StoredBlock block;
  std::memcpy(&block.scale, bytes.data(), 2);
  std::memcpy(block.codes.data(), bytes.data() + 2, kBlockSize);
  return block;
}

TEST(F16, EveryNumberIsDecodedExactly) {
  for (unsigned half = 0; half < 0x10000U; ++half) {
    const float got = f16_to_f32(static_cast<std::uint16_t>(half));
    const double expected = value_of_half(half);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << half;
    } else {
      ASSERT_EQ(bits(got), bits(static_cast<float>(expected))) << half;
    }
    ASSERT_EQ(std::signbit(got), (half & 0x8000U) != 0) << half;
  }
}

TEST(F16, EveryNumberSurvivesBothConversions) {
  for (unsigned half = 0; half < 0x10000U; ++half) {
    const float value = f16_to_f32(static_cast<std::uint16_t>(half));
    const std::uint16_t back = f32_to_f16(value);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(f16_to_f32(back))) << half;
    } else {
      ASSERT_EQ(back, half);
    }
  }
}

TEST(F16, MidpointsGoToTheEvenNeighbourAndNothingElseDoes) {
  for (const unsigned sign : {0U, 0x8000U}) {
    const float direction = sign == 0 ? 1.0F : -1.0F;
    for (unsigned half = 0; half < 0x7C00U; ++half) {
      // Above the largest finite number the next one would be 2^16, were there one.
      const double above = half == 0x7BFFU ? 65536.0 : value_of_half(half + 1);
      const auto middle = static_cast<float>((value_of_half(half) + above) / 2);
      const unsigned even = half % 2 == 0 ? half : half + 1;
      ASSERT_EQ(f32_to_f16(direction * middle), sign | even) << half;
      ASSERT_EQ(f32_to_f16(direction * next_down(middle)), sign | half) << half;
      ASSERT_EQ(f32_to_f16(direction * next_up(middle)), sign | (half + 1)) << half;
    }
  }
}

TEST(F16, TheEndsOfTheRange) {
  EXPECT_EQ(f32_to_f16(0.0F), 0);
  EXPECT_EQ(f32_to_f16(-0.0F), 0x8000);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(f32_to_f16(-std::numeric_limits<float>::denorm_min()), 0x8000);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::max()), 0x7C00);
  EXPECT_EQ(f32_to_f16(kInfinity), 0x7C00);
  EXPECT_EQ(f32_to_f16(-kInfinity), 0xFC00);
  for (const std::uint32_t nan : {0x7F800001U, 0x7FC00000U, 0xFF800001U, 0xFFFFFFFFU}) {
    EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(std::bit_cast<float>(nan))))) << nan;
  }
}

TEST(F16, RandomNumbersGoToTheNearest) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!(std::abs(value) < 65504.0F)) continue;
    const std::uint16_t half = f32_to_f16(value);
    const double distance = std::abs(value_of_half(half) - static_cast<double>(value));
    const unsigned magnitude = half & 0x7FFFU;
    for (const unsigned neighbour : {magnitude + 1, magnitude == 0 ? 0 : magnitude - 1}) {
      if (neighbour >= 0x7C00U) continue;
      ASSERT_LE(distance, std::abs(value_of_half(neighbour | (half & 0x8000U)) - static_cast<double>(value))) << value;
    }
  }
}

TEST(Rows, BytesByType) {
  EXPECT_EQ(row_bytes(TensorType::kF32, 96), 384U);
  EXPECT_EQ(row_bytes(TensorType::kF16, 96), 192U);
  EXPECT_EQ(row_bytes(TensorType::kQ8_0, 96), 102U);
  EXPECT_EQ(row_bytes(TensorType::kQ8_0, 0), 0U);
}

// All 65,536 scales with all 256 codes; infinite and NaN scales, which a model refuses, too.
TEST(Rows, EveryCodeTimesEveryScale) {
  std::vector<std::byte> row(8 * kQ8_0BlockBytes);
  std::vector<float> out(256);
  for (unsigned scale = 0; scale < 0x10000U; ++scale) {
    for (std::size_t block = 0; block < 8; ++block) {
      const auto bytes = block_of(static_cast<std::uint16_t>(scale), -128 + static_cast<int>(32 * block));
      std::memcpy(&row[block * kQ8_0BlockBytes], bytes.data(), bytes.size());
    }
    dequantize_row(TensorType::kQ8_0, row, out);
    const double value = value_of_half(scale);
    for (int code = -128; code < 128; ++code) {
      // 11 bits times 8 bits: the product is exact.
      const auto expected = static_cast<float>(value * code);
      const float got = out[static_cast<std::size_t>(code + 128)];
      if (std::isnan(expected) ? !std::isnan(got) : bits(got) != bits(expected)) {
        FAIL() << scale << " x " << code << ": got " << got << ", expected " << expected;
      }
    }
    ASSERT_EQ(first_not_finite(TensorType::kQ8_0, row), std::isfinite(value) ? -1 : 0) << scale;
  }
}

TEST(Rows, FloatsAsTheyAreStored) {
  const std::vector<float> values = {0.0F, -0.0F, 1.5F, std::numeric_limits<float>::denorm_min(), 3.0e38F};
  std::vector<float> out(values.size());
  dequantize_row(TensorType::kF32, std::as_bytes(std::span(values)), out);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(bits(out[i]), bits(values[i]));

  const std::vector<std::uint16_t> halves = {0x3C00, 0xC000, 0x0001, 0x7BFF};
  std::vector<float> wide(halves.size());
  dequantize_row(TensorType::kF16, std::as_bytes(std::span(halves)), wide);
  EXPECT_EQ(wide, (std::vector<float>{1.0F, -2.0F, 0x1p-24F, 65504.0F}));
}

TEST(Rows, AnUnalignedRowReadsTheSame) {
  const auto block = block_of(0x3C00, -5);
  std::vector<std::byte> bytes(1 + block.size());
  std::memcpy(&bytes[1], block.data(), block.size());
  std::vector<float> out(kBlockSize);
  dequantize_row(TensorType::kQ8_0, std::span(bytes).subspan(1), out);
  EXPECT_EQ(out[0], -5.0F);
  EXPECT_EQ(out[31], 26.0F);
}

TEST(Rows, FirstNotFinite) {
  const std::vector<float> floats = {1.0F, std::numeric_limits<float>::max(), -kInfinity, kNan};
  EXPECT_EQ(first_not_finite(TensorType::kF32, std::as_bytes(std::span(floats))), 2);
  EXPECT_EQ(first_not_finite(TensorType::kF32, std::as_bytes(std::span(floats).first(2))), -1);
  const std::vector<std::uint16_t> halves = {0x7BFF, 0x03FF, 0x8000, 0xFBFF, 0x7E01, 0x7C00};
  EXPECT_EQ(first_not_finite(TensorType::kF16, std::as_bytes(std::span(halves))), 4);
  EXPECT_EQ(first_not_finite(TensorType::kF16, std::as_bytes(std::span(halves).first(4))), -1);
  std::vector<std::byte> row;
  for (const int scale : {0x3C00, 0x7BFF, 0x7C00, 0xFFFF}) {
    // Codes that would be a NaN, were they looked at as fp16.
    const auto block = block_of(static_cast<std::uint16_t>(scale), -1);
    row.insert(row.end(), block.begin(), block.end());
  }
  EXPECT_EQ(first_not_finite(TensorType::kQ8_0, row), 2);
  EXPECT_EQ(first_not_finite(TensorType::kQ8_0, std::span(row).first(2 * kQ8_0BlockBytes)), -1);
  EXPECT_EQ(first_not_finite(TensorType::kQ8_0, {}), -1);
}

// What quantize_activations is to compute, said once more with <cmath>.
void expect_rounded(const std::vector<float>& x, std::size_t rows, std::size_t columns) {
  QuantizedRows got;
  quantize_activations(x, rows, columns, got);
  ASSERT_EQ(got.rows, rows);
  ASSERT_EQ(got.columns, columns);
  ASSERT_EQ(got.codes.size(), rows * columns);
  ASSERT_EQ(got.scales.size(), rows * columns / 32);
  for (std::size_t b = 0; b < got.scales.size(); ++b) {
    float largest = 0;
    for (std::size_t i = 0; i < 32; ++i) largest = std::fmax(largest, std::fabs(x[b * 32 + i]));
    const std::uint16_t scale = f32_to_f16(largest / 127.0F);
    ASSERT_EQ(bits(got.scales[b]), bits(static_cast<float>(value_of_half(scale))));
    for (std::size_t i = 0; i < 32; ++i) {
      const float product = largest == 0 ? 0.0F : x[b * 32 + i] * (127.0F / largest);
      ASSERT_EQ(got.codes[b * 32 + i], static_cast<int>(std::nearbyint(product))) << x[b * 32 + i] << " of " << largest;
    }
  }
}

TEST(Activations, RandomRows) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  for (const float size : {1.0F, 1e-30F, 1e-6F, 300.0F, 1e6F}) {
    std::vector<float> x(4 * 96);
    for (float& each : x) each = size * normal(random);
    expect_rounded(x, 4, 96);
  }
}

TEST(Activations, TiesGoToEven) {
  std::vector<float> x(32);
  x[0] = 127.0F;  // So that every number is its own code before rounding.
  for (std::size_t i = 1; i < 32; ++i) x[i] = (i % 2 == 0 ? 1.0F : -1.0F) * (static_cast<float>(i) + 0.5F);
  expect_rounded(x, 1, 32);
  QuantizedRows rounded;
  quantize_activations(x, 1, 32, rounded);
  EXPECT_EQ(rounded.scales[0], 1.0F);
  EXPECT_EQ(rounded.codes[0], 127);
  EXPECT_EQ(rounded.codes[1], -2);
  EXPECT_EQ(rounded.codes[2], 2);
  EXPECT_EQ(rounded.codes[3], -4);
  EXPECT_EQ(rounded.codes[4], 4);
}

TEST(Activations, ZerosTinyAndLargeBlocks) {
  std::vector<float> x(5 * 32);
  for (std::size_t i = 0; i < 32; ++i) {
    const auto step = static_cast<float>(i);
    x[32 + i] = step * std::numeric_limits<float>::denorm_min() * 1e9F;  // The scale is 0 as fp16; the codes are not.
    x[64 + i] = -step * 65504.0F;
    x[96 + i] = (step - 16.0F) * 1e37F;  // The scale is infinite as fp16.
    x[128 + i] = -0.0F;
  }
  expect_rounded(x, 1, 160);
  expect_rounded(x, 5, 32);
  expect_rounded({}, 0, 32);

  // 127 / max|x| overflows.
  QuantizedRows rounded;
  x.assign(32, std::numeric_limits<float>::denorm_min());
  x[5] = 0;
  quantize_activations(x, 1, 32, rounded);
  EXPECT_EQ(rounded.scales[0], 0.0F);
  EXPECT_EQ(rounded.codes, std::vector<std::int16_t>(32));
}

TEST(Activations, StorageIsReused) {
  QuantizedRows rows;
  quantize_activations(std::vector<float>(128, 1.0F), 2, 64, rows);
  const std::int16_t* const before = rows.codes.data();
  quantize_activations(std::vector<float>(32, -1.0F), 1, 32, rows);
  EXPECT_EQ(rows.codes.data(), before);
  EXPECT_EQ(rows.codes, std::vector<std::int16_t>(32, -127));
  EXPECT_EQ(rows.scales.size(), 1U);
}

TEST(Activations, WhatIsNotFiniteStaysVisibleInTheScale) {
  for (const float bad : {kInfinity, -kInfinity, kNan, -kNan, std::bit_cast<float>(0x00000001U)}) {
    for (const std::size_t at : {0U, 1U, 30U, 31U}) {
      std::vector<float> x(64, 1.0F);
      x[at] = bad;
      QuantizedRows rounded;
      quantize_activations(x, 1, 64, rounded);
      for (const std::int16_t code : rounded.codes) ASSERT_TRUE(code >= -127 && code <= 127) << code;
      ASSERT_EQ(std::isfinite(rounded.scales[0]), std::isfinite(bad)) << bad << " at " << at;
      ASSERT_EQ(rounded.codes[32], 127);
      ASSERT_TRUE(std::isfinite(rounded.scales[1]));
    }
  }
}

TEST(Reference, HandComputedBlocks) {
  std::vector<float> x(32);
  EXPECT_EQ(quantized(x).scale, 0);
  EXPECT_EQ(quantized(x).codes, (std::array<std::int8_t, 32>{}));

  x[0] = -127.0F;
  x[1] = 0.5F;  // Ties go away from zero.
  x[2] = -0.5F;
  x[3] = 2.5F;
  x[4] = -2.5F;
  x[5] = 2.49F;
  x[6] = 126.5F;
  StoredBlock block = quantized(x);
  EXPECT_EQ(block.scale, 0x3C00);
  EXPECT_EQ(block.codes[0], -127);
  EXPECT_EQ(block.codes[1], 1);
  EXPECT_EQ(block.codes[2], -1);
  EXPECT_EQ(block.codes[3], 3);
  EXPECT_EQ(block.codes[4], -3);
  EXPECT_EQ(block.codes[5], 2);
  EXPECT_EQ(block.codes[6], 127);
  EXPECT_EQ(block.codes[7], 0);

  // d = 1/127 is no fp16 number: the codes are of the f32 d.
  x.assign(32, 1.0F);
  x[1] = -0.5F;
  block = quantized(x);
  EXPECT_EQ(block.scale, f32_to_f16(1.0F / 127.0F));
  EXPECT_EQ(block.codes[0], 127);
  EXPECT_EQ(block.codes[1], -64);
}

TEST(Reference, RandomRowsAsDerived) {
  std::mt19937 random(13);
  std::normal_distribution<float> normal;
  std::vector<float> x(32 * 64);
  for (float& each : x) each = 0.14F * normal(random);
  std::vector<std::byte> row(row_bytes(TensorType::kQ8_0, x.size()));
  quantize_row_reference(x, row);
  for (std::size_t b = 0; b < 64; ++b) {
    float largest = 0;
    for (std::size_t i = 0; i < 32; ++i) largest = std::fmax(largest, std::fabs(x[b * 32 + i]));
    const float d = largest / 127.0F;
    std::uint16_t scale = 0;
    std::memcpy(&scale, &row[b * 34], 2);
    ASSERT_EQ(scale, f32_to_f16(d));
    for (std::size_t i = 0; i < 32; ++i) {
      ASSERT_EQ(static_cast<std::int8_t>(row[b * 34 + 2 + i]), std::lround(x[b * 32 + i] * (1.0F / d)));
    }
  }
}

TEST(Reference, WhatIsNotFiniteStaysVisibleInTheScale) {
  for (const float bad : {kInfinity, -kInfinity, kNan, -kNan}) {
    std::vector<float> x(32, 1.0F);
    x[17] = bad;
    EXPECT_FALSE(std::isfinite(f16_to_f32(quantized(x).scale))) << bad;
  }
  // 1/d overflows.
  const std::vector<float> tiny(32, 1e-37F);
  EXPECT_EQ(quantized(tiny).scale, 0);
  EXPECT_EQ(quantized(tiny).codes, (std::array<std::int8_t, 32>{}));
}

}  // namespace
}  // namespace headflow::quant
