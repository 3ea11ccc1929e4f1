// Summaries of tensors: against numbers read from the file's own bytes, without the engine's decoding.

#include "analysis/weights/tensor_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "gpt2/testing/fixture.h"

namespace headflow::analysis {
namespace {

using gpt2::Weight;

constexpr std::size_t kBins = 16;

// fp16 by its definition: sign, five bits of exponent, ten of fraction.
double half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

struct Numbers {
  std::vector<double> values;
  std::vector<double> scales;
};

// Blocks of a scale and 32 codes.
Numbers read_q8_0(std::span<const std::byte> bytes) {
  Numbers numbers;
  for (std::size_t at = 0; at < bytes.size(); at += 34) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, &bytes[at], 2);
    numbers.scales.push_back(half(bits));
    for (std::size_t i = 0; i < 32; ++i) {
      numbers.values.push_back(static_cast<std::int8_t>(bytes[at + 2 + i]) * numbers.scales.back());
    }
  }
  return numbers;
}

void expect_summary(const NumberSummary& found, const std::vector<double>& numbers) {
  const auto [smallest, largest] = std::ranges::minmax(numbers);
  const auto count = static_cast<double>(numbers.size());
  EXPECT_EQ(found.count, numbers.size());
  EXPECT_EQ(found.smallest, smallest);
  EXPECT_EQ(found.largest, largest);
  EXPECT_NEAR(found.mean, std::accumulate(numbers.begin(), numbers.end(), 0.0) / count, 1e-12);
  const double squares = std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0);
  EXPECT_NEAR(found.root_mean_square, std::sqrt(squares / count), 1e-12);
  // A number belongs to the bin whose edges it lies between.
  const Histogram& bins = found.histogram;
  ASSERT_EQ(bins.counts.size(), kBins);
  const double width = (bins.high - bins.low) / kBins;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double low = bins.low + width * static_cast<double>(bin);
    const bool last = bin + 1 == kBins;
    const auto within =
        std::ranges::count_if(numbers, [&](double number) { return number >= low && (last || number < low + width); });
    EXPECT_NEAR(static_cast<double>(bins.counts[bin]), static_cast<double>(within), 1) << "bin " << bin;
  }
  EXPECT_EQ(std::accumulate(bins.counts.begin(), bins.counts.end(), std::uint64_t{0}), numbers.size());
}

TensorSummary summary_of(const gpt2::TensorStore& store, std::uint64_t work) {
  TensorSummaryOf query(store, kBins);
  while (!query.advance(work)) {
  }
  return query.result();
}

TEST(TensorSummary, ValuesAndScalesOfBlocks) {
  const auto model = gpt2::testing::mini_model();
  const gpt2::TensorStore& store = model->tensor(Weight::kQkv, 1);
  std::vector<std::byte> bytes(store.info().size);
  store.read_bytes(store.bytes(0, 1).begin, bytes);
  const Numbers numbers = read_q8_0(bytes);
  for (const std::uint64_t work : {std::uint64_t{1}, std::uint64_t{1} << 40}) {
    const TensorSummary found = summary_of(store, work);
    expect_summary(found.values, numbers.values);
    EXPECT_EQ(found.values.histogram.low, -found.values.histogram.high);
    ASSERT_TRUE(found.scales);
    expect_summary(*found.scales, numbers.scales);
  }
}

TEST(TensorSummary, FloatsHaveNoScales) {
  const auto model = gpt2::testing::mini_model();
  const gpt2::TensorStore& store = model->tensor(Weight::kQkvBias, 0);
  std::vector<std::byte> bytes(store.info().size);
  store.read_bytes(store.bytes(0, 1).begin, bytes);
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  const TensorSummary found = summary_of(store, 1);
  expect_summary(found.values, {floats.begin(), floats.end()});
  EXPECT_FALSE(found.scales);
}

TEST(TensorSummary, RefusesNoBinsAndWhatIsNotLoaded) {
  const auto model = gpt2::testing::mini_model();
  EXPECT_THROW(TensorSummaryOf(model->tensor(Weight::kQkv, 0), 0), Error);
  const gpt2::Model empty(model->header());
  TensorSummaryOf query(empty.tensor(Weight::kQkv, 0), kBins);
  EXPECT_THROW(query.advance(1), Error);
}

}  // namespace
}  // namespace headflow::analysis
