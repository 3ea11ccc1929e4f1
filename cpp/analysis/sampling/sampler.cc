#include "analysis/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "analysis/sampling/next_token.h"
#include "base/error.h"

namespace headflow::analysis {

Sampler::Sampler(const SamplerOptions& options) : options_(options), generator_(options.seed) {
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature)) {
    throw Error(ErrorCode::kBadArgument, {"temperature", std::to_string(options.temperature), "0 or more"});
  }
  if (!(options.top_p > 0) || !(options.top_p <= 1)) {
    throw Error(ErrorCode::kBadArgument, {"top-p", std::to_string(options.top_p), "a number above 0, at most 1"});
  }
  generator_.discard(options.skip);
}

Draw Sampler::draw(std::span<const float> logits) {
  Draw draw;
  if (options_.temperature == 0) {
    draw.kept = likeliest(logits, 1);
    draw.id = draw.kept.front().id;
    draw.probability = draw.kept.front().probability = 1;
    draw.tokens_removed_by_top_k = logits.size() - 1;
    return draw;
  }

  (void)likeliest(logits, 1);  // Refuses what is not finite.
  std::vector<float> tempered(logits.begin(), logits.end());
  const float maximum = std::ranges::max(logits);
  // So small a temperature as 1e-50 is 0 as a float: the smallest that is none takes its place. A quotient that no
  // float holds is the end of their range.
  const float temperature = std::max(std::numeric_limits<float>::min(), static_cast<float>(options_.temperature));
  for (float& logit : tempered) {
    logit = std::max(std::numeric_limits<float>::lowest(), (logit - maximum) / temperature);
  }

  draw.kept = likeliest(tempered, options_.top_k == 0 ? tempered.size() : options_.top_k);
  // Top-p looks at the distribution that top-k left.
  double total = 0;
  for (const NextToken& candidate : draw.kept) total += candidate.probability;
  double reached = 0;
  std::size_t size = 0;
  while (size < draw.kept.size() && (size == 0 || reached < options_.top_p * total)) {
    reached += draw.kept[size++].probability;
  }
  draw.tokens_removed_by_top_k = tempered.size() - draw.kept.size();
  if (draw.tokens_removed_by_top_k > 0) draw.removed_by_top_k = 1 - total;
  draw.tokens_removed_by_top_p = draw.kept.size() - size;
  if (draw.tokens_removed_by_top_p > 0) draw.removed_by_top_p = total - reached;
  draw.kept.resize(size);

  // 53 random bits as a number in [0, 1); the standard fixes the generator's output, so draws repeat everywhere.
  double remaining = static_cast<double>(generator_() >> 11) * 0x1p-53 * reached;
  std::size_t drawn = 0;
  for (; drawn + 1 < size; ++drawn) {
    remaining -= draw.kept[drawn].probability;
    if (remaining < 0) break;
  }
  for (NextToken& candidate : draw.kept) candidate.probability /= reached;
  draw.id = draw.kept[drawn].id;
  draw.probability = draw.kept[drawn].probability;
  return draw;
}

}  // namespace headflow::analysis
