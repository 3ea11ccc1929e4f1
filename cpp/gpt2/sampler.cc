#include "gpt2/sampler.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "kernels/functions.h"

namespace headflow::gpt2 {

std::vector<Candidate> likeliest(std::span<const float> logits, std::size_t count) {
  if (logits.empty()) return {};
  const float maximum = std::ranges::max(logits);
  double sum = 0;
  for (const float logit : logits) sum += static_cast<double>(kernels::exp(logit - maximum));

  std::vector<TokenId> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  const auto logit_of = [&](TokenId id) { return logits[static_cast<std::size_t>(id)]; };
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), [&](TokenId a, TokenId b) {
    return logit_of(a) > logit_of(b) || (logit_of(a) == logit_of(b) && a < b);
  });

  std::vector<Candidate> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float logit = logit_of(order[i]);
    result.push_back({order[i], logit, static_cast<double>(kernels::exp(logit - maximum)) / sum});
  }
  return result;
}

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

  std::vector<Candidate> kept = likeliest(tempered, options_.top_k == 0 ? tempered.size() : options_.top_k);
  // Top-p looks at the distribution that top-k left.
  double total = 0;
  for (const Candidate& candidate : kept) total += candidate.probability;
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

}  // namespace headflow::gpt2
