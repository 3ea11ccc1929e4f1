// Head statistics against attention patterns whose means are known.
#include "analysis/heads/head_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.h"

namespace headflow::analysis {
namespace {

// [T, T] with `weight(query, key)` at and below the diagonal.
template <typename Weight>
std::vector<float> causal(std::size_t tokens, Weight weight) {
  std::vector<float> p(tokens * tokens, 0.0f);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t key = 0; key <= t; ++key) p[t * tokens + key] = weight(t, key);
  }
  return p;
}

HeadStatistics statistics_of(std::span<const float> p, std::size_t tokens, std::size_t band_rows) {
  HeadStatisticsBuilder builder(tokens);
  while (builder.rows_added() < tokens) {
    const std::size_t rows = std::min(band_rows, tokens - builder.rows_added());
    builder.add(p.subspan(builder.rows_added() * tokens, rows * tokens));
  }
  return builder.finish();
}

TEST(HeadStatistics, AllOnThePreviousToken) {
  const auto p = causal(5, [](std::size_t t, std::size_t key) { return key + 1 == t || t == 0 ? 1.0f : 0.0f; });
  for (const std::size_t band : {1u, 2u, 5u}) {
    const HeadStatistics statistics = statistics_of(p, 5, band);
    EXPECT_EQ(statistics.previous_token, 1);
    EXPECT_EQ(statistics.first_token, 0.25f);  // Only query 1's previous token is the first.
    EXPECT_EQ(statistics.self, 0);
    EXPECT_EQ(statistics.entropy, 0);
  }
}

TEST(HeadStatistics, AllKeysAlike) {
  const auto p = causal(4, [](std::size_t t, std::size_t) { return 1.0f / static_cast<float>(t + 1); });
  const HeadStatistics statistics = statistics_of(p, 4, 3);
  const float mean = (1.0f / 2 + 1.0f / 3 + 1.0f / 4) / 3;
  EXPECT_FLOAT_EQ(statistics.first_token, mean);
  EXPECT_FLOAT_EQ(statistics.previous_token, mean);
  EXPECT_FLOAT_EQ(statistics.self, mean);
  EXPECT_FLOAT_EQ(statistics.entropy, 1);
}

TEST(HeadStatistics, EntropyIsRelativeToTheVisibleKeys) {
  // Query 2 sees three keys and spreads over two of them.
  const auto p = causal(
      3, [](std::size_t t, std::size_t key) { return t < 2 ? (key == t ? 1.0f : 0.0f) : (key < 2 ? 0.5f : 0.0f); });
  EXPECT_FLOAT_EQ(statistics_of(p, 3, 1).entropy, static_cast<float>(std::log(2.0) / std::log(3.0) / 2));
}

TEST(HeadStatistics, OneTokenHasNone) {
  const HeadStatistics statistics = statistics_of(std::vector<float>{1}, 1, 1);
  EXPECT_TRUE(std::isnan(statistics.first_token));
  EXPECT_TRUE(std::isnan(statistics.entropy));
}

TEST(HeadStatistics, RefusesBandsThatAreNotRows) {
  HeadStatisticsBuilder builder(3);
  EXPECT_THROW(builder.add(std::vector<float>(4)), Error);
  EXPECT_THROW(builder.add(std::vector<float>(12)), Error);
  EXPECT_THROW(static_cast<void>(builder.finish()), Error);
  EXPECT_THROW(HeadStatisticsBuilder(0), Error);
}

}  // namespace
}  // namespace headflow::analysis
