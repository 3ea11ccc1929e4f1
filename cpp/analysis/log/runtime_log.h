// The nodes of a forward pass as llama.cpp's runtime log lists them: execution order, operations, operands, ggml
// shapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpt2/config.h"
#include "gpt2/graph.h"

namespace headflow::analysis {

struct LogOperand {
  std::string name;                     // As llama.cpp prints it: "cache_k_l0 (view) (permuted)".
  std::string of;                       // Whose values it shows: a node's full name; else its own name.
  std::vector<std::size_t> ggml_shape;  // Contiguous axis first.
  std::vector<std::size_t> logical_shape;
};

struct LogEntry {
  gpt2::NodeRef ref;
  std::string name;
  std::string_view operation;  // ggml's: "MUL_MAT", "ADD", ...
  std::vector<LogOperand> operands;
  std::vector<std::size_t> ggml_shape;
  std::vector<std::size_t> logical_shape;
  bool unnamed_in_llama_cpp = false;
  std::string_view note;  // Where ours differs by design, or one operation does several things; else empty.
};

// For a prompt of `tokens` tokens; `tied_output`: logits are a product with token_embd itself.
[[nodiscard]] std::vector<LogEntry> runtime_log(const gpt2::Config& config, std::size_t tokens, bool tied_output);

// The entries whose name or one of whose operands' names has a match of `filter` (base/pattern.h).
// Throws Error (bad_argument) for a filter that is no such pattern.
[[nodiscard]] std::vector<LogEntry> matching(std::vector<LogEntry> log, const std::string& filter);

}  // namespace headflow::analysis
