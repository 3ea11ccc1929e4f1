// Names out of a file, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headflow::gguf {

// ASCII's printable characters as they are, all other bytes as "\xNN"; shortened where it is long.
[[nodiscard]] std::string printable(std::string_view bytes);

// "WHAT, at byte OFFSET"
[[nodiscard]] inline std::string at(std::string_view what, std::uint64_t offset) {
  return std::string(what) + ", at byte " + std::to_string(offset);
}

}  // namespace headflow::gguf
