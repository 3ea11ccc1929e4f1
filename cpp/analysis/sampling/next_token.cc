#include "analysis/sampling/next_token.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.h"
#include "kernels/functions.h"

namespace headflow::analysis {

namespace {

void require_finite(std::span<const float> logits) {
  const auto found = std::ranges::find_if(logits, [](float logit) { return !std::isfinite(logit); });
  if (found == logits.end()) return;
  throw Error(ErrorCode::kBadWeights, {"logit of token " + std::to_string(found - logits.begin()),
                                       std::isnan(*found) ? "not a number" : "infinity", "finite numbers",
                                       "The weights are so large that products with them overflow"});
}

}  // namespace

std::vector<NextToken> likeliest(std::span<const float> logits, std::size_t count) {
  if (logits.empty()) return {};
  require_finite(logits);
  const float maximum = std::ranges::max(logits);
  double sum = 0;
  for (const float logit : logits) sum += double{kernels::exp(logit - maximum)};

  std::vector<TokenId> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto logit_of = [&](TokenId id) {
    return logits[static_cast<std::size_t>(id)];
  };
  const auto likelier = [&](TokenId a, TokenId b) {
    return logit_of(a) != logit_of(b) ? logit_of(a) > logit_of(b) : a < b;
  };
  const std::size_t kept = std::min(count, ids.size());
  std::ranges::partial_sort(ids, ids.begin() + static_cast<std::ptrdiff_t>(kept), likelier);

  std::vector<NextToken> tokens;
  for (const TokenId id : std::span(ids).first(kept)) {
    tokens.push_back({id, logit_of(id), double{kernels::exp(logit_of(id) - maximum)} / sum});
  }
  return tokens;
}

}  // namespace headflow::analysis
