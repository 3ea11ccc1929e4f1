// From logits to a token: temperature, top-k and top-p as separate steps, then one draw from a seeded generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace headflow::gpt2 {

struct Candidate {
  TokenId id = 0;
  float logit = 0;
  double probability = 0;
};

// Softmax over the full vocabulary of logits [V], in double; then the `count` likeliest, likeliest first, the lower id
// first among equals. Probabilities are not renormalised over those that are kept.
[[nodiscard]] std::vector<Candidate> likeliest(std::span<const float> logits, std::size_t count);

struct SamplerOptions {
  double temperature = 0;   // 0: the likeliest token, no draw.
  std::size_t top_k = 0;    // 0: all.
  double top_p = 1;         // The fewest likeliest tokens whose probabilities reach this sum.
  std::uint64_t seed = 0;
};

class Sampler {
 public:
  // Throws Error (bad_argument) for a negative temperature and for top_p outside (0, 1].
  explicit Sampler(const SamplerOptions& options);

  // Draws the next token from logits [V]. The same seed and logits give the same tokens on every machine.
  [[nodiscard]] TokenId next(std::span<const float> logits);

 private:
  SamplerOptions options_;
  std::mt19937_64 generator_;
};

}  // namespace headflow::gpt2
