// ggml's tensor types: names, and how many bytes a block of how many elements takes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gguf/header.h"

namespace headflow::gguf {

struct TensorTypeInfo {
  TensorType type;
  std::string_view name;
  std::uint32_t block_elements;
  std::uint32_t block_bytes;
};

// Null for a type unknown here.
[[nodiscard]] const TensorTypeInfo* find_type(TensorType type) noexcept;

// Bytes of a tensor, whose rows must be whole blocks.
[[nodiscard]] std::uint64_t stored_size(const TensorTypeInfo& type, std::span<const std::uint64_t> shape) noexcept;

}  // namespace headflow::gguf
