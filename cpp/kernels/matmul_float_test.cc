// F32 and F16 products, dot and add_scaled: every implementation against the documented order and against float64.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/test_support.h"

namespace headflow::kernels {
namespace {

constexpr float kUntouched = 12345.5F;

// p_j for one j: elements j, j + 16, j + 32, ...
float partial_sum(std::span<const float> a, std::span<const float> b, std::size_t j) {
  float sum = 0;
  for (std::size_t i = j; i < a.size(); i += 16) {
    const float product = a[i] * b[i];
    sum = sum + product;
  }
  return sum;
}

float documented_dot(std::span<const float> a, std::span<const float> b) {
  std::array<float, 4> q;
  for (std::size_t j = 0; j < 4; ++j) {
    const float low = partial_sum(a, b, j) + partial_sum(a, b, j + 4);
    const float high = partial_sum(a, b, j + 8) + partial_sum(a, b, j + 12);
    q[j] = low + high;
  }
  const float even = q[0] + q[1];
  const float odd = q[2] + q[3];
  return even + odd;
}

// Numbers whose products and sums meet zeros of both signs, subnormals and cancellation.
std::vector<float> awkward_numbers(std::size_t count, Random& random) {
  constexpr std::array kValues = {0.0F,      -0.0F,           1.0F,     -1.0F,   0x1p-149F,     -0x1p-149F,
                                  0x1p-126F, 0x1.fffffep-64F, -0x1p60F, 0x1p60F, 0x1.000002p0F, -3.5F};
  std::vector<float> all(count);
  for (float& each : all) each = kValues[static_cast<std::size_t>(random.integer(0, kValues.size() - 1))];
  return all;
}

class MatmulFloat : public EveryImplementation {
 protected:
  static void expect_documented_order(gguf::TensorType type, std::size_t rows, std::size_t columns, std::size_t tokens,
                                      std::size_t misalignment, std::size_t gap) {
    Random random(static_cast<std::uint32_t>(rows * 100 + columns * 10 + tokens));
    const bool half = type == gguf::TensorType::kF16;
    Bytes matrix(rows * columns * (half ? 2 : 4), misalignment);
    std::vector<float> weights(rows * columns);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (half) {
        const auto bits = static_cast<std::uint16_t>(random.integer(0, 1) * 0x8000 + random.integer(0, 0x7bff));
        matrix.put(i * 2, bits);
        weights[i] = value_of_half(bits);
      } else {
        weights[i] = random.number();
        matrix.put(i * 4, weights[i]);
      }
    }
    const std::vector<float> x = random.numbers(tokens * columns);
    const std::size_t stride = rows + gap;
    std::vector<float> expected(tokens == 0 ? 0 : (tokens - 1) * stride + rows, kUntouched);
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t r = 0; r < rows; ++r) {
        expected[t * stride + r] = documented_dot(std::span(weights).subspan(r * columns, columns),
                                                  std::span(x).subspan(t * columns, columns));
      }
    }
    std::vector<float> got(expected.size(), kUntouched);
    kernels().matmul_float({type, matrix.data(), rows, columns}, x.data(), tokens, got.data(), stride);
    EXPECT_TRUE(same_bits(got, expected))
        << rows << " rows, " << columns << " columns, " << tokens << " tokens, " << (half ? "F16" : "F32");
  }
};

TEST_P(MatmulFloat, AnyCountOfRowsTokensAndColumns) {
  for (const auto type : {gguf::TensorType::kF32, gguf::TensorType::kF16}) {
    for (std::size_t rows = 0; rows <= 9; ++rows) {
      for (std::size_t tokens = 0; tokens <= 9; ++tokens) {
        expect_documented_order(type, rows, 16 + rows + 2 * tokens, tokens, (rows + tokens) % 4, tokens % 3);
      }
    }
    for (std::size_t columns = 1; columns <= 70; ++columns) expect_documented_order(type, 2, columns, 3, 1, 1);
  }
}

