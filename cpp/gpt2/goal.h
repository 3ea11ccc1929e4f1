// How far a session is to be computed, and what is to be ready for reading.
#pragma once

#include <cstddef>

#include "gpt2/graph.h"
#include "gpt2/stage.h"

namespace headflow::gpt2 {

// Half-open [first, last).
struct RowRange {
  std::size_t first = 0;
  std::size_t last = 0;

  [[nodiscard]] std::size_t size() const noexcept { return last - first; }
  [[nodiscard]] bool empty() const noexcept { return first >= last; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

struct Goal {
  Stage stage;  // All rows of the prompt up to this stage.
  // Rows that are to be read: of attention and MLP their inner tensors; of logits, for which the last block then leaves
  // out what stands before them. Empty: no inner tensors, and all rows of the last block.
  RowRange rows = {};
};

// Whether a node is read from its block's inner tensors; what is kept of every block, and what is computed when it is
// read, is not.
[[nodiscard]] bool is_inner(Node node) noexcept;

// What must be reached before these rows of a node can be read.
[[nodiscard]] Goal goal_for(NodeRef ref, RowRange rows) noexcept;

}  // namespace headflow::gpt2
