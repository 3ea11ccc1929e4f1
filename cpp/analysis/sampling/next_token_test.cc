// Likeliest tokens against a softmax in double over all logits.
#include "analysis/sampling/next_token.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/error.h"

namespace headflow::analysis {
namespace {

TEST(Likeliest, ProbabilitiesAreOfTheWholeVocabulary) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal(-90, 4);
  std::vector<float> logits(5000);
  for (float& logit : logits) logit = normal(generator);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(double{logit});

  const std::vector<NextToken> tokens = likeliest(logits, 10);
  ASSERT_EQ(tokens.size(), 10u);
  for (const NextToken& token : tokens) {
    EXPECT_EQ(token.logit, logits[static_cast<std::size_t>(token.id)]);
    EXPECT_NEAR(token.probability / (std::exp(double{token.logit}) / sum), 1, 1e-6);
  }
  for (std::size_t i = 1; i < tokens.size(); ++i) EXPECT_GE(tokens[i - 1].logit, tokens[i].logit);
  EXPECT_EQ(tokens.front().logit, *std::ranges::max_element(logits));
}

TEST(Likeliest, AllOfThemAddUpToOne) {
  double sum = 0;
  for (const NextToken& token : likeliest(std::vector<float>{1, 2, 3, -40, 2}, 100)) sum += token.probability;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Likeliest, EqualLogitsGoById) {
  const std::vector<NextToken> tokens = likeliest(std::vector<float>{0, 5, 5, 1, 5}, 3);
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].id, 1);
  EXPECT_EQ(tokens[1].id, 2);
  EXPECT_EQ(tokens[2].id, 4);
}

TEST(Likeliest, LargeLogitsDoNotOverflow) {
  const std::vector<NextToken> tokens = likeliest(std::vector<float>{1e30f, -1e30f, 0}, 2);
  EXPECT_EQ(tokens[0].probability, 1);
  EXPECT_EQ(tokens[1].probability, 0);
}

TEST(Likeliest, NothingToChooseFrom) {
  EXPECT_TRUE(likeliest({}, 3).empty());
}

TEST(Likeliest, WhatIsNotFiniteIsRefused) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float bad : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    try {
      (void)likeliest(std::vector<float>{1, bad, 2}, 1);
      ADD_FAILURE() << "no error for " << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadWeights);
      EXPECT_EQ(error.parts().where, "logit of token 1");
    }
  }
}

}  // namespace
}  // namespace headflow::analysis
