#include "gpt2/nodes.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"

namespace headflow::gpt2 {
namespace {

using enum Node;
constexpr StageKind kEmbed = StageKind::kEmbed;
constexpr StageKind kAttention = StageKind::kAttention;
constexpr StageKind kMlp = StageKind::kMlp;

constexpr std::optional<ViewInfo> kOwn = std::nullopt;

// In the order of computation and of the enumeration. llama.cpp (b10435) names; "ours" where it has no such node.
constexpr std::array<NodeInfo, 33> kNodes = {{
    // node, name, suffix, symbol, stage, per_block, ours, columns, per_head, view
    {kTokenEmbedding, "embd", "", "E_{tok}", kEmbed, false, false, Axis::kWidth, false, kOwn},
    {kPositionEmbedding, "pos_embd", "", "E_{pos}", kEmbed, false, false, Axis::kWidth, false, kOwn},
    {kInput, "inpL", "", "X_0", kEmbed, false, false, Axis::kWidth, false, kOwn},
    {kNorm, "norm", "", "\\hat{X}_l", kAttention, true, false, Axis::kWidth, false, kOwn},
    {kNormWeighted, "norm_w", "", "\\hat{X}_l \\odot g", kAttention, true, false, Axis::kWidth, false, kOwn},
    {kAttentionNorm, "attn_norm", "", "Z_l", kAttention, true, false, Axis::kWidth, false, kOwn},
    {kQkvProduct, "wqkv", "", "Z_l W_{QKV}", kAttention, true, false, Axis::kTripleWidth, false, kOwn},
    {kQkv, "wqkv_b", "", "Z_l W_{QKV} + b_{QKV}", kAttention, true, false, Axis::kTripleWidth, false, kOwn},
    {kQuery, "Qcur", "", "Q_h", kAttention, true, false, Axis::kHeadDim, true, ViewInfo{kQkv, 0}},
    {kKey, "Kcur", "", "K_h", kAttention, true, false, Axis::kHeadDim, true, ViewInfo{kQkv, 1}},
    {kValue, "Vcur", "", "V_h", kAttention, true, false, Axis::kHeadDim, true, ViewInfo{kQkv, 2}},
    {kScores, "kq", "", "Q_h K_h^\\top", kAttention, true, false, Axis::kKeys, true, kOwn},
    {kScoresScaled, "kq_scaled", "", "Q_h K_h^\\top / \\sqrt{D_h}", kAttention, true, true, Axis::kKeys, true, kOwn},
    {kScoresMasked, "kq_masked", "", "Q_h K_h^\\top / \\sqrt{D_h} + M", kAttention, true, true, Axis::kKeys, true,
     kOwn},
    {kProbabilities, "kq_soft_max", "", "P_h", kAttention, true, false, Axis::kKeys, true, kOwn},
    {kHeadOutput, "kqv", "", "O_h", kAttention, true, false, Axis::kHeadDim, true, kOwn},
    {kConcat, "kqv_out", "", "O_{cat}", kAttention, true, false, Axis::kWidth, false, kOwn},
    {kProjectionProduct, "attn_out_mm", "", "O_{cat} W_O", kAttention, true, true, Axis::kWidth, false, kOwn},
    {kAttentionOutput, "attn_out", "", "A_l", kAttention, true, true, Axis::kWidth, false, kOwn},
    {kResidual, "ffn_inp", "", "R_l", kAttention, true, false, Axis::kWidth, false, kOwn},
    {kMlpNorm, "norm", "#1", "\\hat{R}_l", kMlp, true, false, Axis::kWidth, false, kOwn},
    {kMlpNormWeighted, "norm_w", "#1", "\\hat{R}_l \\odot g", kMlp, true, false, Axis::kWidth, false, kOwn},
    {kMlpInput, "ffn_norm", "", "LN(R_l)", kMlp, true, false, Axis::kWidth, false, kOwn},
    {kUpProduct, "ffn_up", "", "LN(R_l) W_{up}", kMlp, true, false, Axis::kHidden, false, kOwn},
    {kUp, "ffn_up_b", "", "LN(R_l) W_{up} + b_{up}", kMlp, true, false, Axis::kHidden, false, kOwn},
    {kGelu, "ffn_gelu", "", "GELU(LN(R_l) W_{up} + b_{up})", kMlp, true, false, Axis::kHidden, false, kOwn},
    {kDownProduct, "ffn_down", "", "GELU(\\cdot) W_{down}", kMlp, true, false, Axis::kWidth, false, kOwn},
    {kMlpOutput, "ffn_out", "", "F_l", kMlp, true, false, Axis::kWidth, false, kOwn},
    {kBlockOutput, "l_out", "", "X_{l+1}", kMlp, true, false, Axis::kWidth, false, kOwn},
    {kFinalNorm, "norm", "", "\\hat{X}_L", StageKind::kLogits, false, false, Axis::kWidth, false, kOwn},
    {kFinalNormWeighted, "norm_w", "", "\\hat{X}_L \\odot g", StageKind::kLogits, false, false, Axis::kWidth, false,
     kOwn},
    {kFinalOutput, "result_norm", "", "LN(X_L)", StageKind::kLogits, false, false, Axis::kWidth, false, kOwn},
    {Node::kLogits, "result_output", "", "LN(X_L) W_{out}", StageKind::kLogits, false, false, Axis::kVocabulary, false,
     kOwn},
}};

}  // namespace

std::span<const NodeInfo> nodes() noexcept {
  return kNodes;
}

const NodeInfo& info(Node node) noexcept {
  return kNodes[static_cast<std::size_t>(node)];
}

std::string full_name(NodeRef ref) {
  const NodeInfo& node = info(ref.node);
  std::string name(node.name);
  if (node.per_block) name += '-' + std::to_string(ref.block);
  return name += node.suffix;
}

NodeRef parse_node(std::string_view full_name, const Config& config) {
  const std::string_view suffix = full_name.ends_with("#1") ? "#1" : "";
  std::string_view name = full_name.substr(0, full_name.size() - suffix.size());
  std::optional<std::size_t> block;
  if (const std::size_t dash = name.rfind('-'); dash != std::string_view::npos) {
    const std::string_view digits = name.substr(dash + 1);
    std::size_t number = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (failure == std::errc{} && end == digits.data() + digits.size() && number < config.block_count) {
      block = number;
      name = name.substr(0, dash);
    }
  }
  const auto* const found = std::ranges::find_if(kNodes, [&](const NodeInfo& node) {
    return node.name == name && node.suffix == suffix && node.per_block == block.has_value();
  });
  if (found == kNodes.end()) {
    throw Error(ErrorCode::kBadArgument,
                {"node " + std::string(full_name), "no such node in this model",
                 "a name such as kq_soft_max-0, with a block below " + std::to_string(config.block_count)});
  }
  return {found->node, block.value_or(0)};
}

std::size_t length(Axis axis, const Config& config, std::size_t tokens) noexcept {
  switch (axis) {
    case Axis::kTokens:
    case Axis::kKeys: return tokens;
    case Axis::kWidth: return config.embedding_length;
    case Axis::kTripleWidth: return 3 * config.embedding_length;
    case Axis::kHidden: return config.feed_forward_length;
    case Axis::kHeads: return config.head_count;
    case Axis::kHeadDim: return config.head_dim;
    case Axis::kVocabulary: return config.vocabulary_size;
  }
  return 0;
}

std::string symbol(Axis axis, const Config& config) {
  switch (axis) {
    case Axis::kTokens:
    case Axis::kKeys: return "T";
    case Axis::kWidth: return "D";
    case Axis::kTripleWidth: return "3D";
    case Axis::kHidden:
      return config.feed_forward_length == 4 * config.embedding_length ? "4D"
                                                                       : std::to_string(config.feed_forward_length);
    case Axis::kHeads: return "H";
    case Axis::kHeadDim: return "D_h";
    case Axis::kVocabulary: return "V";
  }
  return {};
}

std::vector<Axis> logical_axes(const NodeInfo& info) {
  if (info.per_head) return {Axis::kHeads, Axis::kTokens, info.columns};
  return {Axis::kTokens, info.columns};
}

std::vector<Axis> ggml_axes(const NodeInfo& info) {
  if (info.view) return {info.columns, Axis::kHeads, Axis::kTokens};
  if (info.per_head) return {info.columns, Axis::kTokens, Axis::kHeads};
  return {info.columns, Axis::kTokens};
}

}  // namespace headflow::gpt2
