#include "analysis/sampling/sampler.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/sampling/next_token.h"
#include "base/error.h"

namespace headflow::analysis {

Sampler::Sampler(const SamplerOptions& options) : options_(options), generator_(options.seed) {
  if (!(options.temperature >= 0)) {
    throw Error(ErrorCode::kBadArgument, {"temperature", std::to_string(options.temperature), "0 or more"});
  }
  if (!(options.top_p > 0) || !(options.top_p <= 1)) {
    throw Error(ErrorCode::kBadArgument, {"top-p", std::to_string(options.top_p), "a number above 0, at most 1"});
  }
}

TokenId Sampler::next(std::span<const float> logits) {
  if (options_.temperature == 0) return likeliest(logits, 1).front().id;

  std::vector<float> tempered(logits.begin(), logits.end());
  const float maximum = std::ranges::max(logits);
  const auto temperature = static_cast<float>(options_.temperature);
  for (float& logit : tempered) logit = (logit - maximum) / temperature;

  std::vector<NextToken> kept = likeliest(tempered, options_.top_k == 0 ? tempered.size() : options_.top_k);
  // Top-p looks at the distribution that top-k left.
  double total = 0;
  for (const NextToken& candidate : kept) total += candidate.probability;
  double reached = 0;
  std::size_t size = 0;
  while (size < kept.size() && (size == 0 || reached < options_.top_p * total)) reached += kept[size++].probability;

  // 53 random bits as a number in [0, 1); the standard fixes the generator's output, so draws repeat everywhere.
  double remaining = static_cast<double>(generator_() >> 11) * 0x1p-53 * reached;
  for (std::size_t i = 0; i < size; ++i) {
    remaining -= kept[i].probability;
    if (remaining < 0) return kept[i].id;
  }
  return kept[size - 1].id;
}

}  // namespace headflow::analysis
