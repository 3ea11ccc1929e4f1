// Reads one code point of UTF-8 at a time; bytes that are not UTF-8 are told apart, one by one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace headflow {

struct CodePoint {
  std::optional<char32_t>
      value;             // Nothing for a byte that starts no valid sequence (overlong, surrogate, cut off, ...).
  std::size_t size = 1;  // Bytes: 1 to 4; 1 where there is no value.
};

// The code point at the start of `text`, which must not be empty.
[[nodiscard]] CodePoint first_code_point(std::string_view text) noexcept;

}  // namespace headflow
