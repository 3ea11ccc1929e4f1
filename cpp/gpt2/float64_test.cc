// The engine against a float64 forward pass on the dequantized weights, activations as they are and rounded to Q8_0.

#include "gpt2/testing/float64.h"

#include <gtest/gtest.h>

#include "gpt2/testing/fixture.h"

namespace headflow::gpt2 {
namespace {

using testing::Dump;
using testing::Float64;
using testing::largest_difference;
using testing::mini_model;
using testing::node_values;
using testing::relative_rms;

TEST(Float64, DistanceIsThatOfActivationRounding) {
  for (const char* folder : {"how", "cat"}) {
    const Dump dump(folder);
    const auto model = mini_model();
    Float64 reference(*model);
    reference.forward(dump.tokens);
    Session session(model);
    session.set_tokens(dump.tokens);
    int products = 0;
    for (const auto& [name, expected] : reference.nodes()) {
      const NodeRef ref = parse_node(name, model->config());
      const std::vector<float> values = node_values(session, ref);
      ASSERT_EQ(values.size(), expected.size()) << name;
      if (ref.node == Node::kProbabilities) {
        EXPECT_LE(largest_difference(values, expected), 2e-2) << name;
      } else {
        EXPECT_LE(relative_rms(values, expected), 2e-2) << name;
      }
      if (ref.node == Node::kQkvProduct || ref.node == Node::kUpProduct || ref.node == Node::kLogits) {
        EXPECT_GT(relative_rms(values, expected), 1e-4) << name << ": rounded activations must show";
        ++products;
      }
    }
    EXPECT_EQ(products, 5);
  }
}

// With activations rounded alike, what is left of every node is float32: sums, and the engine's exp.
TEST(Float64, RoundedAlikeNothingIsLeft) {
  for (const char* folder : {"how", "cat"}) {
    const Dump dump(folder);
    const auto model = mini_model();
    Float64 reference(*model, {.rounds_activations = true});
    reference.forward(dump.tokens);
    Session session(model);
    session.set_tokens(dump.tokens);
    for (const auto& [name, expected] : reference.nodes()) {
      EXPECT_LE(relative_rms(node_values(session, parse_node(name, model->config())), expected), 1e-6) << name;
    }
  }
}

}  // namespace
}  // namespace headflow::gpt2
