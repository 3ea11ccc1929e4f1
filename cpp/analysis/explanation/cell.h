// One number's place: in a node of the forward pass, or in a tensor of the file.
// As text: "kq_soft_max-0[0,1,0]", "attn_out-1[3,17]", "blk.0.attn_qkv.weight[5,3]", "output_norm.bias[7]".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "analysis/pooling/region.h"
#include "gpt2/graph.h"
#include "gpt2/model.h"

namespace headflow::analysis {

// A node, or the name of a tensor of the file.
using Source = std::variant<gpt2::NodeRef, std::string>;

struct Cell {
  Source source;
  // For nodes that have heads. Of attn_out_mm, which has none, it names the contribution of one head.
  std::optional<std::size_t> head;
  std::size_t row = 0;  // Of a tensor: the stored row; 0 where it is a vector.
  std::size_t column = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

// Cells side by side: at most one of heads, rows and columns has more than one index.
struct Line {
  Source source;
  std::optional<Interval> heads;
  Interval rows;
  Interval columns;

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] Cell at(std::size_t index) const noexcept;
};

// "kq_soft_max-0" or "blk.0.attn_qkv.weight".
[[nodiscard]] std::string name(const Source& source);
[[nodiscard]] std::string text(const Cell& cell, const gpt2::Model& model);
// The reverse, for a prompt of `tokens` tokens. Throws Error (bad_argument) for what is no cell of the model.
[[nodiscard]] Cell parse_cell(std::string_view text, const gpt2::Model& model, std::size_t tokens);

// Null where the model uses no tensor of this name.
[[nodiscard]] const gpt2::TensorStore* find_tensor(const gpt2::Model& model, std::string_view name);

}  // namespace headflow::analysis
