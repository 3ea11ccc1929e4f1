// Every node against what llama.cpp computed for the same file and tokens (see cpp/testdata/gpt2-mini/README.md).

#include <gtest/gtest.h>

#include <cmath>

#include "gpt2/block.h"
#include "gpt2/testing/fixture.h"
#include "quant/quant.h"

namespace headflow::gpt2 {
namespace {

using testing::all_nodes;
using testing::Dump;
using testing::largest_difference;
using testing::mini_model;
using testing::node_values;
using testing::relative_rms;

constexpr double kClose = 1e-5;    // Relative RMS, where only the order of additions differs.
constexpr double kGeluHalf = 1e-3; // At ffn_gelu alone, which llama.cpp passes through fp16.

// GELU as ggml's table has it: input and output rounded to fp16, the tanh form in float32 between.
void gelu_through_f16(std::span<const float> x, std::span<float> y) noexcept {
  const auto half = [](float value) { return quant::f16_to_f32(quant::f32_to_f16(value)); };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float v = half(x[i]);
    const float u = 0.79788456080286535587989211986876F * v * (1.0F + 0.044715F * v * v);
    y[i] = half(0.5F * v * (1.0F + static_cast<float>(std::tanh(static_cast<double>(u)))));
  }
}

class LlamaCpp : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Prompts, LlamaCpp, ::testing::Values("how", "cat"), [](const auto& test) { return test.param; });

// Each stage of each block fed with llama.cpp's own input to it.
TEST_P(LlamaCpp, StagesAgreeFedWithItsOwnInputs) {
  const Dump dump(GetParam());
  const auto model = mini_model();
  const Config& config = model->config();
  const std::size_t tokens = dump.tokens.size();
  int compared = 0;
  for (std::size_t l = 0; l < config.block_count; ++l) {
    BlockActivations activations(config);
    activations.reserve(StageKind::kAttention, tokens);
    activations.reserve(StageKind::kRest, tokens);
    KeyValues cache{Rows(config.embedding_length), Rows(config.embedding_length)};
    cache.keys.resize(tokens);
    cache.values.resize(tokens);
    const auto x = dump.array(l == 0 ? NodeRef{Node::kInput, 0} : NodeRef{Node::kBlockOutput, l - 1});
    const auto r = dump.array({Node::kResidual, l});
    attention(config, model->attention(l), {}, {0, tokens, 0}, x.values, cache, activations);
    mlp(config, model->mlp(l), {}, {0, tokens, 0}, r.values, activations);
    for (const NodeInfo& node : nodes()) {
      if (!node.per_block || !BlockActivations::holds(node.node) || !dump.has({node.node, l})) continue;
      // After GELU's rounding to fp16, a code of the next product's activations can flip: those nodes are fed with
      // llama.cpp's GELU below.
      if (node.node == Node::kDownProduct || node.node == Node::kMlpOutput) continue;
      const double rms = relative_rms(activations.rows(node.node, 0, tokens), dump.array({node.node, l}).values);
      EXPECT_LE(rms, node.node == Node::kGelu ? kGeluHalf : kClose) << full_name({node.node, l});
      ++compared;
    }
    const auto gelu = dump.array({Node::kGelu, l});
    std::vector<float> down(tokens * config.embedding_length);
    Products products(Arithmetic{});
    products.multiply(model->mlp(l).down.matrix, gelu.values, tokens, down.data(), config.embedding_length);
    EXPECT_LE(relative_rms(down, dump.array({Node::kDownProduct, l}).values), kClose);
  }
  EXPECT_EQ(compared, 2 * 14);
}

TEST_P(LlamaCpp, EndToEnd) {
  const Dump dump(GetParam());
  const auto model = mini_model();
  Session session(model);
  session.set_tokens(dump.tokens);
  int compared = 0;
  for (const NodeRef ref : all_nodes(model->config())) {
    if (!dump.has(ref)) continue;
    ++compared;
    const auto expected = dump.array(ref);
    const std::vector<float> values = node_values(session, ref);
    ASSERT_EQ(values.size(), expected.values.size()) << full_name(ref);
    const NodeInfo& node = info(ref.node);
    const bool before_gelu = node.stage == StageKind::kEmbed ||
                             (node.per_block && ref.block == 0 && ref.node < Node::kGelu);
    if (before_gelu) {
      EXPECT_LE(relative_rms(values, expected.values), kClose) << full_name(ref);
    } else if (ref.node == Node::kProbabilities) {
      EXPECT_LE(largest_difference(values, expected.values), 1e-2) << full_name(ref);
    } else if (ref.node == Node::kLogits) {
      EXPECT_LE(relative_rms(values, expected.values), 2e-2) << full_name(ref);
    }
  }
  EXPECT_EQ(compared, 53) << "every tensor of the dump";
}

// With GELU's input and output rounded as ggml's table rounds them, nothing is left but the order of additions.
TEST_P(LlamaCpp, EndToEndWithItsGelu) {
  const Dump dump(GetParam());
  const auto model = mini_model();
  Arithmetic arithmetic;
  arithmetic.gelu = gelu_through_f16;
  Session session(model, arithmetic);
  session.set_tokens(dump.tokens);
  for (const NodeRef ref : all_nodes(model->config())) {
    if (!dump.has(ref)) continue;
    EXPECT_LE(relative_rms(node_values(session, ref), dump.array(ref).values), kClose) << full_name(ref);
  }
}

}  // namespace
}  // namespace headflow::gpt2
