// How each node is computed, as data: one record per node. Explanations, highlights and tests follow these records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gpt2/nodes.h"

namespace headflow::analysis {

// What is applied to the operands a, b and the tensors g (or W) and c of the file.
enum class Function : std::uint8_t {
  kStored,     // an element of a tensor of the file
  kSame,       // a: a view, or a copy to another place
  kSum,        // a + b
  kProducts,   // sum_k a_k b_k
  kMatrix,     // sum_k a_k W_k, + c where there is a bias; a_k rounded as the type of W asks for
  kHeads,      // sum_h (the contribution of head h) + c
  kScaled,     // a / sqrt(D_h)
  kMasked,     // a where key <= query, else minus infinity
  kSoftmax,    // e^(a_j / sqrt(D_h) - max) / sum over the visible keys
  kNormalize,  // (a - mean) / sqrt(variance + epsilon)
  kWeighted,   // a g
  kAffine,     // a g + c
  kGelu,       // a/2 (1 + tanh(u))
};

// What an operand's index is: one of the explained cell's, or the one that is summed over.
enum class Index : std::uint8_t { kNone, kHead, kRow, kColumn, kSummed };

struct Operand {
  gpt2::Node node{};  // kInput stands for X_l, the input of the block at hand.
  Index head = Index::kNone;
  Index row = Index::kNone;
  Index column = Index::kNone;
};

// What is summed over.
enum class Summed : std::uint8_t { kNothing, kColumns, kVisibleKeys };

struct Recipe {
  gpt2::Node node;
  Function function;
  Summed summed;                    // kColumns: all columns of the first operand.
  std::array<Operand, 2> operands;  // As many as the function takes.
  std::string_view tensor;          // "attn_qkv" for blk.l.attn_qkv.weight and .bias; empty where no weights take part.
  bool biased;
};

// All records, in the order of gpt2::nodes().
[[nodiscard]] std::span<const Recipe> recipes() noexcept;
[[nodiscard]] const Recipe& recipe(gpt2::Node node) noexcept;

// The stable name of a function: "softmax", "matrix", ...
[[nodiscard]] std::string_view name(Function function) noexcept;

}  // namespace headflow::analysis
