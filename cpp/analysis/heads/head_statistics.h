// What a head does on this prompt: means over its attention probabilities. A measurement, never a role.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace headflow::analysis {

// Means over queries 1 .. T-1; NaN for a single token, where there are none.
struct HeadStatistics {
  float first_token = 0;     // Weight on key 0.
  float previous_token = 0;  // Weight on key t-1.
  float self = 0;            // Weight on key t.
  float entropy = 0;         // Entropy over log(visible keys): 0 is one key, 1 is all alike.
  // Weight on the keys just after an earlier occurrence of the query's token: a mean over the queries that have one;
  // absent where none has, or the tokens are not known.
  std::optional<float> repeats;
};

// Takes one head's probabilities, [T, T], in bands of whole rows from the top.
class HeadStatisticsBuilder {
 public:
  // Throws Error (bad_argument) for 0 tokens.
  explicit HeadStatisticsBuilder(std::size_t tokens);
  // Of these tokens, so that repeats can be found.
  explicit HeadStatisticsBuilder(std::span<const TokenId> ids);

  // The next rows. Throws Error (bad_argument) for more than are left, or a band that isn't of whole rows.
  void add(std::span<const float> band);
  [[nodiscard]] std::size_t rows_added() const noexcept { return rows_added_; }

  // Once all rows were added.
  [[nodiscard]] HeadStatistics finish() const;

 private:
  std::size_t tokens_;
  std::size_t rows_added_ = 0;
  double first_token_ = 0;
  double previous_token_ = 0;
  double self_ = 0;
  double entropy_ = 0;
  std::vector<TokenId> ids_;  // Empty where they are not known.
  double repeats_ = 0;
  std::size_t repeating_queries_ = 0;
};

}  // namespace headflow::analysis
