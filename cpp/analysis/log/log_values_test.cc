// What the log shows of a tensor, against the whole tensors that a session hands out; the same however it is sliced.
#include "analysis/log/log_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.h"
#include "gpt2/testing/fixture.h"

namespace headflow::analysis {
namespace {

using gpt2::Node;
using gpt2::NodeRef;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

TEST(LogRow, FollowsTheGgmlShape) {
  const std::vector<std::size_t> views = {64, 12, 2};
  EXPECT_EQ(log_row_count(views), 24U);
  EXPECT_EQ(log_row({Node::kQuery, 0}, views, 13).head, 1U);
  EXPECT_EQ(log_row({Node::kQuery, 0}, views, 13).token, 1U);
  const std::vector<std::size_t> scores = {2, 2, 12};
  EXPECT_EQ(log_row({Node::kScores, 0}, scores, 3).head, 1U);
  EXPECT_EQ(log_row({Node::kScores, 0}, scores, 3).token, 1U);
  const std::vector<std::size_t> input = {64, 2};
  EXPECT_EQ(log_row_count(input), 2U);
  EXPECT_EQ(log_row({Node::kInput, 0}, input, 1).token, 1U);
}

class LogValuesTest : public ::testing::Test {
 protected:
  LogValuesTest() : session_(gpt2::testing::mini_model()) {
    session_.set_tokens(std::vector<TokenId>{5, 3, 8, 8, 1, 0, 2});
    const gpt2::RowRange rows{0, session_.tokens().size()};
    gpt2::testing::run(session_, {{gpt2::StageKind::kAttention, 1}, rows});
    gpt2::testing::run(session_, {{gpt2::StageKind::kMlp, 1}, rows});
  }

  [[nodiscard]] LogValues read(NodeRef ref, std::uint64_t work) const {
    LogValues values(session_, ref);
    while (!values.advance(session_, work)) {
    }
    return values;
  }

  gpt2::Session session_;
};

TEST_F(LogValuesTest, ShowsTheEndsAndSumsAll) {
  for (const Node node : {Node::kInput, Node::kQkv, Node::kKey, Node::kScores, Node::kConcat, Node::kBlockOutput}) {
    const NodeRef ref{node, gpt2::info(node).per_block ? 1U : 0U};
    const LogValues shown = read(ref, kUnlimited);
    // Logical order: [head, token, column].
    const std::vector<float> all = gpt2::testing::node_values(session_, ref);
    const gpt2::NodeInfo& info = gpt2::info(node);
    const std::size_t tokens = session_.tokens().size();
    const std::size_t width = gpt2::length(info.columns, session_.model().config(), tokens);
    const std::size_t heads = info.per_head ? session_.model().config().head_count : 1;
    double sum = 0;
    for (const float value : all) sum += static_cast<double>(value);
    EXPECT_NEAR(shown.sum(), sum, 1e-9 * static_cast<double>(all.size())) << gpt2::full_name(ref);
    ASSERT_EQ(shown.values().size(), shown.rows().size() * shown.columns().size());
    EXPECT_EQ(shown.rows().back(), heads * tokens - 1);
    EXPECT_EQ(shown.columns().back(), width - 1);
    for (std::size_t r = 0; r < shown.rows().size(); ++r) {
      const std::size_t row = shown.rows()[r];
      // In memory Q, K and V alternate their heads within a token.
      const std::size_t head = info.view ? row % heads : row / tokens;
      const std::size_t token = info.view ? row / heads : row % tokens;
      for (std::size_t c = 0; c < shown.columns().size(); ++c) {
        EXPECT_EQ(shown.values()[r * shown.columns().size() + c],
                  all[(head * tokens + token) * width + shown.columns()[c]])
            << gpt2::full_name(ref) << ' ' << row;
      }
    }
  }
}

TEST_F(LogValuesTest, IsTheSameInSlices) {
  for (const Node node : {Node::kQuery, Node::kScores, Node::kGelu}) {
    const LogValues whole = read({node, 1}, kUnlimited);
    const LogValues sliced = read({node, 1}, 1);
    EXPECT_EQ(whole.sum(), sliced.sum());
    EXPECT_TRUE(std::ranges::equal(whole.values(), sliced.values()));
  }
}

TEST_F(LogValuesTest, OfFewAllAreShown) {
  session_.set_tokens(std::vector<TokenId>{5, 3});
  gpt2::testing::run(session_, {{gpt2::StageKind::kAttention, 0}, {0, session_.tokens().size()}});
  const LogValues scores = read({Node::kScores, 0}, kUnlimited);
  EXPECT_EQ(std::vector<std::size_t>(scores.columns().begin(), scores.columns().end()),
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(std::vector<std::size_t>(scores.rows().begin(), scores.rows().end()),
            (std::vector<std::size_t>{0, 1, 2, 5, 6, 7}));
}

TEST_F(LogValuesTest, RefusesWhatWasNotComputed) {
  LogValues values(session_, {Node::kScores, 0});
  EXPECT_THROW((void)values.advance(session_, 1), Error);
}

}  // namespace
}  // namespace headflow::analysis
