// Every node against what llama.cpp computed for the same file and tokens (see cpp/testdata/gpt2-mini/README.md).

#include <gtest/gtest.h>

#include "gpt2/testing/fixture.h"
#include "gpt2/testing/stages.h"

namespace headflow::gpt2 {
namespace {

using testing::all_nodes;
using testing::Dump;
using testing::engine_stages;
using testing::gelu_through_f16;
using testing::largest_difference;
using testing::mini_model;
using testing::node_values;
using testing::NodeValues;
using testing::relative_rms;

constexpr double kClose = 1e-5;     // Relative RMS, where only the order of additions differs.
constexpr double kGeluHalf = 1e-3;  // At ffn_gelu alone, which llama.cpp passes through fp16.

class LlamaCpp : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Prompts, LlamaCpp, ::testing::Values("how", "cat"),
                         [](const auto& test) { return test.param; });

// Each stage of each block fed with llama.cpp's own input to it.
TEST_P(LlamaCpp, StagesAgreeFedWithItsOwnInputs) {
  const Dump dump(GetParam());
  const auto model = mini_model();
  // After GELU's rounding to fp16 a code of the next product's activations can tip: it is fed with llama.cpp's GELU.
  const NodeValues stages = engine_stages(*model, dump, true);
  int compared = 0;
  for (const NodeRef ref : all_nodes(model->config())) {
    if (info(ref.node).stage == StageKind::kEmbed || !dump.has(ref)) continue;
    const double rms = relative_rms(stages.at(full_name(ref)), dump.array(ref).values);
    EXPECT_LE(rms, ref.node == Node::kGelu ? kGeluHalf : kClose) << full_name(ref);
    ++compared;
  }
  EXPECT_EQ(compared, 50) << "every tensor of the dump but the embeddings";
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
    const bool before_gelu =
        node.stage == StageKind::kEmbed || (node.per_block && ref.block == 0 && ref.node < Node::kGelu);
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
