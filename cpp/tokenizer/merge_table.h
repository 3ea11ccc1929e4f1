// The merges of a byte-pair encoding and their application to one word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace headflow {

class MergeTable {
 public:
  // The next merge in order of rank. False, and nothing is added, if the pair has one already.
  [[nodiscard]] bool add(const Merge& merge);

  [[nodiscard]] const Merge& merge(std::uint32_t rank) const { return merges_[rank]; }
  [[nodiscard]] std::optional<std::uint32_t> rank(TokenId left, TokenId right) const;

  // Replaces a word's pieces by its tokens: while any merge applies, the one of lowest rank is applied to all its
  // occurrences, from left to right. A result must be longer in bytes than its parts, so that a merge never makes
  // an occurrence of itself. O(n log n); returns how many candidate pairs were weighed, at most 3 per piece.
  std::size_t apply(std::vector<TokenId>& pieces) const;
  // The same pass by pass. Takes O(n^2) memory for n pieces.
  [[nodiscard]] std::vector<MergePass> passes(const std::vector<TokenId>& pieces) const;

 private:
  std::vector<Merge> merges_;  // By rank.
  std::unordered_map<std::uint64_t, std::uint32_t> ranks_;
};

}  // namespace headflow
