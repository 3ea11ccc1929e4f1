#include "analysis/sampling/distribution.h"

#include <algorithm>
#include <cmath>

#include "kernels/functions.h"

namespace headflow::analysis {

std::vector<double> log_probabilities(std::span<const float> logits) {
  if (logits.empty()) return {};
  const float maximum = std::ranges::max(logits);
  double sum = 0;
  for (const float logit : logits) sum += double{kernels::exp(logit - maximum)};
  const double log_sum = std::log(sum);
  std::vector<double> result;
  result.reserve(logits.size());
  for (const float logit : logits) result.push_back(double{logit - maximum} - log_sum);
  return result;
}

}  // namespace headflow::analysis
