// The nodes of a forward pass: one record each, named as llama.cpp names them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpt2/config.h"
#include "gpt2/stage.h"

namespace headflow::gpt2 {

enum class Node : std::uint8_t {
  kTokenEmbedding,
  kPositionEmbedding,
  kInput,  // E_tok, E_pos, X_0
  kNorm,
  kNormWeighted,
  kAttentionNorm,  // LN in three steps: Z_l
  kQkvProduct,
  kQkv,
  kQuery,
  kKey,
  kValue,  // Z_l W_QKV, + b_QKV, Q, K, V
  kScores,
  kScoresScaled,
  kScoresMasked,
  kProbabilities,
  kHeadOutput,  // Q K^T, / sqrt(D_h), + M, P, O
  kConcat,
  kProjectionProduct,
  kAttentionOutput,
  kResidual,  // O_cat, O_cat W_O, A_l, R_l
  kMlpNorm,
  kMlpNormWeighted,
  kMlpInput,  // LN(R_l) in three steps
  kUpProduct,
  kUp,
  kGelu,
  kDownProduct,
  kMlpOutput,
  kBlockOutput,  // ..., F_l, X_(l+1)
  kFinalNorm,
  kFinalNormWeighted,
  kFinalOutput,
  kLogits,  // LN(X_L) in three steps, logits
};

// What an axis counts.
enum class Axis : std::uint8_t { kTokens, kWidth, kTripleWidth, kHidden, kHeads, kHeadDim, kKeys, kVocabulary };

// A tensor that is a view of another: no values of its own.
struct ViewInfo {
  Node base;
  std::size_t offset_in_widths;  // The offset is this many D elements.
};

struct NodeInfo {
  Node node;
  std::string_view name;    // llama.cpp's name without "-l", or ours where it has none.
  std::string_view suffix;  // "#1" where the block has an earlier node of the same name.
  std::string_view symbol;  // As in the literature, TeX notation.
  StageKind stage;          // The stage that computes it.
  bool per_block;           // The name continues with "-l".
  bool ours;                // llama.cpp has no node of this name.
  Axis columns;             // The last logical axis. The one before it is always tokens.
  bool per_head;            // Logical shape [H, T, columns]; else [T, columns].
  std::optional<ViewInfo> view;
};

// All nodes in the order of computation.
[[nodiscard]] std::span<const NodeInfo> nodes() noexcept;
[[nodiscard]] const NodeInfo& info(Node node) noexcept;

// A node of a block (0 where it belongs to none).
struct NodeRef {
  Node node = Node::kInput;
  std::size_t block = 0;
  friend bool operator==(const NodeRef&, const NodeRef&) = default;
};

// "kq_soft_max-0", "norm-0#1", "result_norm".
[[nodiscard]] std::string full_name(NodeRef ref);
// The reverse. X_(l) is inpL for block 0. Throws Error (bad_argument) for names that are none, blocks out of range.
[[nodiscard]] NodeRef parse_node(std::string_view full_name, const Config& config);

// How many elements the axis has for `tokens` tokens.
[[nodiscard]] std::size_t length(Axis axis, const Config& config, std::size_t tokens) noexcept;
// "T", "D", "3D", "4D" (or the number where the MLP's width is another), "H", "D_h", "V".
[[nodiscard]] std::string symbol(Axis axis, const Config& config);

// [T, columns] or [H, T, columns].
[[nodiscard]] std::vector<Axis> logical_axes(const NodeInfo& info);
// ggml's axis order, contiguous first: {D, T}; {D_h, H, T} for Q, K, V; {T, T, H} for scores (llama.cpp pads the keys).
[[nodiscard]] std::vector<Axis> ggml_axes(const NodeInfo& info);

}  // namespace headflow::gpt2
