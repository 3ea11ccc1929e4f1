// Files that are GGUF and GPT-2 and yet no whole model: one part of several, or a vocabulary alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gguf/header.h"

namespace headflow::gpt2 {

// A file of those that a model was split into.
struct Part {
  std::uint64_t number = 0;  // From 1.
  std::uint64_t count = 0;   // 2 or more.
};

// Nothing for a file that is whole. Throws Error (malformed) where split.* are no such numbers.
[[nodiscard]] std::optional<Part> part_of(const gguf::Header& header);

// Whether the file has a vocabulary and no tensor.
[[nodiscard]] bool is_vocabulary_only(const gguf::Header& header);

// Throws Error (unsupported_model) for a part of a model, with how to join it, (missing_tensor) for a file that is a
// vocabulary alone or has not as many tensors as split.tensors.count says.
void require_whole_model(const gguf::Header& header);

// Throws Error (malformed) for a tensor of a block that `block_count` does not count.
void require_blocks_counted(const gguf::Header& header, std::size_t block_count);

// Whether tokenizer.ggml.add_bos_token asks for a token before every text. Here none is added; llama.cpp adds one.
[[nodiscard]] bool asks_for_bos(const gguf::Header& header);

}  // namespace headflow::gpt2
