// Regions against the whole tensors that a session hands out.
#include "analysis/pooling/region.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "base/error.h"
#include "gpt2/testing/fixture.h"

namespace headflow::analysis {
namespace {

using gpt2::Node;
using gpt2::NodeRef;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

class RegionTest : public ::testing::Test {
 protected:
  RegionTest() : session_(gpt2::testing::mini_model()) {
    session_.set_tokens(std::vector<TokenId>{5, 3, 8, 8, 1, 0, 2});
    const gpt2::RowRange rows{0, session_.tokens().size()};
    while (!session_.advance({{gpt2::StageKind::kAttention, 1}, rows}, kUnlimited).done ||
           !session_.advance({{gpt2::StageKind::kMlp, 1}, rows}, kUnlimited).done) {
    }
  }

  [[nodiscard]] std::size_t width(Node node) const {
    return gpt2::length(gpt2::info(node).columns, session_.model().config(), session_.tokens().size());
  }

  gpt2::Session session_;
};

TEST_F(RegionTest, IsThatPartOfTheTensor) {
  for (const Node node : {Node::kAttentionNorm, Node::kQkv, Node::kQuery, Node::kScores, Node::kProbabilities,
                          Node::kGelu, Node::kBlockOutput, Node::kLogits}) {
    const NodeRef ref{node, gpt2::info(node).per_block ? 1u : 0u};
    const std::size_t head = gpt2::info(node).per_head ? 1 : 0;
    const std::size_t columns = width(node);
    std::vector<float> whole(7 * columns);
    session_.read(ref, head, 0, 7, whole);

    for (const Interval rows : {Interval{0, 7}, Interval{2, 3}, Interval{5, 7}}) {
      for (const Interval part : {Interval{0, columns}, Interval{1, 4}, Interval{columns - 1, columns}}) {
        const Region region{ref, head, rows, part};
        std::vector<float> values(region.size());
        read(session_, region, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::size_t row = rows.first + i / part.size();
          const std::size_t column = part.first + i % part.size();
          ASSERT_EQ(values[i], whole[row * columns + column]) << gpt2::full_name(ref) << " " << row << " " << column;
        }
      }
    }
  }
}

TEST_F(RegionTest, RefusesWhatIsOutsideTheTensor) {
  const auto checked = [&](Region region) {
    check(session_, region);
  };
  EXPECT_NO_THROW(checked({{Node::kProbabilities, 1}, 1, {0, 7}, {0, 7}}));
  EXPECT_THROW(checked({{Node::kProbabilities, 1}, 0, {0, 8}, {0, 7}}), Error);
  EXPECT_THROW(checked({{Node::kProbabilities, 1}, 0, {0, 7}, {0, 8}}), Error);
  EXPECT_THROW(checked({{Node::kProbabilities, 1}, 0, {3, 3}, {0, 7}}), Error);
  EXPECT_THROW(checked({{Node::kProbabilities, 1}, 0, {4, 3}, {0, 7}}), Error);
  EXPECT_THROW(checked({{Node::kProbabilities, 1}, 1000, {0, 7}, {0, 7}}), Error);
  EXPECT_NO_THROW(checked({{Node::kQkv, 1}, 1000, {0, 7}, {0, 7}}));  // It has no heads.
}

TEST_F(RegionTest, RefusesWhatIsNotRecorded) {
  std::vector<float> values(7 * 7);
  try {
    read(session_, {{Node::kProbabilities, 0}, 0, {0, 7}, {0, 7}}, values);
    FAIL() << "block 0 was not recorded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotLoaded);
  }
}

TEST_F(RegionTest, RowsFitTheWork) {
  const gpt2::Config& config = session_.model().config();
  const std::uint64_t score_row = 7 * config.head_dim;
  const Region scores{{Node::kScores, 1}, 0, {0, 7}, {0, 2}};
  EXPECT_EQ(rows_within(session_, scores, 0), 1u);
  EXPECT_EQ(rows_within(session_, scores, 2 * score_row - 1), 1u);
  EXPECT_EQ(rows_within(session_, scores, 3 * score_row), 3u);
  EXPECT_EQ(rows_within(session_, scores, kUnlimited), 7u);
  EXPECT_EQ(rows_within(session_, {{Node::kLogits, 0}, 0, {2, 6}, {0, 1}},
                        2 * config.vocabulary_size * config.embedding_length),
            2u);
}

}  // namespace
}  // namespace headflow::analysis
