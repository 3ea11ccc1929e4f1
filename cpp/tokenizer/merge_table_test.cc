#include "tokenizer/merge_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace headflow {
namespace {

using Pieces = std::vector<TokenId>;

// The algorithm as GPT-2 published it: in each pass the pair of lowest rank, merged wherever it occurs. `passes`: each
// pass's rank, and the pieces after it.
Pieces apply_in_passes(const MergeTable& table, Pieces pieces, std::vector<std::pair<std::uint32_t, Pieces>>& passes) {
  for (;;) {
    std::optional<std::uint32_t> best;
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      const auto rank = table.rank(pieces[i], pieces[i + 1]);
      if (rank && (!best || *rank < *best)) best = rank;
    }
    if (!best) return pieces;
    const Merge& merge = table.merge(*best);
    Pieces merged;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool found = i + 1 < pieces.size() && pieces[i] == merge.left && pieces[i + 1] == merge.right;
      merged.push_back(found ? merge.result : pieces[i]);
      if (found) ++i;
    }
    pieces = merged;
    passes.emplace_back(*best, pieces);
  }
}

// Random merges of random strings over {a, b, c}. Several merges may have one result, and a merge may come before the
// one that makes its parts: all that a file may hold.
MergeTable random_table(std::mt19937& random) {
  std::vector<std::string> tokens = {"a", "b", "c"};
  std::map<std::string, TokenId> ids = {{"a", 0}, {"b", 1}, {"c", 2}};
  std::vector<Merge> merges;
  for (int i = 0; i < 40; ++i) {
    const auto left = static_cast<TokenId>(random() % tokens.size());
    const auto right = static_cast<TokenId>(random() % tokens.size());
    const std::string result = tokens[static_cast<std::size_t>(left)] + tokens[static_cast<std::size_t>(right)];
    if (result.size() > 6) continue;
    const auto [place, is_new] = ids.emplace(result, static_cast<TokenId>(tokens.size()));
    if (is_new) tokens.push_back(result);
    merges.push_back({left, right, place->second});
  }
  std::shuffle(merges.begin(), merges.end(), random);
  MergeTable table;
  for (const Merge& merge : merges) static_cast<void>(table.add(merge));
  return table;
}

// Token 0 is one letter, token i is 2^i of them.
MergeTable doubling_table(TokenId levels) {
  MergeTable table;
  for (TokenId level = 0; level < levels; ++level) {
    EXPECT_TRUE(table.add({level, level, level + 1}));
  }
  return table;
}

TEST(MergeTable, RefusesASecondMergeOfAPair) {
  MergeTable table;
  EXPECT_TRUE(table.add({0, 1, 2}));
  EXPECT_FALSE(table.add({0, 1, 3}));
  EXPECT_EQ(table.rank(0, 1), 0U);
  EXPECT_EQ(table.rank(1, 0), std::nullopt);
}

TEST(MergeTable, LeavesWhatNoMergeFits) {
  MergeTable table;
  ASSERT_TRUE(table.add({0, 1, 2}));
  for (const Pieces& pieces : {Pieces{}, Pieces{0}, Pieces{1, 0}, Pieces{1, 1, 1}}) {
    Pieces merged = pieces;
    table.apply(merged);
    EXPECT_EQ(merged, pieces);
  }
}

TEST(MergeTable, MergesTheLeftOfOverlappingPairs) {
  const MergeTable table = doubling_table(1);
  Pieces pieces = {0, 0, 0};
  table.apply(pieces);
  EXPECT_EQ(pieces, (Pieces{1, 0}));
  pieces = {0, 0, 0, 0, 0};
  table.apply(pieces);
  EXPECT_EQ(pieces, (Pieces{1, 1, 0}));
}

// a b c a b c with "ab c" last and "abc ab" before it: a pass merges both "ab c", though the first of them makes a pair
// of lower rank.
TEST(MergeTable, FinishesAPassBeforeAPairOfLowerRankThatItMakes) {
  enum : TokenId { kA, kB, kC, kAb, kAbc, kAbcab };
  MergeTable table;
  ASSERT_TRUE(table.add({kA, kB, kAb}));
  ASSERT_TRUE(table.add({kAbc, kAb, kAbcab}));
  ASSERT_TRUE(table.add({kAb, kC, kAbc}));
  Pieces pieces = {kA, kB, kC, kA, kB, kC};
  table.apply(pieces);
  EXPECT_EQ(pieces, (Pieces{kAbc, kAbc}));
}

TEST(MergeTable, AgreesWithTheAlgorithmInPasses) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const MergeTable table = random_table(random);
    for (int word = 0; word < 20; ++word) {
      Pieces pieces(random() % 24);
      for (TokenId& piece : pieces) piece = static_cast<TokenId>(random() % 3);
      std::vector<std::pair<std::uint32_t, Pieces>> expected_passes;
      const Pieces expected = apply_in_passes(table, pieces, expected_passes);
      std::vector<std::pair<std::uint32_t, Pieces>> passes;
      for (const MergePass& pass : table.passes(pieces)) {
        passes.emplace_back(pass.rank, pass.pieces);
        ASSERT_EQ(table.rank(pass.merge.left, pass.merge.right), pass.rank);
      }
      ASSERT_EQ(passes, expected_passes) << "round " << round << ", word " << word;
      table.apply(pieces);
      ASSERT_EQ(pieces, expected) << "round " << round << ", word " << word;
    }
  }
}

TEST(MergeTable, WeighsAtMostThreePairsPerPiece) {
  const MergeTable table = doubling_table(20);
  for (const std::size_t length : {1000U, 10'000U, 100'000U}) {
    Pieces pieces(length, 0);
    EXPECT_LE(table.apply(pieces), 3 * length);
    EXPECT_LE(pieces.size(), 20U);
  }
}

}  // namespace
}  // namespace headflow
