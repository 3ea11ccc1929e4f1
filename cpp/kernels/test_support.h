// What the tests of the kernels share: random numbers, bytes in exact-size buffers, comparison of bits, and a suite
// that runs for every implementation of this build.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernels.h"

namespace headflow::kernels {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  // In [low, high].
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % (static_cast<std::uint32_t>(high - low) + 1));
  }
  // In [-1, 1).
  float number() { return static_cast<float>(static_cast<std::int32_t>(engine_())) * 0x1p-31F; }

  std::vector<float> numbers(std::size_t count) {
    std::vector<float> all(count);
    for (float& each : all) each = number();
    return all;
  }

 private:
  std::mt19937 engine_;
};

// Bytes that start `misalignment` bytes into their buffer and end where it ends, so that a sanitizer sees over-reads.
class Bytes {
 public:
  Bytes(std::size_t size, std::size_t misalignment) : bytes_(size + misalignment), misalignment_(misalignment) {}

  [[nodiscard]] std::byte* data() { return bytes_.data() + misalignment_; }
  template <typename T>
  void put(std::size_t offset, T value) {
    std::memcpy(data() + offset, &value, sizeof value);
  }
  template <typename T>
  [[nodiscard]] T get(std::size_t offset) {
    T value;
    std::memcpy(&value, data() + offset, sizeof value);
    return value;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t misalignment_;
};

// An fp16 number by its definition. Finite ones only.
inline float value_of_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  const float magnitude =
      static_cast<float>(exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// -0 is not +0 here.
inline ::testing::AssertionResult same_bits(std::span<const float> got, std::span<const float> expected) {
  if (got.size() != expected.size()) return ::testing::AssertionFailure() << got.size() << " numbers";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(got[i]) != std::bit_cast<std::uint32_t>(expected[i])) {
      return ::testing::AssertionFailure() << "at " << i << ": got " << ::testing::PrintToString(got[i])
                                           << ", expected " << ::testing::PrintToString(expected[i]);
    }
  }
  return ::testing::AssertionSuccess();
}

class EveryImplementation : public ::testing::TestWithParam<const Kernels*> {
 public:
  [[nodiscard]] static std::string name_of(const ::testing::TestParamInfo<const Kernels*>& info) {
    return std::string(info.param->name);
  }

 protected:
  [[nodiscard]] static const Kernels& kernels() { return *GetParam(); }
};

}  // namespace headflow::kernels
