// ggml's tensor types: names, and how many bytes a block of how many elements takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gguf/header.h"

namespace headflow::gguf {

struct TensorTypeInfo {
  std::uint32_t number;
  std::string_view name;
  std::uint32_t block_elements;
  std::uint32_t block_bytes;
};

// Null for a type unknown here.
[[nodiscard]] const TensorTypeInfo* find_type(TensorType type) noexcept;

}  // namespace headflow::gguf
