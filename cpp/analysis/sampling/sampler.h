// From logits to a token: temperature, top-k and top-p as separate steps, then one draw from a seeded generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "tokenizer/tokenizer.h"

namespace headflow::analysis {

struct SamplerOptions {
  double temperature = 0;  // 0: the likeliest token, no draw.
  std::size_t top_k = 0;   // 0: all.
  double top_p = 1;        // The fewest likeliest tokens whose probabilities reach this sum.
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

}  // namespace headflow::analysis
