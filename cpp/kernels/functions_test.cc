// exp, GELU, layer norm and softmax against float64, at their edges, and against themselves one element at a time.
#include "kernels/functions.h"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/test_support.h"

namespace headflow::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The error of `got` in units of the last place that a float near `exact` has.
double ulps(float got, double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(static_cast<double>(got) - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

// Every 61st float of one sign from 0 to `last`.
template <typename Visit>
void for_floats(float last, Visit visit) {
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(last) & 0x80000000U;
  const std::uint32_t end = std::bit_cast<std::uint32_t>(std::abs(last));
  for (std::uint32_t bits = 0; bits <= end; bits += 61) visit(std::bit_cast<float>(bits | sign));
}

TEST(Exp, WithinOneUlpOfFloat64AndMonotonic) {
  double worst = 0;
  float previous = 1;
  bool rising = true;
  const auto check = [&](float x, bool up) {
    const float y = kernels::exp(x);
    worst = std::max(worst, ulps(y, std::exp(static_cast<double>(x))));
    rising = rising && (up ? y >= previous : y <= previous);
    previous = y;
  };
  for_floats(88.72283F, [&](float x) { check(x, true); });
  previous = 1;
  for_floats(-104.0F, [&](float x) { check(x, false); });
  EXPECT_LT(worst, 1.0);
  EXPECT_TRUE(rising);
  RecordProperty("worst_ulp", std::to_string(worst));
}

// Where the reduction goes from one multiple of ln 2 to the next: every float around it.
TEST(Exp, MonotonicWhereTheReductionChanges) {
  for (int n = -149; n <= 127; ++n) {
    const auto boundary = static_cast<float>((n + 0.5) * 0.693147180559945309);
    float x = boundary;
    for (int i = 0; i < 200; ++i) x = std::nextafter(x, -kInfinity);
    float previous = kernels::exp(x);
    for (int i = 0; i < 400; ++i) {
      x = std::nextafter(x, kInfinity);
      const float y = kernels::exp(x);
      EXPECT_GE(y, previous) << x;
      EXPECT_LT(ulps(y, std::exp(static_cast<double>(x))), 1.0) << x;
      previous = y;
    }
  }
}

TEST(Exp, Edges) {
  EXPECT_EQ(kernels::exp(0.0F), 1.0F);
  EXPECT_EQ(kernels::exp(-0.0F), 1.0F);
  EXPECT_EQ(kernels::exp(-kInfinity), 0.0F);
  EXPECT_EQ(kernels::exp(std::nextafter(-104.0F, -kInfinity)), 0.0F);
  EXPECT_EQ(kernels::exp(std::numeric_limits<float>::lowest()), 0.0F);
  EXPECT_FALSE(std::signbit(kernels::exp(-kInfinity)));
  EXPECT_GT(kernels::exp(-103.0F), 0.0F);
  EXPECT_TRUE(std::isfinite(kernels::exp(88.72283F)));
  EXPECT_EQ(kernels::exp(88.73F), kInfinity);
  EXPECT_EQ(kernels::exp(std::numeric_limits<float>::max()), kInfinity);
  EXPECT_EQ(kernels::exp(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(kernels::exp(kNan)));
  EXPECT_TRUE(std::isnan(kernels::exp(-kNan)));
}

double exact_gelu(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

TEST(Gelu, AgreesWithTheTanhFormula) {
  constexpr int kSteps = 1 << 20;
  std::vector<float> x(kSteps + 1);
  for (int i = 0; i <= kSteps; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i - kSteps / 2) * 0x1p-16F;
  ASSERT_EQ(x.front(), -8.0F);
  ASSERT_EQ(x.back(), 8.0F);
  std::vector<float> y(x.size());
  gelu(x, y);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(y[i]) - exact_gelu(static_cast<double>(x[i]))));
  }
  EXPECT_LT(worst, 6e-7);
  RecordProperty("worst_absolute", std::to_string(worst * 1e9) + "e-9");
}

TEST(Gelu, EdgesAndInPlace) {
  std::vector<float> x = {0.0F, -0.0F, 30.0F, -30.0F, 1e30F, -1e30F, 1e-40F, kInfinity};
  gelu(x, x);
  EXPECT_TRUE(same_bits(x, std::array{0.0F, -0.0F, 30.0F, -0.0F, 1e30F, -0.0F, 5e-41F, kInfinity}));
  std::array bad = {kNan};
  gelu(bad, bad);
  EXPECT_TRUE(std::isnan(bad[0]));
}

// Rows are computed several elements at a time: each must come out as it does alone.
TEST(Functions, ElementsDoNotDependOnTheirPlace) {
  Random random(1);
  std::vector<float> x = random.numbers(67);
  for (float& value : x) value *= 20;
  std::vector<float> y(x.size());
  gelu(x, y);
  std::vector<float> p(x.size());
  const SoftmaxTerms terms = softmax(x, p);
  for (std::size_t i = 0; i < x.size(); ++i) {
    float alone = 0;
    gelu({&x[i], 1}, {&alone, 1});
    EXPECT_TRUE(same_bits({&y[i], 1}, {&alone, 1})) << i;
    const float expected = kernels::exp(x[i] - terms.maximum) * static_cast<float>(1 / terms.sum);
    EXPECT_TRUE(same_bits({&p[i], 1}, {&expected, 1})) << i;
  }
}

// The bits of all results, summed up: every build must have these, whatever its compiler and instructions.
std::uint64_t digest(std::span<const float> values) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, a word at a time.
  for (const float value : values) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3U;
  return hash;
}

