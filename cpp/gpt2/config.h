// GPT-2's dimensions, as a GGUF header states them.
#pragma once

#include <cstddef>

#include "gguf/header.h"

namespace headflow::gpt2 {

// Symbols as in the literature: D, H, D_h = D / H, V; L blocks.
struct Config {
  std::size_t block_count = 0;          // L
  std::size_t context_length = 0;       // The greatest T.
  std::size_t embedding_length = 0;     // D
  std::size_t feed_forward_length = 0;  // 4D in GPT-2
  std::size_t head_count = 0;           // H
  std::size_t head_dim = 0;             // D_h
  std::size_t vocabulary_size = 0;      // V
  float layer_norm_epsilon = 0;

  friend bool operator==(const Config&, const Config&) = default;
};

// Throws Error where a key is absent, out of range or contradicts another, or where the model is not GPT-2 with as many
// K/V heads as heads.
[[nodiscard]] Config read_config(const gguf::Header& header);

}  // namespace headflow::gpt2
