// Identities of the computation, measured on a run: what must hold of the numbers, whatever the weights are.
// A row is checked through a function that reads nodes, so that a test can put a fault between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

#include "analysis/pooling/region.h"
#include "gpt2/edit.h"
#include "gpt2/graph.h"
#include "gpt2/model.h"

namespace headflow::analysis {

enum class Identity : std::uint8_t {
  kSoftmaxSum,     // Each row of P_h sums to 1.
  kMaskedZero,     // P_h is exactly 0 above the diagonal.
  kHeadOutput,     // O_h = P_h V_h.
  kConcat,         // O_cat is the O_h side by side, bit for bit.
  kContributions,  // A_l = sum of head contributions + b_O.
  kResidual,       // X_(l+1) = X_l + A_l + F_l.
  kCausality,      // Another token j leaves every row before j as it is, bit for bit.
  kContinuation,   // Continuing at j from the KV cache gives the run's rows, bit for bit.
};
inline constexpr std::size_t kIdentityCount = 8;

// "softmax_sum", ...: stable names, by which a page finds its words.
[[nodiscard]] std::string_view name(Identity identity) noexcept;
// One sentence.
[[nodiscard]] std::string_view statement(Identity identity) noexcept;
// Whether the error counts numbers with other bits; else it is the largest |difference|, relative to the sum of |terms|
// where there are terms.
[[nodiscard]] bool counts_bits(Identity identity) noexcept;

struct Measurement {
  double error = 0;
  std::uint64_t compared = 0;  // How many numbers.

  // Takes one number's error; what is no number is an infinite error.
  void add(double value) noexcept {
    ++compared;
    if (!(value <= std::numeric_limits<double>::max())) value = std::numeric_limits<double>::infinity();
    if (value > error) error = value;
  }
  // Counts one pair of numbers.
  void add_bits(float a, float b) noexcept;
};
using Measurements = std::array<Measurement, kIdentityCount>;

struct Check {
  Identity identity{};
  double error = 0;
  double bound = 0;
  std::uint64_t compared = 0;
  [[nodiscard]] bool holds() const noexcept { return error <= bound; }
};

// Rows [first, last) of a node into `out`, as Session::read.
using ReadNode =
    std::function<void(gpt2::NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out)>;

// A run of one block: all its nodes can be read for all `tokens` rows.
struct Run {
  const gpt2::Model& model;
  std::size_t block;
  std::size_t tokens;
  const ReadNode& read;
  std::span<const gpt2::Edit> edits = {};  // Of the block: heads whose output is not P V.
};

// The largest error that float rounding alone may leave.
[[nodiscard]] double bound(Identity identity, const gpt2::Model& model, std::size_t block, std::size_t tokens);

// kSoftmaxSum, kMaskedZero, kHeadOutput and kConcat, for some rows of every head.
void measure_heads(const Run& run, Interval rows, Measurements& found);
// kContributions.
void measure_contributions(const Run& run, Interval rows, Measurements& found);
// kResidual.
void measure_residual(const Run& run, Interval rows, Measurements& found);
// kCausality or kContinuation: the block's nodes in two runs.
void measure_same_bits(const Run& run, const ReadNode& other, Interval rows, Measurement& found);

// About how many multiply-accumulates one row of each takes.
[[nodiscard]] std::uint64_t heads_row_work(const gpt2::Config& config, std::size_t tokens) noexcept;
[[nodiscard]] std::uint64_t contributions_row_work(const gpt2::Config& config) noexcept;
[[nodiscard]] std::uint64_t bits_row_work(const gpt2::Config& config) noexcept;

}  // namespace headflow::analysis
