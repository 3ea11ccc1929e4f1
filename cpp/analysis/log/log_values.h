// What a runtime log shows of a tensor: the values at both ends of the rows at both ends, and the sum of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpt2/graph.h"
#include "gpt2/session.h"

namespace headflow::analysis {

// A row of a node's tensor along its contiguous axis.
struct LogRow {
  std::size_t head = 0;
  std::size_t token = 0;
};
// Rows in ggml's order, row = i2 * ne1 + i1, of a tensor of this ggml shape (contiguous axis first).
[[nodiscard]] LogRow log_row(gpt2::NodeRef ref, std::span<const std::size_t> ggml_shape, std::size_t row);
[[nodiscard]] std::size_t log_row_count(std::span<const std::size_t> ggml_shape);

// Reads a node row by row in ggml's order, in bounded slices, and never holds more than a row of it.
class LogValues {
 public:
  // For the session's present tokens.
  LogValues(const gpt2::Session& session, gpt2::NodeRef ref);

  // Reads on, for about `work` multiply-accumulates, at least one row; true once all rows were read. Throws Error
  // (not_loaded) unless the node is readable.
  bool advance(const gpt2::Session& session, std::uint64_t work);

  // Indices of the rows and of the columns that are shown: of many, the first and the last three.
  [[nodiscard]] std::span<const std::size_t> rows() const noexcept { return rows_; }
  [[nodiscard]] std::span<const std::size_t> columns() const noexcept { return columns_; }
  // [rows, columns]; whole once all was read.
  [[nodiscard]] std::span<const float> values() const noexcept { return values_; }
  // In double, row after row.
  [[nodiscard]] double sum() const noexcept { return sum_; }

 private:
  gpt2::NodeRef ref_;
  std::vector<std::size_t> shape_;  // ggml's.
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> columns_;
  std::size_t next_ = 0;
  std::vector<float> values_;
  double sum_ = 0;
};

}  // namespace headflow::analysis
