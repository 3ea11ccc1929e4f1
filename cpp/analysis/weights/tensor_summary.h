// What a tensor of the file holds: extremes, mean and histogram of its values, and of its blocks' scales where it is
// Q8_0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpt2/weights.h"

namespace headflow::analysis {

// How many numbers lie in each of so many equally wide bins of [low, high]; the last bin holds `high` too.
struct Histogram {
  double low = 0;
  double high = 0;
  std::vector<std::uint64_t> counts;
};

struct NumberSummary {
  std::uint64_t count = 0;
  float smallest = 0;
  float largest = 0;
  double mean = 0;
  double root_mean_square = 0;
  Histogram histogram;
};

struct TensorSummary {
  NumberSummary values;  // In bins from -m to m, m the largest magnitude.
  // Q8_0 alone: one number per block of 32, in bins from the smallest scale to the largest.
  std::optional<NumberSummary> scales;
};

// Reads the tensor twice, row by row: extremes first, then into bins.
class TensorSummaryOf {
 public:
  // Throws Error (bad_argument) for no bins.
  TensorSummaryOf(const gpt2::TensorStore& store, std::size_t bins);

  // Rows of about `work` elements, or one. True once all is read. Throws Error (not_loaded) where a row is not present.
  bool advance(std::uint64_t work);

  [[nodiscard]] const TensorSummary& result() const noexcept { return summary_; }

 private:
  enum class Pass : std::uint8_t { kExtremes, kBins, kDone };

  void read_row();
  void end_pass();

  const gpt2::TensorStore* store_;
  std::size_t bins_;
  Pass pass_ = Pass::kExtremes;
  std::size_t row_ = 0;
  TensorSummary summary_;
};

}  // namespace headflow::analysis
