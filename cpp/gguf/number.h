// Numbers and bools as they lie in a file.
#pragma once

#include <cstddef>
#include <span>

#include "gguf/header.h"

namespace headflow::gguf {

// Bytes of one value of this type; 0 for strings, arrays and types that are none.
[[nodiscard]] std::size_t number_size(ValueType type) noexcept;

// The value of this type, which has a size, at the start of `bytes`. A bool is true where its byte is not 0.
[[nodiscard]] Value number_from(ValueType type, std::span<const std::byte> bytes);

}  // namespace headflow::gguf
