// The form of published/gpt2-small.json, read: rows of nodes, of which some elements are known.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gpt2/graph.h"

namespace headflow::analysis {

struct KnownElement {
  std::size_t column = 0;
  double value = 0;
};

struct KnownRow {
  gpt2::NodeRef node;
  std::size_t head = 0;  // Only for nodes that have heads.
  std::size_t row = 0;
  std::vector<KnownElement> elements;
};

// "embd": rows from 0 on, whose "..." stands for the columns that are not known (the last ones follow it).
// "block 0": {"kq head 0": rows, "O head 0 query 1, first 3": one row, ...}; columns from 0 on.
// Throws Error (malformed) for keys or values of another form; `columns`: of a whole row of each node.
[[nodiscard]] std::vector<KnownRow> known_rows(const nlohmann::ordered_json& prompt, const gpt2::Config& config,
                                               std::size_t tokens);

// Whether `known_rows` reads what a prompt has under this key.
[[nodiscard]] bool is_row_key(std::string_view key);

}  // namespace headflow::analysis
