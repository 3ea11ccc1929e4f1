// How the command writes shapes and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <ranges>
#include <string>

namespace headflow::cli {

// "{768, 2304}"
template <std::ranges::forward_range Lengths>
[[nodiscard]] std::string shape_text(const Lengths& lengths) {
  std::string text = "{";
  for (const auto length : lengths) text += (text.size() == 1 ? "" : ", ") + std::to_string(length);
  return text + "}";
}

// JSON text; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] inline std::string dump(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace headflow::cli