TEST(Functions, SameBitsInEveryBuild) {
  std::vector<float> x;
  for (int i = -16000; i <= 16000; ++i) x.push_back(static_cast<float>(i) * 0.00625F);
  std::vector<float> y(x.size());
  std::transform(x.begin(), x.end(), y.begin(), kernels::exp);
  EXPECT_EQ(digest(y), 0x6081002c76062dfeU);
  gelu(x, y);
  EXPECT_EQ(digest(y), 0x19cb1efa276a50e2U);
  softmax(x, y);
  EXPECT_EQ(digest(y), 0x7c71a14d1e50f086U);
  normalize(x, 1e-5F, y);
  EXPECT_EQ(digest(y), 0xc39f51fe32e58e1fU);
}

TEST(Normalize, FollowsItsDescription) {
  Random random(2);
  // Short rows many times: there it shows whether squares are rounded to float.
  std::vector<std::size_t> lengths = {1, 2, 31, 192, 768};
  lengths.resize(lengths.size() + 50, 3);
  for (const std::size_t n : lengths) {
    std::vector<float> x = random.numbers(n);
    for (float& value : x) value = value * 3 + 5;
    double sum = 0;
    for (const float value : x) sum += static_cast<double>(value);
    const auto mean = static_cast<float>(sum / static_cast<double>(n));
    double squares = 0;
    for (const float value : x) {
      const float centred = value - mean;
      const float square = centred * centred;
      squares += static_cast<double>(square);
    }
    const float deviation = std::sqrt(static_cast<float>(squares / static_cast<double>(n)) + 1e-5F);
    std::vector<float> y(n);
    const Moments moments = normalize(x, 1e-5F, y);
    EXPECT_EQ(moments.mean, mean);
    EXPECT_EQ(moments.inverse_deviation, 1 / deviation);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(y[i], (x[i] - mean) * moments.inverse_deviation);
  }
}

TEST(Normalize, GivesMeanZeroAndVarianceOne) {
  Random random(3);
  const std::vector<float> x = random.numbers(768);
  std::vector<float> y(x.size());
  normalize(x, 0, y);
  double sum = 0;
  double squares = 0;
  for (const float value : y) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 768, 0, 1e-7);
  EXPECT_NEAR(squares / 768, 1, 1e-6);
}

TEST(Normalize, ConstantRowIsZero) {
  const std::vector<float> x(64, 0.1F);
  std::vector<float> y(64, 1.0F);
  EXPECT_EQ(normalize(x, 1e-5F, y).mean, 0.1F);
  EXPECT_TRUE(same_bits(y, std::vector<float>(64, 0.0F)));
}

TEST(Softmax, AgreesWithFloat64) {
  Random random(4);
  for (const std::size_t n : {1U, 2U, 5U, 64U, 1024U}) {
    std::vector<float> scores = random.numbers(n);
    for (float& score : scores) score *= 10;
    std::vector<float> p(n);
    const SoftmaxTerms terms = softmax(scores, p);
    const float maximum = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (const float score : scores) sum += std::exp(static_cast<double>(score) - static_cast<double>(maximum));
    EXPECT_EQ(terms.maximum, maximum);
    EXPECT_NEAR(terms.sum, sum, sum * 1e-6);
    double total = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double exact = std::exp(static_cast<double>(scores[j]) - static_cast<double>(maximum)) / sum;
      EXPECT_NEAR(p[j], exact, exact * 2e-6);
      total += static_cast<double>(p[j]);
    }
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST(Softmax, MaskedScoresAreExactlyZeroAndChangeNothing) {
  const std::array scores = {1.5F, -kInfinity, 0.25F, -kInfinity};
  std::array<float, 4> p{};
  softmax(scores, p);
  EXPECT_TRUE(same_bits({&p[1], 1}, std::array{0.0F}));
  EXPECT_TRUE(same_bits({&p[3], 1}, std::array{0.0F}));
  const std::array unmasked = {1.5F, 0.25F};
  std::array<float, 2> q{};
  softmax(unmasked, q);
  EXPECT_TRUE(same_bits(std::array{p[0], p[2]}, q));
}

TEST(Softmax, InPlaceAndFarApart) {
  std::array scores = {-1000.0F, 1000.0F, 999.0F};
  std::array<float, 3> p{};
  softmax(scores, p);
  softmax(scores, scores);
  EXPECT_TRUE(same_bits(scores, p));
  EXPECT_EQ(p[0], 0.0F);
  EXPECT_NEAR(p[1], 0.7310586, 1e-6);
}

}  // namespace
}  // namespace headflow::kernels
