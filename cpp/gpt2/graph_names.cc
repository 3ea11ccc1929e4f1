// Names, axes and lengths of what the graph is made of.

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "gpt2/graph.h"

namespace headflow::gpt2 {

NodeRef operand_ref(NodeRef ref, Node operand, const Config& config) noexcept {
  if (operand == Node::kInput && ref.node != Node::kInput) {
    const std::size_t block = info(ref.node).per_block ? ref.block : config.block_count;
    if (block > 0) return {Node::kBlockOutput, block - 1};
  }
  return {operand, info(operand).per_block ? ref.block : 0};
}

std::string full_name(Weight weight, std::size_t block, bool tied_output) {
  const WeightInfo& tensor = info(weight == Weight::kOutputTable && tied_output ? Weight::kTokenTable : weight);
  return (tensor.per_block ? "blk." + std::to_string(block) + "." : "") + std::string(tensor.name);
}

std::string_view name(Input input) noexcept {
  switch (input) {
    case Input::kTokenIds: return "inp_tokens";
    case Input::kPositions: return "inp_pos";
    case Input::kMask: return "attn_inp_kq_mask";
    case Input::kKeyRows: return "attn_inp_k_idxs";
    case Input::kValueElements: return "attn_inp_v_idxs";
  }
  return {};
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
    case Function::kReplaced: return "replaced";
  }
  return {};
}

std::string_view name(Index index) noexcept {
  switch (index) {
    case Index::kNone: return "none";
    case Index::kHead: return "head";
    case Index::kRow: return "row";
    case Index::kColumn: return "column";
    case Index::kTokenId: return "token_id";
    case Index::kAll: return "all";
    case Index::kVisibleKeys: return "visible_keys";
    case Index::kHeadColumns: return "head_columns";
    case Index::kViewColumn: return "view_column";
    case Index::kHeadOfColumn: return "head_of_column";
    case Index::kColumnOfHead: return "column_of_head";
  }
  return {};
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
  const auto found = std::ranges::find_if(nodes(), [&](const NodeInfo& node) {
    return node.name == name && node.suffix == suffix && node.per_block == block.has_value();
  });
  if (found == nodes().end()) {
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
    case Axis::kContext: return config.context_length;
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
    case Axis::kContext: return "C";
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

std::vector<Axis> logical_axes(const WeightInfo& info) {
  if (info.table) return {*info.rows, info.columns};
  return ggml_axes(info);
}

std::vector<Axis> ggml_axes(const WeightInfo& info) {
  if (!info.rows) return {info.columns};
  return {info.columns, *info.rows};
}

}  // namespace headflow::gpt2
