// Cells as text: what is read is what is written, and what is no cell is refused.
#include "analysis/explanation/cell.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "gpt2/testing/fixture.h"

namespace headflow::analysis {
namespace {

using gpt2::Node;
using gpt2::NodeRef;

class CellTest : public ::testing::Test {
 protected:
  [[nodiscard]] Cell parse(const std::string& text) const { return parse_cell(text, *model_, kTokens); }

  static constexpr std::size_t kTokens = 3;
  std::shared_ptr<gpt2::Model> model_ = gpt2::testing::mini_model();
};

TEST_F(CellTest, ReadsLogicalIndices) {
  EXPECT_EQ(parse("kq_soft_max-0[3,1,0]"), (Cell{NodeRef{Node::kProbabilities, 0}, 3, 1, 0}));
  EXPECT_EQ(parse("norm-1#1[2,63]"), (Cell{NodeRef{Node::kMlpNorm, 1}, std::nullopt, 2, 63}));
  EXPECT_EQ(parse("norm[2,63]"), (Cell{NodeRef{Node::kFinalNorm, 0}, std::nullopt, 2, 63}));
  EXPECT_EQ(parse("attn_out_mm-1[2,63]"), (Cell{NodeRef{Node::kProjectionProduct, 1}, std::nullopt, 2, 63}));
  EXPECT_EQ(parse("attn_out_mm-1[3,2,63]"), (Cell{NodeRef{Node::kProjectionProduct, 1}, 3, 2, 63}));
  EXPECT_EQ(parse("blk.0.attn_qkv.weight[191,63]"), (Cell{"blk.0.attn_qkv.weight", std::nullopt, 191, 63}));
  EXPECT_EQ(parse("blk.0.attn_qkv.bias[191]"), (Cell{"blk.0.attn_qkv.bias", std::nullopt, 0, 191}));
}

TEST_F(CellTest, WritesWhatItReads) {
  for (const std::string text : {"kq_soft_max-0[0,1,0]", "l_out-1[0,5]", "inpL[2,0]", "result_output[1,271]",
                                 "attn_out_mm-0[1,0,0]", "token_embd.weight[271,1]", "output_norm.bias[9]"}) {
    EXPECT_EQ(analysis::text(parse(text), *model_), text);
  }
}

TEST_F(CellTest, RefusesWhatIsNoCell) {
  for (const std::string text : {"",
                                 "kq-0",
                                 "kq-0[",
                                 "kq-0[]",
                                 "kq-0[0,0]",
                                 "kq-0[0,0,0,0]",
                                 "kq-0[4,0,0]",
                                 "kq-0[0,3,0]",
                                 "kq-0[0,0,3]",
                                 "kq-0[0,0,-1]",
                                 "kq-0[0,0,1.5]",
                                 "kq-0[0,,0]",
                                 "kq-0[0,0,0",
                                 "kq-2[0,0,0]",
                                 "none[0,0]",
                                 "l_out-1[0,64]",
                                 "attn_out-0[0,0,0]",
                                 "token_embd.weight[272,0]",
                                 "blk.0.attn_qkv.bias[0,0]",
                                 "kq-0[0,0,99999999999999999999]"}) {
    EXPECT_THROW(static_cast<void>(parse(text)), Error) << text;
  }
}

TEST(Line, GoesAlongItsOneLongAxis) {
  const NodeRef node{Node::kValue, 0};
  const Line down{node, Interval{2, 3}, {0, 4}, {5, 6}};
  EXPECT_EQ(down.size(), 4u);
  EXPECT_EQ(down.at(3), (Cell{node, 2, 3, 5}));
  const Line heads{NodeRef{Node::kProjectionProduct, 0}, Interval{0, 4}, {1, 2}, {5, 6}};
  EXPECT_EQ(heads.at(3).head, 3u);
  const Line along{node, std::nullopt, {1, 2}, {16, 32}};
  EXPECT_EQ(along.at(15), (Cell{node, std::nullopt, 1, 31}));
}

}  // namespace
}  // namespace headflow::analysis
