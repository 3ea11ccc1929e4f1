#include "analysis/explanation/recipes.h"

namespace headflow::analysis {
namespace {

using enum gpt2::Node;
using gpt2::Node;

constexpr Operand same(Node node) {
  return {node, Index::kNone, Index::kRow, Index::kColumn};
}
constexpr Operand row_of(Node node) {
  return {node, Index::kNone, Index::kRow, Index::kSummed};
}
constexpr Operand head_cell(Node node) {
  return {node, Index::kHead, Index::kRow, Index::kColumn};
}
constexpr Operand head_row(Node node) {
  return {node, Index::kHead, Index::kRow, Index::kSummed};
}

constexpr Operand kKeyOfColumn = {kKey, Index::kHead, Index::kColumn, Index::kSummed};
constexpr Operand kValueColumn = {kValue, Index::kHead, Index::kSummed, Index::kColumn};

constexpr Operand kNo{};
constexpr Summed kNothing = Summed::kNothing;
constexpr Summed kColumns = Summed::kColumns;
constexpr Summed kVisible = Summed::kVisibleKeys;

constexpr std::array<Recipe, 33> kRecipes = {{
    // node, function, summed, operands, tensor, biased
    {kTokenEmbedding, Function::kStored, kNothing, {kNo, kNo}, "token_embd", false},
    {kPositionEmbedding, Function::kStored, kNothing, {kNo, kNo}, "position_embd", false},
    {kInput, Function::kSum, kNothing, {same(kTokenEmbedding), same(kPositionEmbedding)}, "", false},
    {kNorm, Function::kNormalize, kColumns, {row_of(kInput), kNo}, "", false},
    {kNormWeighted, Function::kWeighted, kNothing, {same(kNorm), kNo}, "attn_norm", false},
    {kAttentionNorm, Function::kAffine, kNothing, {same(kNorm), row_of(kInput)}, "attn_norm", true},
    {kQkvProduct, Function::kMatrix, kColumns, {row_of(kAttentionNorm), kNo}, "attn_qkv", false},
    {kQkv, Function::kMatrix, kColumns, {row_of(kAttentionNorm), kNo}, "attn_qkv", true},
    {kQuery, Function::kSame, kNothing, {same(kQkv), kNo}, "", false},
    {kKey, Function::kSame, kNothing, {same(kQkv), kNo}, "", false},
    {kValue, Function::kSame, kNothing, {same(kQkv), kNo}, "", false},
    {kScores, Function::kProducts, kColumns, {head_row(kQuery), kKeyOfColumn}, "", false},
    {kScoresScaled, Function::kScaled, kNothing, {head_cell(kScores), kNo}, "", false},
    {kScoresMasked, Function::kMasked, kNothing, {head_cell(kScoresScaled), kNo}, "", false},
    {kProbabilities, Function::kSoftmax, kVisible, {head_row(kScores), head_row(kScoresScaled)}, "", false},
    {kHeadOutput, Function::kProducts, kVisible, {head_row(kProbabilities), kValueColumn}, "", false},
    {kConcat, Function::kSame, kNothing, {head_cell(kHeadOutput), kNo}, "", false},
    {kProjectionProduct, Function::kMatrix, kColumns, {row_of(kConcat), kNo}, "attn_output", false},
    {kAttentionOutput, Function::kHeads, kColumns, {row_of(kConcat), kNo}, "attn_output", true},
    {kResidual, Function::kSum, kNothing, {same(kAttentionOutput), same(kInput)}, "", false},
    {kMlpNorm, Function::kNormalize, kColumns, {row_of(kResidual), kNo}, "", false},
    {kMlpNormWeighted, Function::kWeighted, kNothing, {same(kMlpNorm), kNo}, "ffn_norm", false},
    {kMlpInput, Function::kAffine, kNothing, {same(kMlpNorm), row_of(kResidual)}, "ffn_norm", true},
    {kUpProduct, Function::kMatrix, kColumns, {row_of(kMlpInput), kNo}, "ffn_up", false},
    {kUp, Function::kMatrix, kColumns, {row_of(kMlpInput), kNo}, "ffn_up", true},
    {kGelu, Function::kGelu, kNothing, {same(kUp), kNo}, "", false},
    {kDownProduct, Function::kMatrix, kColumns, {row_of(Node::kGelu), kNo}, "ffn_down", false},
    {kMlpOutput, Function::kMatrix, kColumns, {row_of(Node::kGelu), kNo}, "ffn_down", true},
    {kBlockOutput, Function::kSum, kNothing, {same(kMlpOutput), same(kResidual)}, "", false},
    {kFinalNorm, Function::kNormalize, kColumns, {row_of(kInput), kNo}, "", false},
    {kFinalNormWeighted, Function::kWeighted, kNothing, {same(kFinalNorm), kNo}, "output_norm", false},
    {kFinalOutput, Function::kAffine, kNothing, {same(kFinalNorm), row_of(kInput)}, "output_norm", true},
    {kLogits, Function::kMatrix, kColumns, {row_of(kFinalOutput), kNo}, "output", false},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRecipes.size(); ++i) {
    if (static_cast<std::size_t>(kRecipes[i].node) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const Recipe> recipes() noexcept {
  return kRecipes;
}

const Recipe& recipe(Node node) noexcept {
  return kRecipes[static_cast<std::size_t>(node)];
}

std::string_view name(Function function) noexcept {
  switch (function) {
    case Function::kStored: return "stored";
    case Function::kSame: return "same";
    case Function::kSum: return "sum";
    case Function::kProducts: return "products";
    case Function::kMatrix: return "matrix";
    case Function::kHeads: return "heads";
    case Function::kScaled: return "scaled";
    case Function::kMasked: return "masked";
    case Function::kSoftmax: return "softmax";
    case Function::kNormalize: return "normalize";
    case Function::kWeighted: return "weighted";
    case Function::kAffine: return "affine";
    case Function::kGelu: return "gelu";
  }
  return {};
}

}  // namespace headflow::analysis
