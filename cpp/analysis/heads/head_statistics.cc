#include "analysis/heads/head_statistics.h"

#include <cmath>
#include <string>

#include "base/error.h"

namespace headflow::analysis {

namespace {

// In nats; 0 log 0 is 0.
double entropy(std::span<const float> probabilities) {
  double sum = 0;
  for (const float p : probabilities) {
    if (p > 0) sum -= double{p} * std::log(double{p});
  }
  return sum;
}

}  // namespace

HeadStatisticsBuilder::HeadStatisticsBuilder(std::size_t tokens) : tokens_(tokens) {
  if (tokens == 0) {
    throw Error(ErrorCode::kBadArgument, {.where = "tokens of head statistics", .got = "0", .expected = "at least 1"});
  }
}

HeadStatisticsBuilder::HeadStatisticsBuilder(std::span<const TokenId> ids) : HeadStatisticsBuilder(ids.size()) {
  ids_.assign(ids.begin(), ids.end());
}

void HeadStatisticsBuilder::add(std::span<const float> band) {
  if (band.size() % tokens_ != 0 || band.size() / tokens_ > tokens_ - rows_added_) {
    throw Error(ErrorCode::kBadArgument, {.where = "band of head statistics",
                                          .got = std::to_string(band.size()) + " values",
                                          .expected = "at most " + std::to_string(tokens_ - rows_added_) + " rows of " +
                                                      std::to_string(tokens_)});
  }
  for (; !band.empty(); band = band.subspan(tokens_), ++rows_added_) {
    const std::size_t t = rows_added_;
    if (t == 0) continue;  // Query 0 sees nothing but key 0.
    first_token_ += double{band[0]};
    previous_token_ += double{band[t - 1]};
    self_ += double{band[t]};
    entropy_ += entropy(band.first(t + 1)) / std::log(static_cast<double>(t + 1));
    bool repeats = false;
    for (std::size_t key = 1; key <= t && t < ids_.size(); ++key) {
      if (ids_[key - 1] != ids_[t]) continue;
      repeats = true;
      repeats_ += double{band[key]};
    }
    if (repeats) ++repeating_queries_;
  }
}

HeadStatistics HeadStatisticsBuilder::finish() const {
  if (rows_added_ < tokens_) {
    throw Error(ErrorCode::kBadArgument, {.where = "head statistics",
                                          .got = std::to_string(rows_added_) + " rows",
                                          .expected = std::to_string(tokens_)});
  }
  const auto queries = static_cast<double>(tokens_ - 1);
  return {.first_token = static_cast<float>(first_token_ / queries),
          .previous_token = static_cast<float>(previous_token_ / queries),
          .self = static_cast<float>(self_ / queries),
          .entropy = static_cast<float>(entropy_ / queries),
          .repeats = repeating_queries_ == 0
                         ? std::nullopt
                         : std::optional(static_cast<float>(repeats_ / static_cast<double>(repeating_queries_)))};
}

}  // namespace headflow::analysis