TEST_P(MatmulFloat, WideAndMany) {
  for (const auto type : {gguf::TensorType::kF32, gguf::TensorType::kF16}) {
    for (const std::size_t columns : {192U, 768U, 3072U}) expect_documented_order(type, 4, columns, 3, 0, 0);
    for (const std::size_t rows : {32U, 33U, 100U}) expect_documented_order(type, rows, 48, 3, 2, 4);
  }
}

class Vectors : public EveryImplementation {};

TEST_P(Vectors, DotFollowsTheDocumentedOrder) {
  Random random(1);
  for (std::size_t n = 0; n <= 130; ++n) {
    const std::vector<float> a = random.numbers(n);
    const std::vector<float> b = random.numbers(n);
    EXPECT_TRUE(same_bits(std::array{kernels().dot(a.data(), b.data(), n)}, std::array{documented_dot(a, b)})) << n;
    const std::vector<float> c = awkward_numbers(n, random);
    const std::vector<float> d = awkward_numbers(n, random);
    EXPECT_TRUE(same_bits(std::array{kernels().dot(c.data(), d.data(), n)}, std::array{documented_dot(c, d)})) << n;
  }
}

TEST_P(Vectors, DotOfNegativeZerosIsPositive) {
  for (std::size_t n = 0; n <= 33; ++n) {
    const std::vector<float> a(n, -0.0F);
    const std::vector<float> b(n, 2.0F);
    EXPECT_TRUE(same_bits(std::array{kernels().dot(a.data(), b.data(), n)}, std::array{0.0F})) << n;
  }
}

// The longest chain of roundings: a product's, its partial sum's, four of the result.
TEST_P(Vectors, DotAgreesWithFloat64) {
  Random random(2);
  for (const std::size_t n : {1U, 17U, 64U, 768U, 3072U}) {
    const std::vector<float> a = random.numbers(n);
    const std::vector<float> b = random.numbers(n);
    double sum = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double product = static_cast<double>(a[i]) * static_cast<double>(b[i]);
      sum += product;
      magnitude += std::abs(product);
    }
    const double roundings = static_cast<double>((n + 15) / 16 + 5);
    EXPECT_NEAR(kernels().dot(a.data(), b.data(), n), sum, roundings * 0x1.001p-24 * magnitude) << n;
  }
}

TEST_P(Vectors, AddScaledRoundsProductAndSum) {
  Random random(3);
  for (std::size_t n = 0; n <= 70; ++n) {
    for (const bool awkward : {false, true}) {
      const std::vector<float> x = awkward ? awkward_numbers(n, random) : random.numbers(n);
      std::vector<float> y = awkward ? awkward_numbers(n, random) : random.numbers(n);
      const float a = awkward ? -0x1.000002p0F : random.number();
      std::vector<float> expected(n);
      for (std::size_t i = 0; i < n; ++i) {
        const float product = a * x[i];
        expected[i] = y[i] + product;
      }
      kernels().add_scaled(a, x.data(), y.data(), n);
      EXPECT_TRUE(same_bits(y, expected)) << n;
    }
  }
}

// (1 + e)^2 - (1 + 2e) is e^2 where the product is not rounded, 0 where it is.
TEST_P(Vectors, AddScaledIsNotFused) {
  constexpr float kA = 1.0F + 0x1p-23F;
  const std::vector<float> x(9, kA);
  std::vector<float> y(9, -(1.0F + 0x1p-22F));
  kernels().add_scaled(kA, x.data(), y.data(), y.size());
  EXPECT_TRUE(same_bits(y, std::vector<float>(9, 0.0F)));
}

INSTANTIATE_TEST_SUITE_P(All, MatmulFloat, ::testing::ValuesIn(all().begin(), all().end()), MatmulFloat::name_of);
INSTANTIATE_TEST_SUITE_P(All, Vectors, ::testing::ValuesIn(all().begin(), all().end()), Vectors::name_of);

}  // namespace
}  // namespace headflow::kernels
