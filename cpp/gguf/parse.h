// The parts of a GGUF header, but for metadata values. Each function returns nothing where bytes are still to come
// (the cursor says how many), and throws Error where what is there is not right.
#pragma once

#include <optional>
#include <string>

#include "gguf/cursor.h"
#include "gguf/header.h"

namespace headflow::gguf {

inline constexpr std::size_t kPreambleBytes = 4 + 4 + 8 + 8;

struct Preamble {
  std::uint32_t version = 0;
  std::uint64_t tensor_count = 0;
  std::uint64_t metadata_count = 0;
};
[[nodiscard]] std::optional<Preamble> parse_preamble(Cursor& cursor);

// What comes before a metadata entry's value.
struct EntryHead {
  std::string key;
  ValueType type = ValueType::kUint8;
};
[[nodiscard]] std::optional<EntryHead> parse_entry_head(Cursor& cursor);

// With the offset as the file has it: from the start of the data, a multiple of `alignment`.
[[nodiscard]] std::optional<TensorInfo> parse_tensor(Cursor& cursor, std::uint64_t alignment);

}  // namespace headflow::gguf
