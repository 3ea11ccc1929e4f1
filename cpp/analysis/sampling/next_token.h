// The likeliest next tokens, with probabilities over the full vocabulary.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace headflow::analysis {

struct NextToken {
  TokenId id = 0;
  float logit = 0;
  double probability = 0;  // e^(logit - max) / sum over all logits, ascending in double
};

// The `count` greatest logits (fewer where there are fewer), the greatest first, equal ones by id.
// Throws Error (bad_weights) where one is not finite.
[[nodiscard]] std::vector<NextToken> likeliest(std::span<const float> logits, std::size_t count);

}  // namespace headflow::analysis
