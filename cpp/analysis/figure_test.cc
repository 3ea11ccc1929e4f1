// A figure asked once gives the bits that reading piece by piece gives, however it is sliced, and in two parts.
#include "analysis/figure.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "base/error.h"
#include "gpt2/testing/fixture.h"

namespace headflow::analysis {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
const std::vector<TokenId> kTokens = {5, 3, 8, 8, 1, 0, 2, 17, 30};

FigureRequest request_of(std::size_t next) {
  const std::size_t count = kTokens.size();
  const Region norm{{gpt2::Node::kAttentionNorm, 1}, 0, {0, count}, {0, 64}};
  const Region weights{{gpt2::Node::kProbabilities, 1}, 2, {4, 5}, {0, count}};
  return {.tokens = kTokens,
          .edits = {},
          .pictures = {{norm, 4, 8}},
          .regions = {weights},
          .heads_of = 1,
          .thumbnail = 3,
          .next = next};
}

struct Parts {
  std::vector<Figure> parts;
  std::size_t slices = 0;
};

Parts run(const std::shared_ptr<gpt2::Session>& session, const FigureRequest& request, std::uint64_t work) {
  FigureQuery query(session, request);
  Parts found;
  for (bool done = false; !done; ++found.slices) {
    done = query.advance(work).done;
    if (!done && query.ready()) found.parts.push_back(query.take());
  }
  found.parts.push_back(query.take());
  return found;
}

std::shared_ptr<gpt2::Session> new_session() {
  return std::make_shared<gpt2::Session>(gpt2::testing::mini_model());
}

TEST(Figure, GivesTheValuesOfTheSessionInTwoParts) {
  const auto session = new_session();
  const auto [parts, slices] = run(session, request_of(4), kUnlimited);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_FALSE(parts[0].last);
  EXPECT_TRUE(parts[1].last);
  ASSERT_EQ(parts[0].pictures.size(), 1u);
  EXPECT_EQ(parts[0].pictures[0].height, 3u);
  EXPECT_EQ(parts[0].heads.size(), 4u);
  EXPECT_EQ(parts[0].thumbnails.size(), 4u);
  EXPECT_TRUE(parts[0].next.empty());
  EXPECT_TRUE(parts[1].pictures.empty());

  gpt2::Session other(gpt2::testing::mini_model());
  other.set_tokens(kTokens);
  while (!other.advance(gpt2::goal_for({gpt2::Node::kProbabilities, 1}, {4, 5}), kUnlimited).done) {
  }
  std::vector<float> row(kTokens.size());
  other.read({gpt2::Node::kProbabilities, 1}, 2, 4, 5, row);
  EXPECT_EQ(parts[0].regions, std::vector<std::vector<float>>{row});

  std::vector<float> logits(other.model().config().vocabulary_size);
  const std::size_t last = kTokens.size() - 1;
  while (!other.advance(gpt2::goal_for({gpt2::Node::kLogits, 0}, {last, last + 1}), kUnlimited).done) {
  }
  other.read({gpt2::Node::kLogits, 0}, 0, last, last + 1, logits);
  const std::vector<NextToken> expected = likeliest(logits, 4);
  ASSERT_EQ(parts[1].next.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(parts[1].next[i].id, expected[i].id);
    EXPECT_EQ(parts[1].next[i].logit, expected[i].logit);
  }
}

TEST(Figure, GivesTheSameInSlicesOfAnySize) {
  const auto [whole, few] = run(new_session(), request_of(4), kUnlimited);
  const auto [sliced, many] = run(new_session(), request_of(4), 1000);
  EXPECT_GT(many, few);
  ASSERT_EQ(sliced.size(), 2u);
  EXPECT_EQ(sliced[0].pictures[0].values, whole[0].pictures[0].values);
  EXPECT_EQ(sliced[0].regions, whole[0].regions);
  EXPECT_EQ(sliced[0].heads[3].entropy, whole[0].heads[3].entropy);
  EXPECT_EQ(sliced[0].thumbnails[3].values, whole[0].thumbnails[3].values);
  EXPECT_EQ(sliced[1].next[0].logit, whole[1].next[0].logit);
}

TEST(Figure, WithoutNextTokensIsOnePart) {
  const auto [parts, slices] = run(new_session(), request_of(0), kUnlimited);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].last);
}

TEST(Figure, EditsChangeWhatIsShown) {
  FigureRequest edited = request_of(1);
  edited.edits = {{.block = 0, .head = 1, .kind = gpt2::EditKind::kZero}};
  const auto session = new_session();
  const auto [with, slices] = run(session, edited, kUnlimited);
  EXPECT_EQ(session->edits().size(), 1u);
  const auto [without, others] = run(session, request_of(1), kUnlimited);
  EXPECT_NE(with[0].regions, without[0].regions);
  EXPECT_TRUE(session->edits().empty());
}

TEST(Figure, WhatIsRefusedLeavesTheSessionAsItWas) {
  const auto session = new_session();
  run(session, request_of(0), kUnlimited);
  FigureRequest bad = request_of(0);
  bad.edits = {{.block = 0, .head = 1, .kind = gpt2::EditKind::kZero}};
  bad.tokens = {1, 100000};
  EXPECT_THROW(FigureQuery(session, bad), Error);
  EXPECT_TRUE(session->edits().empty());
  EXPECT_EQ(std::vector<TokenId>(session->tokens().begin(), session->tokens().end()), kTokens);
}

}  // namespace
}  // namespace headflow::analysis
