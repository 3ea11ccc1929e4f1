// The distribution over the vocabulary that logits stand for.
#pragma once

#include <span>
#include <vector>

namespace headflow::analysis {

// log softmax of logits [V], in double, with exp as the engine has it; the sum runs in ascending order of ids.
[[nodiscard]] std::vector<double> log_probabilities(std::span<const float> logits);

}  // namespace headflow::analysis
