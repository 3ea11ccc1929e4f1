// A GGUF header as JSON, for the command's `inspect --json` and the page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>

#include "gguf/header.h"

namespace headflow::gguf {

// {"version", "alignment", "data_offset", "metadata": {key: {"type", "value"}},
//  "tensors": {name: {"shape" (GGUF order), "type", "offset", "size"}}}; file order is kept.
// Arrays also have "element_type". Those longer than `longest_array` are cut to it, and then carry "length" and
// "cut": true; one that holds others which were cut carries "cut" alone.
// Strings are the file's bytes, which need not be UTF-8. Numbers that JSON lacks are "NaN", "Infinity", "-Infinity".
[[nodiscard]] nlohmann::ordered_json to_json(const Header& header, std::size_t longest_array);

// The same, whole and indented by 2, written piece by piece: what is held does not grow with the arrays.
// Bytes that are not UTF-8 become U+FFFD.
void write_json(const Header& header, std::ostream& out);

}  // namespace headflow::gguf
