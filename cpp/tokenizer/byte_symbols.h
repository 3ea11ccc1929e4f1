// GPT-2's alphabet: each of the 256 bytes has one printable code point, in which GGUF files spell tokens and merges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headflow {

// A byte's symbol, in UTF-8: itself where it is printable in Latin-1, else a code point from U+0100 on.
[[nodiscard]] std::string byte_symbol_text(std::uint8_t byte);

// The bytes that a text made of symbols stands for; nothing if it holds anything else.
[[nodiscard]] std::optional<std::string> bytes_of_symbols(std::string_view text);

}  // namespace headflow
