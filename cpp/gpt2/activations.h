// Storage for what a forward pass computes: matrices that grow by rows, and named activations of one block.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "gpt2/config.h"
#include "gpt2/graph.h"

namespace headflow::gpt2 {

// A row-major matrix [rows, columns] that grows by rows.
class Rows {
 public:
  explicit Rows(std::size_t columns = 0) : columns_(columns) {}

  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  void resize(std::size_t rows) { values_.resize(rows * columns_); }
  // Rows [first, last), side by side.
  [[nodiscard]] std::span<float> rows(std::size_t first, std::size_t last) {
    return std::span(values_).subspan(first * columns_, (last - first) * columns_);
  }
  [[nodiscard]] std::span<const float> rows(std::size_t first, std::size_t last) const {
    return std::span(values_).subspan(first * columns_, (last - first) * columns_);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return values_.size() * sizeof(float); }

 private:
  std::size_t columns_;
  std::vector<float> values_;
};

// One matrix for each node of a block whose values are kept row by row: of a page of rows, or of the slice at hand.
class BlockActivations {
 public:
  explicit BlockActivations(const Config& config);

  // Rows [first, last) of a node, to be filled or as they were filled; `first` counts from this object's first row.
  [[nodiscard]] std::span<float> rows(Node node, std::size_t first, std::size_t last);
  [[nodiscard]] std::span<const float> rows(Node node, std::size_t first, std::size_t last) const;
  // Makes room for `rows` rows of each node of a stage.
  void reserve(StageKind stage, std::size_t rows);
  // Whether values of this node lie here: not so for scores, which are computed when read, and for views.
  [[nodiscard]] static bool holds(Node node) noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  static constexpr std::size_t kFirst = static_cast<std::size_t>(Node::kNorm);
  static constexpr std::size_t kCount = static_cast<std::size_t>(Node::kMlpOutput) - kFirst + 1;
  std::array<Rows, kCount> nodes_;
};

}  // namespace headflow::gpt2
