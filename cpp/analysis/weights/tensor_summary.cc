#include "analysis/weights/tensor_summary.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/explanation/stored.h"
#include "base/error.h"
#include "quant/quant.h"

namespace headflow::analysis {
namespace {

// Sums stand in `mean` and `root_mean_square` until all numbers are there.
void extend(NumberSummary& summary, std::span<const float> numbers) {
  for (const float number : numbers) {
    summary.smallest = summary.count == 0 ? number : std::min(summary.smallest, number);
    summary.largest = summary.count == 0 ? number : std::max(summary.largest, number);
    summary.mean += number;
    summary.root_mean_square += static_cast<double>(number) * number;
    ++summary.count;
  }
}

void finish_sums(NumberSummary& summary) {
  const auto count = static_cast<double>(summary.count);
  summary.mean /= count;
  summary.root_mean_square = std::sqrt(summary.root_mean_square / count);
}

void bin(Histogram& histogram, std::span<const float> numbers) {
  const auto bins = static_cast<double>(histogram.counts.size());
  const double width = histogram.high - histogram.low;
  for (const float number : numbers) {
    const double place = width > 0 ? (number - histogram.low) / width * bins : 0;
    ++histogram.counts[static_cast<std::size_t>(std::min(place, bins - 1))];
  }
}

// One per block, of one per element.
std::vector<float> of_blocks(const std::vector<float>& scales) {
  std::vector<float> one_each;
  for (std::size_t i = 0; i < scales.size(); i += quant::kBlockSize) one_each.push_back(scales[i]);
  return one_each;
}

}  // namespace

TensorSummaryOf::TensorSummaryOf(const gpt2::TensorStore& store, std::size_t bins) : store_(&store), bins_(bins) {
  if (bins == 0) throw Error(ErrorCode::kBadArgument, {"bins", "0", "at least 1"});
  if (store.info().type == gguf::TensorType::kQ8_0) summary_.scales.emplace();
}

bool TensorSummaryOf::advance(std::uint64_t work) {
  for (std::uint64_t read = 0; pass_ != Pass::kDone && (read == 0 || read < work); read += store_->columns()) {
    read_row();
    if (++row_ == store_->rows()) end_pass();
  }
  return pass_ == Pass::kDone;
}

void TensorSummaryOf::read_row() {
  const StoredElements row = read_stored(*store_, row_, {0, store_->columns()});
  const std::vector<float> scales = of_blocks(row.scales);
  if (pass_ == Pass::kExtremes) {
    extend(summary_.values, row.values);
    if (summary_.scales) extend(*summary_.scales, scales);
    return;
  }
  bin(summary_.values.histogram, row.values);
  if (summary_.scales) bin(summary_.scales->histogram, scales);
}

void TensorSummaryOf::end_pass() {
  row_ = 0;
  if (pass_ == Pass::kBins) {
    pass_ = Pass::kDone;
    return;
  }
  pass_ = Pass::kBins;
  NumberSummary& values = summary_.values;
  finish_sums(values);
  const double most = std::max(std::abs(values.smallest), std::abs(values.largest));
  values.histogram = {.low = -most, .high = most, .counts = std::vector<std::uint64_t>(bins_)};
  if (!summary_.scales) return;
  NumberSummary& scales = *summary_.scales;
  finish_sums(scales);
  scales.histogram = {.low = scales.smallest, .high = scales.largest, .counts = std::vector<std::uint64_t>(bins_)};
}

}  // namespace headflow::analysis
