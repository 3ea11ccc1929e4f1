// What llama.cpp's runtime log (llama-eval-callback) has in the place of a node: its operations in its order, with
// operands as it prints them: views and permutations, and the KV cache, whose key axis it pads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "gpt2/graph_types.h"

namespace headflow::gpt2 {

// The length of an axis of a tensor that llama.cpp prints.
enum class LogAxis : std::uint8_t {
  kOne,
  kTokens,
  kWidth,
  kHeads,
  kHeadDim,
  kKeys,           // T; in llama.cpp padded to 256.
  kElements,       // T D
  kCacheElements,  // keys * D
};

// A tensor that is neither a node nor a weight: a view or permutation of one, or the KV cache.
struct LogView {
  std::string_view name;  // "%" stands for the block: "cache_k_l% (view)".
  Node of;                // The node whose values it shows.
  bool half;              // fp16, as llama.cpp keeps K and V by default.
  std::array<LogAxis, 3> shape;
};

using LogSource = std::variant<Node, Weight, Input, LogView>;

// One operation, and the view that it makes; without one, its result is the node itself.
struct LogOperation {
  std::string_view operation;  // As ggml prints it: "MUL_MAT", "GELU", ...
  LogSource first;
  std::optional<LogSource> second;
  std::optional<LogView> result;
};

struct LogList {
  std::span<const LogOperation> operations = {};  // The last one gives the node. None where llama.cpp has no such node.
  std::string_view note = {};                     // Where ours differs by design, or one operation does several things.
  std::optional<Node> after = {};                 // Listed right after this node, which comes later here.
};

}  // namespace headflow::gpt2
