// From logits to a token: temperature, top-k and top-p as separate steps, then one draw from a seeded generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "analysis/sampling/next_token.h"
#include "tokenizer/tokenizer.h"

namespace headflow::analysis {

struct SamplerOptions {
  double temperature = 0;  // 0: the likeliest token, no draw.
  std::size_t top_k = 0;   // 0: all.
  double top_p = 1;        // The fewest likeliest tokens whose probabilities reach this sum.
  std::uint64_t seed = 0;
  std::uint64_t skip = 0;  // Draws of this seed that were made before: the first one here is the next of them.
};

// One draw: what each step has removed, and what was drawn from.
struct Draw {
  TokenId id = 0;
  double probability = 0;  // With which it was drawn; 1 at temperature 0.
  // The probability, after the temperature, of what top-k and then top-p have removed, and how many tokens.
  double removed_by_top_k = 0;
  std::size_t tokens_removed_by_top_k = 0;
  double removed_by_top_p = 0;
  std::size_t tokens_removed_by_top_p = 0;
  // The likeliest first; their probabilities sum to 1. At temperature 0 the likeliest alone.
  std::vector<NextToken> kept;
};

class Sampler {
 public:
  // Throws Error (bad_argument) for a negative temperature and for top_p outside (0, 1].
  explicit Sampler(const SamplerOptions& options);

  // Draws the next token from logits [V]. The same seed and logits give the same tokens on every machine.
  [[nodiscard]] Draw draw(std::span<const float> logits);
  [[nodiscard]] TokenId next(std::span<const float> logits) { return draw(logits).id; }

 private:
  SamplerOptions options_;
  std::mt19937_64 generator_;
};

}  // namespace headflow::analysis
