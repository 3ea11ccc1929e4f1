// The names of what the operation graph is made of: nodes, tensors of the file, inputs, axes.
#pragma once

#include <cstddef>
#include <cstdint>

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
  kHeadContribution,
  kProjectionProduct,
  kAttentionOutput,
  kResidual,  // O_cat, O_h W_O^(h), O_cat W_O, A_l, R_l
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
inline constexpr std::size_t kNodeCount = 34;

// Tensors of the file.
enum class Weight : std::uint8_t {
  kTokenTable,
  kPositionTable,
  kAttentionNorm,
  kAttentionNormBias,
  kQkv,
  kQkvBias,
  kProjection,
  kProjectionBias,
  kMlpNorm,
  kMlpNormBias,
  kUp,
  kUpBias,
  kDown,
  kDownBias,
  kFinalNorm,
  kFinalNormBias,
  kOutputTable,  // token_embd itself where the model is tied.
};
inline constexpr std::size_t kWeightCount = 17;

// What a prompt gives.
enum class Input : std::uint8_t {
  kTokenIds,
  kPositions,
  kMask,           // [T, keys]: 0 where the key is visible, else minus infinity.
  kKeyRows,        // Where llama.cpp writes K in its cache,
  kValueElements,  // and V, element by element.
};

// What an axis counts.
enum class Axis : std::uint8_t {
  kTokens,
  kWidth,
  kTripleWidth,
  kHidden,
  kHeads,
  kHeadDim,
  kKeys,
  kVocabulary,
  kContext,
};

}  // namespace headflow::gpt2
