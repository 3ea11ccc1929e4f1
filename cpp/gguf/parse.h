// The parts of a GGUF header. Each function returns nothing where bytes are still to come (the cursor says how many),
// and throws Error where what is there is not right.
#pragma once

#include <optional>

#include "gguf/cursor.h"
#include "gguf/header.h"

namespace headflow::gguf {

struct Preamble {
  std::uint32_t version = 0;
  std::uint64_t tensor_count = 0;
  std::uint64_t metadata_count = 0;
};

[[nodiscard]] std::optional<Preamble> parse_preamble(Cursor& cursor);
[[nodiscard]] std::optional<MetadataEntry> parse_metadata(Cursor& cursor);
// The offset is still the one from the start of the data.
[[nodiscard]] std::optional<TensorInfo> parse_tensor(Cursor& cursor);

}  // namespace headflow::gguf
