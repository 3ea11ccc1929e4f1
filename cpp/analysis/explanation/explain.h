// Where a number comes from: the operands of one cell, the computation with the values that the kernels used, and how
// closely it gives the number that is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/explanation/cell.h"
#include "gpt2/graph.h"
#include "gpt2/session.h"
#include "gpt2/stage.h"

namespace headflow::analysis {

using gpt2::Function;

// One factor of each term of a part.
struct Factor {
  std::string_view constant;        // Names a factor that stands in no tensor; then `line` is absent.
  std::optional<Line> line;         // Where the others stand, in the order of the terms.
  std::vector<float> values;        // As they stand there.
  std::vector<float> used;          // As the kernel used them, where that is not the same.
  std::vector<std::int16_t> codes;  // Q8_0, one per term: what was used is codes[i] * scales[i], exactly.
  std::vector<float> scales;

  [[nodiscard]] float in_use(std::size_t i) const noexcept { return used.empty() ? values[i] : used[i]; }
};

// Terms of one make: each the product of its factors, or e^(s - max) for a softmax.
struct Part {
  std::vector<Factor> factors;
  std::vector<double> terms;
};

// A value on the way.
struct Step {
  std::string_view name;
  double value = 0;
  std::optional<Cell> cell;  // Where it stands, if it stands anywhere.
};

struct Explanation {
  Cell cell;
  std::optional<Cell> view_of;  // Where a view's number lies; then what follows explains that cell.
  Function function{};
  float value = 0;      // The number that is shown.
  bool masked = false;  // A key after the query.
  std::vector<Part> parts;
  std::vector<Factor> context;  // What else was read: the row that mean and variance are taken over.
  std::vector<Step> steps;
  double result = 0;     // The sum of all terms; for a softmax the share of one.
  double magnitude = 0;  // The sum of |terms|, of the finest products where terms are themselves sums.

  [[nodiscard]] double error() const noexcept;
  [[nodiscard]] double bound() const noexcept { return kTolerance * magnitude; }

  static constexpr double kTolerance = 1e-6;
};

// What a session must reach before `explain`, one goal after the other.
[[nodiscard]] std::vector<gpt2::Goal> goals_behind(const gpt2::Model& model, std::span<const TokenId> tokens,
                                                   const Cell& cell);

// Costs about one row of the cell's node. Throws Error (not_loaded) unless the node and its operands can be read.
[[nodiscard]] Explanation explain(const gpt2::Session& session, const Cell& cell);

}  // namespace headflow::analysis
