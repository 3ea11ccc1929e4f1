#include "analysis/sampling/next_token.h"

#include <algorithm>
#include <numeric>

#include "kernels/functions.h"

namespace headflow::analysis {

std::vector<NextToken> likeliest(std::span<const float> logits, std::size_t count) {
  if (logits.empty()) return {};
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
