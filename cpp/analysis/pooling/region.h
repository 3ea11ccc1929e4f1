// A part of one node's tensor: some rows and columns of one head. What views, pictures and exports are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpt2/graph.h"
#include "gpt2/session.h"

namespace headflow::analysis {

// Half-open [first, last).
struct Interval {
  std::size_t first = 0;
  std::size_t last = 0;

  [[nodiscard]] std::size_t size() const noexcept { return last - first; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct Region {
  gpt2::NodeRef node;
  std::size_t head = 0;  // Only for nodes that have heads.
  Interval rows;
  Interval columns;

  [[nodiscard]] std::size_t size() const noexcept { return rows.size() * columns.size(); }
};

// Throws Error (bad_argument) where the region leaves the node's tensor for the session's tokens, or is empty.
void check(const gpt2::Session& session, const Region& region);

// Multiply-accumulates behind one row of a node, at least 1: scores and logits are computed when they are read, of the
// rest a copied element counts as one.
[[nodiscard]] std::uint64_t row_work(const gpt2::Session& session, gpt2::Node node);

// How many of the region's rows can be read for about `work` multiply-accumulates (of which a copied element counts as
// one): at least one, at most all.
[[nodiscard]] std::size_t rows_within(const gpt2::Session& session, const Region& region, std::uint64_t work);

// The region's values, row-major, into `out`. Throws Error (bad_argument) as `check`, (not_loaded) as Session::read.
void read(const gpt2::Session& session, const Region& region, std::span<float> out);

}  // namespace headflow::analysis
