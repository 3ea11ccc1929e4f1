// The graph's records: names that llama.cpp uses, shapes of product and views.

#include "gpt2/graph.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "gpt2/graph_json.h"

namespace headflow::gpt2 {
namespace {

constexpr Config kSmall{12, 1024, 768, 3072, 12, 64, 50257, 1e-5F};

TEST(Graph, TableIsInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < nodes().size(); ++i) EXPECT_EQ(static_cast<std::size_t>(nodes()[i].node), i);
}

TEST(Graph, NamesAreDistinctAndParseBack) {
  std::set<std::string> names;
  for (const NodeInfo& node : nodes()) {
    const NodeRef ref{node.node, node.per_block ? 11U : 0U};
    EXPECT_TRUE(names.insert(full_name(ref)).second) << full_name(ref);
    EXPECT_EQ(parse_node(full_name(ref), kSmall), ref);
  }
}

TEST(Graph, RefusesNamesThatAreNone) {
  for (const char* name : {"", "kq", "kq-12", "kq-", "kq-1x", "inpL-0", "norm-0#2", "result_norm#1", "kq--1", "-0"}) {
    EXPECT_THROW((void)parse_node(name, kSmall), Error) << name;
  }
}

TEST(Graph, Shapes) {
  const auto shape = [](Node node, const char* key) {
    return to_json({node, 0}, kSmall, 9)[key].dump();
  };
  EXPECT_EQ(shape(Node::kQkv, "shape"), "[9,2304]");
  EXPECT_EQ(shape(Node::kQkv, "axes"), R"(["T","3D"])");
  EXPECT_EQ(shape(Node::kQkv, "ggml_shape"), "[2304,9]");
  EXPECT_EQ(shape(Node::kQuery, "shape"), "[12,9,64]");
  EXPECT_EQ(shape(Node::kQuery, "ggml_shape"), "[64,12,9]");
  EXPECT_EQ(shape(Node::kProbabilities, "ggml_shape"), "[9,9,12]");
  EXPECT_EQ(shape(Node::kHeadOutput, "ggml_shape"), "[64,9,12]");
  EXPECT_EQ(shape(Node::kLogits, "shape"), "[9,50257]");
  EXPECT_EQ(shape(Node::kGelu, "axes"), R"(["T","4D"])");
}

TEST(Graph, ViewsLieInTheFusedResult) {
  const auto view = to_json({Node::kValue, 3}, kSmall, 9)["view"];
  EXPECT_EQ(view["base"], "wqkv_b-3");
  EXPECT_EQ(view["offset_elements"], 2 * 768);
  EXPECT_EQ(view["offset_bytes"], 8 * 768);
  EXPECT_EQ(view["strides_bytes"].dump(), "[4,256,9216]");
}

TEST(Graph, EveryFunctionHasAName) {
  std::set<std::string_view> names;
  for (const NodeInfo& node : nodes()) names.insert(name(node.function));
  EXPECT_EQ(names.size(), 13U);
}

TEST(Graph, OperandsAreComputedBefore) {
  for (const NodeInfo& node : nodes()) {
    EXPECT_GT(node.operands.size(), 0U) << node.name;
    for (const Operand& operand : node.operands) {
      const auto* const of = std::get_if<Node>(&operand.source);
      if (of == nullptr) continue;
      EXPECT_LT(*of, node.node) << node.name;
      EXPECT_EQ(operand.head != Index::kNone, info(*of).per_head) << node.name;
    }
  }
}

TEST(Graph, ParametersInTheFormulaAndInTheFile) {
  const WeightInfo& qkv = info(Weight::kQkv);
  EXPECT_EQ(full_name(Weight::kQkv, 3, true), "blk.3.attn_qkv.weight");
  EXPECT_EQ(logical_axes(qkv), (std::vector{Axis::kWidth, Axis::kTripleWidth}));
  EXPECT_EQ(ggml_axes(qkv), (std::vector{Axis::kWidth, Axis::kTripleWidth}));
  EXPECT_EQ(logical_axes(info(Weight::kTokenTable)), (std::vector{Axis::kVocabulary, Axis::kWidth}));
  EXPECT_EQ(full_name(Weight::kOutputTable, 0, true), "token_embd.weight");
  EXPECT_EQ(full_name(Weight::kOutputTable, 0, false), "output.weight");
}

TEST(Graph, EveryWeightIsNeededByOneStage) {
  std::size_t needed = 0;
  for (const StageKind stage : {StageKind::kEmbed, StageKind::kAttention, StageKind::kMlp, StageKind::kLogits}) {
    needed += weights_of(stage).size();
  }
  EXPECT_EQ(needed, weights().size());
}

}  // namespace
}  // namespace headflow::gpt2
