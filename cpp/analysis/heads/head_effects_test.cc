// What switching heads off does: against a float64 pass in which the same heads are off.

#include "analysis/heads/head_effects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "analysis/sampling/distribution.h"
#include "base/error.h"
#include "gpt2/testing/fixture.h"
#include "gpt2/testing/float64.h"
#include "gpt2/testing/rebuilt.h"

namespace headflow::analysis {
namespace {

using gpt2::EditKind;

const std::vector<TokenId> kTokens = {72, 101, 32, 115, 97, 116, 32, 97};

// P of every token after the last one, by the float64 pass.
std::vector<double> reference_probabilities(const gpt2::Model& model, std::vector<gpt2::Edit> edits) {
  gpt2::testing::Float64 reference(model, {.edits = std::move(edits)});
  reference.forward(kTokens);
  const std::size_t vocabulary = model.config().vocabulary_size;
  const gpt2::testing::Vector& logits = reference.nodes().at("result_output");
  std::vector<double> p(logits.end() - static_cast<std::ptrdiff_t>(vocabulary), logits.end());
  double sum = 0;
  for (double& value : p) sum += value = std::exp(value);
  for (double& value : p) value /= sum;
  return p;
}

void run(HeadEffects& effects, std::uint64_t work) {
  while (!effects.advance(work).done) {
  }
}

class HeadEffectsTest : public ::testing::TestWithParam<EditKind> {};

TEST_P(HeadEffectsTest, AsAFloat64PassWithoutTheHead) {
  // F32 matrices: no activation is rounded.
  const auto model = gpt2::testing::whole_model(gpt2::testing::all_as(gguf::TensorType::kF32));
  gpt2::Session session(model);
  session.set_tokens(kTokens);
  HeadEffects effects(session, GetParam());
  run(effects, 1);
  const std::vector<double> with = reference_probabilities(*model, {});
  const auto first = static_cast<std::size_t>(effects.first());
  EXPECT_EQ(std::ranges::max_element(with) - with.begin(), effects.first());
  EXPECT_NEAR(effects.before(), with[first], 1e-6);
  ASSERT_EQ(effects.effects().size(), model->config().block_count * model->config().head_count);
  for (const HeadEffect& effect : effects.effects()) {
    const std::vector<double> without = reference_probabilities(*model, {{effect.block, effect.head, GetParam()}});
    EXPECT_NEAR(effect.after, without[first], 1e-6);
    EXPECT_EQ(std::ranges::max_element(without) - without.begin(), effect.first_after);
    double divergence = 0;
    for (std::size_t i = 0; i < with.size(); ++i) divergence += with[i] * std::log(with[i] / without[i]);
    EXPECT_NEAR(effect.divergence, divergence, 1e-6);
    EXPECT_GT(effect.divergence, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HeadEffectsTest, ::testing::Values(EditKind::kZero, EditKind::kMean));

TEST(HeadEffects, WhatIsOffAlreadyIsNotTried) {
  const auto model = gpt2::testing::mini_model();
  gpt2::Session session(model);
  session.set_tokens(kTokens);
  session.set_edits(std::vector<gpt2::Edit>{{0, 2, EditKind::kZero}});
  HeadEffects effects(session, EditKind::kZero);
  run(effects, 1'000'000);
  EXPECT_EQ(effects.effects().size(), model->config().block_count * model->config().head_count - 1);
  for (const HeadEffect& effect : effects.effects()) EXPECT_FALSE(effect.block == 0 && effect.head == 2);
}

TEST(HeadEffects, NeedsTokens) {
  const gpt2::Session session(gpt2::testing::mini_model());
  EXPECT_THROW(HeadEffects(session, EditKind::kZero), Error);
}

}  // namespace
}  // namespace headflow::analysis
