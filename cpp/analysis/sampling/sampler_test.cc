// A draw says what each step removed; what is left sums to 1.

#include "analysis/sampling/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"

namespace headflow::analysis {
namespace {

// Probabilities 0.5, 0.25, 0.125, 0.0625, 0.0625.
const std::vector<float> kLogits = {std::log(8.0F), std::log(4.0F), std::log(2.0F), 0.0F, 0.0F};

double sum(const Draw& draw) {
  double total = 0;
  for (const NextToken& token : draw.kept) total += token.probability;
  return total;
}

TEST(Sampler, TemperatureZeroTakesTheLikeliest) {
  const Draw draw = Sampler({}).draw(kLogits);
  EXPECT_EQ(draw.id, 0);
  EXPECT_EQ(draw.probability, 1);
  EXPECT_EQ(draw.kept.size(), 1U);
}

TEST(Sampler, EachStepSaysWhatItRemoved) {
  const Draw draw = Sampler({.temperature = 1, .top_k = 4, .top_p = 0.8, .seed = 3}).draw(kLogits);
  EXPECT_EQ(draw.tokens_removed_by_top_k, 1U);
  EXPECT_NEAR(draw.removed_by_top_k, 0.0625, 1e-6);
  // Of 0.9375, 0.8 is 0.75: the first two reach it.
  EXPECT_EQ(draw.tokens_removed_by_top_p, 2U);
  EXPECT_NEAR(draw.removed_by_top_p, 0.1875, 1e-6);
  ASSERT_EQ(draw.kept.size(), 2U);
  EXPECT_NEAR(draw.kept[0].probability, 2.0 / 3, 1e-6);
  EXPECT_NEAR(sum(draw), 1, 1e-12);
}

TEST(Sampler, DrawsAsOftenAsTheProbabilitiesSay) {
  Sampler sampler({.temperature = 1, .seed = 5});
  std::map<TokenId, int> counts;
  for (int i = 0; i < 20'000; ++i) ++counts[sampler.next(kLogits)];
  EXPECT_NEAR(counts[0] / 20'000.0, 0.5, 0.02);
  EXPECT_NEAR(counts[2] / 20'000.0, 0.125, 0.02);
}

TEST(Sampler, GoesOnAfterDrawsThatWereMadeBefore) {
  Sampler whole({.temperature = 1, .seed = 7});
  for (std::uint64_t made = 0; made < 50; ++made) {
    Sampler later({.temperature = 1, .seed = 7, .skip = made});
    EXPECT_EQ(later.next(kLogits), whole.next(kLogits)) << "after " << made;
  }
}

TEST(Sampler, ALowTemperatureSharpens) {
  const Draw draw = Sampler({.temperature = 0.5, .seed = 1}).draw(kLogits);
  // Squares: 64, 16, 4, 1, 1.
  EXPECT_NEAR(draw.kept[0].probability, 64.0 / 86, 1e-6);
}

TEST(Sampler, ATemperatureThatIsNoFloatTakesTheLikeliest) {
  for (const double temperature : {1e-50, 1e-300, 5e-324, 1e-38}) {
    Sampler sampler({.temperature = temperature, .seed = 3});
    for (int i = 0; i < 20; ++i) EXPECT_EQ(sampler.next(std::vector<float>{-3, 1, 2, 1.5F}), 2) << temperature;
  }
  EXPECT_THROW(Sampler({.temperature = std::numeric_limits<double>::infinity()}), Error);
  Sampler sampler({.temperature = 1});
  EXPECT_THROW((void)sampler.next(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN()}), Error);
}

}  // namespace
}  // namespace headflow::analysis
