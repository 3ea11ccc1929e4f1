// The logit lens: against a float64 pass that ends early.

#include "analysis/heads/lens.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "gpt2/testing/fixture.h"
#include "gpt2/testing/float64.h"
#include "gpt2/testing/rebuilt.h"

namespace headflow::analysis {
namespace {

const std::vector<TokenId> kTokens = {72, 101, 32, 115, 97, 116, 32, 97};

// Logits of the last row as if the model ended after `depth` blocks.
std::vector<double> reference_logits(const gpt2::Model& model, std::size_t depth) {
  gpt2::testing::Float64 reference(model);
  gpt2::testing::Matrix x = reference.embed(kTokens);
  for (std::size_t l = 0; l < depth; ++l) x = reference.mlp(l, reference.attention(l, x));
  reference.logits(x);
  const gpt2::testing::Vector& logits = reference.nodes().at("result_output");
  return {logits.end() - static_cast<std::ptrdiff_t>(model.config().vocabulary_size), logits.end()};
}

TEST(Lens, AsAFloat64PassThatEndsEarly) {
  const auto model = gpt2::testing::whole_model(gpt2::testing::all_as(gguf::TensorType::kF32));
  gpt2::Session session(model);
  session.set_tokens(kTokens);
  Lens lens(session, kTokens.size() - 1, 3);
  while (!lens.advance(1).done) {
  }
  ASSERT_EQ(lens.layers().size(), model->config().block_count + 1);
  const TokenId last = lens.layers().back().likeliest.front().id;
  EXPECT_EQ(lens.layers().back().rank, 1U);
  for (const LensLayer& layer : lens.layers()) {
    const std::vector<double> logits = reference_logits(*model, layer.depth);
    ASSERT_EQ(layer.likeliest.size(), 3U);
    EXPECT_EQ(std::ranges::max_element(logits) - logits.begin(), layer.likeliest.front().id);
    const double own = logits[static_cast<std::size_t>(last)];
    const auto above = std::ranges::count_if(logits, [&](double logit) { return logit > own; });
    EXPECT_EQ(layer.rank, static_cast<std::size_t>(above) + 1) << "after " << layer.depth << " blocks";
  }
}

TEST(Lens, RefusesARowThatIsNone) {
  gpt2::Session session(gpt2::testing::mini_model());
  session.set_tokens(kTokens);
  EXPECT_THROW(Lens(session, kTokens.size(), 3), Error);
}

}  // namespace
}  // namespace headflow::analysis
