#include "analysis/log/log_values.h"

#include <algorithm>
#include <numeric>

#include "analysis/pooling/region.h"

namespace headflow::analysis {
namespace {

constexpr std::size_t kEnds = 3;  // Shown at each end.

// Indices 0 .. count-1; of many only those at the ends.
std::vector<std::size_t> ends(std::size_t count) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < std::min(count, kEnds); ++i) indices.push_back(i);
  for (std::size_t i = std::max(kEnds, count - std::min(count, kEnds)); i < count; ++i) indices.push_back(i);
  return indices;
}

std::vector<std::size_t> ggml_shape(const gpt2::Session& session, gpt2::Node node) {
  std::vector<std::size_t> shape;
  for (const gpt2::Axis axis : gpt2::ggml_axes(gpt2::info(node))) {
    shape.push_back(gpt2::length(axis, session.model().config(), session.tokens().size()));
  }
  return shape;
}

}  // namespace

LogRow log_row(gpt2::NodeRef ref, std::span<const std::size_t> ggml_shape, std::size_t row) {
  const gpt2::NodeInfo& info = gpt2::info(ref.node);
  if (!info.per_head) return {0, row};
  const std::size_t inner = row % ggml_shape[1];
  const std::size_t outer = row / ggml_shape[1];
  // Q, K and V lie token by token, each with its heads; all else head by head.
  return info.view ? LogRow{inner, outer} : LogRow{outer, inner};
}

std::size_t log_row_count(std::span<const std::size_t> ggml_shape) {
  std::size_t rows = 1;
  for (const std::size_t length : ggml_shape.subspan(1)) rows *= length;
  return rows;
}

LogValues::LogValues(const gpt2::Session& session, gpt2::NodeRef ref)
    : ref_(ref),
      shape_(ggml_shape(session, ref.node)),
      rows_(ends(log_row_count(shape_))),
      columns_(ends(shape_.front())) {}

bool LogValues::advance(const gpt2::Session& session, std::uint64_t work) {
  const std::size_t count = log_row_count(shape_);
  const std::uint64_t affordable = std::max<std::uint64_t>(1, work / row_work(session, ref_.node));
  const std::size_t end = next_ + static_cast<std::size_t>(std::min<std::uint64_t>(affordable, count - next_));
  std::vector<float> row(shape_.front());
  for (; next_ < end; ++next_) {
    const LogRow at = log_row(ref_, shape_, next_);
    session.read(ref_, at.head, at.token, at.token + 1, row);
    sum_ = std::accumulate(row.begin(), row.end(), sum_);
    if (!std::ranges::binary_search(rows_, next_)) continue;
    for (const std::size_t column : columns_) values_.push_back(row[column]);
  }
  return next_ == count;
}

}  // namespace headflow::analysis
