// Row functions in single operations that round alike everywhere, and loops that compilers can vectorise.
#include "kernels/functions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace headflow::kernels {
namespace {

// x = n ln 2 + r with |r| <= ln 2 / 2 (Cody and Waite, 1980); e^x = 2^n e^r, and e^r = 1 + r + r^2 q(r) with q fitted
// for the least relative error of e^r (3.7e-9).
inline float exp_of(float x) noexcept {
  constexpr float kLowest = -104.0F;  // e^x is less than half the least subnormal, so 0.
  constexpr float kHighest = 89.0F;   // e^x is infinity.
  constexpr float kLog2E = 0x1.715476p+0F;
  constexpr float kLn2High = 0x1.62e4p-1F;  // 15 bits: its product with any n here is exact.
  constexpr float kLn2Low = 0x1.7f7d1cp-20F;
  constexpr float kInteger = 0x1.8p+23F;  // Adding it rounds to an integer, which lies in the low bits of the sum.

  const float bounded = x < kLowest ? kLowest : (x > kHighest ? kHighest : x);  // NaN stays.
  const float shifted = bounded * kLog2E + kInteger;
  const float n = shifted - kInteger;
  const float r = (bounded - n * kLn2High) - n * kLn2Low;
  const float q =
      (((0x1.6a23d2p-10F * r + 0x1.123a20p-7F) * r + 0x1.5558f2p-5F) * r + 0x1.555492p-3F) * r + 0x1.fffffcp-2F;
  const float mantissa = 1.0F + (r + (r * r) * q);

  // 2^n in two factors, since n goes from -150 to 128. Only the second product may round, and only below 2^-126.
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kInteger) + 256U;
  const std::uint32_t half = exponent >> 1U;
  const float first = std::bit_cast<float>((half - 1U) << 23U);  // 2^(half - 128)
  const float second = std::bit_cast<float>((exponent - half - 1U) << 23U);
  return mantissa * first * second;
}

}  // namespace

float exp(float x) noexcept {
  return exp_of(x);
}

void gelu(std::span<const float> x, std::span<float> y) noexcept {
  constexpr float kSqrt2OverPi = 0.79788456080286535588F;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float v = x[i];
    const float u = kSqrt2OverPi * (v + 0.044715F * (v * v * v));
    y[i] = v / (1.0F + exp_of(-2.0F * u));
  }
}

Moments normalize(std::span<const float> x, float epsilon, std::span<float> y) noexcept {
  const auto count = static_cast<double>(x.size());
  double sum = 0;
  for (const float value : x) sum += static_cast<double>(value);
  Moments moments;
  moments.mean = static_cast<float>(sum / count);
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float centred = x[i] - moments.mean;
    y[i] = centred;
    squares += static_cast<double>(centred * centred);
  }
  const auto variance = static_cast<float>(squares / count);
  moments.inverse_deviation = 1.0F / std::sqrt(variance + epsilon);
  for (float& value : y) value *= moments.inverse_deviation;
  return moments;
}

SoftmaxTerms softmax(std::span<const float> scores, std::span<float> p) noexcept {
  SoftmaxTerms terms;
  terms.maximum = *std::max_element(scores.begin(), scores.end());
  for (std::size_t j = 0; j < scores.size(); ++j) p[j] = exp_of(scores[j] - terms.maximum);
  for (std::size_t j = 0; j < scores.size(); ++j) terms.sum += static_cast<double>(p[j]);
  const auto inverse = static_cast<float>(1.0 / terms.sum);
  for (std::size_t j = 0; j < scores.size(); ++j) p[j] *= inverse;
  return terms;
}

}  // namespace headflow::kernels
