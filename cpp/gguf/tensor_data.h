// Where the tensors' data lie in the file.
#pragma once

#include <cstdint>
#include <optional>

#include "gguf/header.h"

namespace headflow::gguf {

// Sets `data_offset` and `end_offset`, turns the tensors' offsets from ones into the data into ones into the file, and
// throws Error where tensors share bytes or reach past the file's end, and where more bytes than `alignment` belong to
// none: before the first, between two, or (where the file's size is known) behind the last. `header_end`: the header's
// size.
void place_tensors(Header& header, std::uint64_t header_end, std::optional<std::uint64_t> file_size);

}  // namespace headflow::gguf
