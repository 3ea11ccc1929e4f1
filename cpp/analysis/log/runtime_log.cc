#include "analysis/log/runtime_log.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <utility>
#include <variant>

#include "base/error.h"

namespace headflow::analysis {
namespace {

using gpt2::Config;
using gpt2::Node;
using gpt2::NodeInfo;
using gpt2::NodeRef;

// What is not computed: a tensor of the file or an input of the graph.
enum class Given : std::uint8_t {
  kTokenTable,
  kPositionTable,
  kTokenIds,
  kPositions,
  kMask,
  kAttentionNormWeight,
  kAttentionNormBias,
  kQkvWeight,
  kQkvBias,
  kProjectionWeight,
  kProjectionBias,
  kMlpNormWeight,
  kMlpNormBias,
  kUpWeight,
  kUpBias,
  kDownWeight,
  kDownBias,
  kFinalNormWeight,
  kFinalNormBias,
  kOutputTable,
};

// Its name, after "blk.l." where it belongs to a block, and its ggml shape.
struct GivenInfo {
  std::string_view name;
  bool per_block;
  std::vector<std::size_t> ggml_shape;
};

GivenInfo describe(Given given, const Config& config, std::size_t tokens, bool tied_output) {
  const std::size_t width = config.embedding_length;
  const std::size_t hidden = config.feed_forward_length;
  switch (given) {
    case Given::kTokenTable: return {"token_embd.weight", false, {width, config.vocabulary_size}};
    case Given::kPositionTable: return {"position_embd.weight", false, {width, config.context_length}};
    case Given::kTokenIds: return {"inp_tokens", false, {tokens}};
    case Given::kPositions: return {"inp_pos", false, {tokens}};
    case Given::kMask: return {"KQ_mask", false, {tokens, tokens}};
    case Given::kAttentionNormWeight: return {"attn_norm.weight", true, {width}};
    case Given::kAttentionNormBias: return {"attn_norm.bias", true, {width}};
    case Given::kQkvWeight: return {"attn_qkv.weight", true, {width, 3 * width}};
    case Given::kQkvBias: return {"attn_qkv.bias", true, {3 * width}};
    case Given::kProjectionWeight: return {"attn_output.weight", true, {width, width}};
    case Given::kProjectionBias: return {"attn_output.bias", true, {width}};
    case Given::kMlpNormWeight: return {"ffn_norm.weight", true, {width}};
    case Given::kMlpNormBias: return {"ffn_norm.bias", true, {width}};
    case Given::kUpWeight: return {"ffn_up.weight", true, {width, hidden}};
    case Given::kUpBias: return {"ffn_up.bias", true, {hidden}};
    case Given::kDownWeight: return {"ffn_down.weight", true, {hidden, width}};
    case Given::kDownBias: return {"ffn_down.bias", true, {width}};
    case Given::kFinalNormWeight: return {"output_norm.weight", false, {width}};
    case Given::kFinalNormBias: return {"output_norm.bias", false, {width}};
    case Given::kOutputTable:
      return {tied_output ? "token_embd.weight" : "output.weight", false, {width, config.vocabulary_size}};
  }
  return {};
}

using Part = std::variant<Node, Given>;

// How llama.cpp computes a node: ggml's operation and its operands in ggml's order, weights first in a product.
struct Operation {
  Node node;
  std::string_view name;
  Part first;
  std::optional<Part> second;
  std::string_view note;
};

using enum Node;

constexpr std::array<Operation, 3> kBefore = {{
    {kTokenEmbedding, "GET_ROWS", Given::kTokenTable, Given::kTokenIds, ""},
    {kPositionEmbedding, "GET_ROWS", Given::kPositionTable, Given::kPositions, ""},
    {kInput, "ADD", kTokenEmbedding, kPositionEmbedding, ""},
}};

// Of one block, in the order in which llama.cpp runs them. kInput stands for the block's input.
constexpr std::array<Operation, 24> kBlock = {{
    {kNorm, "NORM", kInput, std::nullopt, ""},
    {kNormWeighted, "MUL", kNorm, Given::kAttentionNormWeight, ""},
    {kAttentionNorm, "ADD", kNormWeighted, Given::kAttentionNormBias, ""},
    {kQkvProduct, "MUL_MAT", Given::kQkvWeight, kAttentionNorm, ""},
    {kQkv, "ADD", kQkvProduct, Given::kQkvBias, ""},
    {kQuery, "VIEW", kQkv, std::nullopt, "a view at 0 elements: nothing is copied"},
    {kValue, "VIEW", kQkv, std::nullopt, "a view at 2D elements; llama.cpp happens to schedule V before K"},
    {kKey, "VIEW", kQkv, std::nullopt, "a view at D elements"},
    {kScores, "MUL_MAT", kKey, kQuery, "no padding here; llama.cpp pads the key axis to 256"},
    {kProbabilities, "SOFT_MAX", kScores, Given::kMask, "scale, mask and softmax in one operation"},
    {kHeadOutput, "MUL_MAT", kValue, kProbabilities, ""},
    {kConcat, "CONT", kHeadOutput, std::nullopt, "of the permuted heads: this is Concat, there is no concat node"},
    {kProjectionProduct, "MUL_MAT", Given::kProjectionWeight, kConcat, ""},
    {kAttentionOutput, "ADD", kProjectionProduct, Given::kProjectionBias, ""},
    {kResidual, "ADD", kAttentionOutput, kInput, ""},
    {kMlpNorm, "NORM", kResidual, std::nullopt, ""},
    {kMlpNormWeighted, "MUL", kMlpNorm, Given::kMlpNormWeight, ""},
    {kMlpInput, "ADD", kMlpNormWeighted, Given::kMlpNormBias, ""},
    {kUpProduct, "MUL_MAT", Given::kUpWeight, kMlpInput, ""},
    {kUp, "ADD", kUpProduct, Given::kUpBias, ""},
    {kGelu, "UNARY", kUp, std::nullopt, "GELU in float32; llama.cpp passes its input and output through fp16"},
    {kDownProduct, "MUL_MAT", Given::kDownWeight, kGelu, ""},
    {kMlpOutput, "ADD", kDownProduct, Given::kDownBias, ""},
    {kBlockOutput, "ADD", kMlpOutput, kResidual, ""},
}};

constexpr std::array<Operation, 4> kAfter = {{
    {kFinalNorm, "NORM", kInput, std::nullopt, ""},
    {kFinalNormWeighted, "MUL", kFinalNorm, Given::kFinalNormWeight, ""},
    {kFinalOutput, "ADD", kFinalNormWeighted, Given::kFinalNormBias, ""},
    {kLogits, "MUL_MAT", Given::kOutputTable, kFinalOutput, ""},
}};

// What one log is about.
struct Graph {
  const Config& config;
  std::size_t tokens;
  bool tied_output;

  [[nodiscard]] std::vector<std::size_t> lengths(const std::vector<gpt2::Axis>& axes) const {
    std::vector<std::size_t> shape;
    for (const gpt2::Axis axis : axes) shape.push_back(gpt2::length(axis, config, tokens));
    return shape;
  }

  // `input`: the node that kInput stands for.
  [[nodiscard]] LogOperand operand(const Part& part, std::size_t block, NodeRef input) const {
    if (const Node* const node = std::get_if<Node>(&part)) {
      const NodeRef ref = *node == kInput ? input : NodeRef{*node, block};
      const NodeInfo& info = gpt2::info(ref.node);
      return {gpt2::full_name(ref), lengths(gpt2::ggml_axes(info)), lengths(gpt2::logical_axes(info))};
    }
    GivenInfo given = describe(std::get<Given>(part), config, tokens, tied_output);
    const std::string prefix = given.per_block ? "blk." + std::to_string(block) + "." : "";
    std::vector<std::size_t> logical(given.ggml_shape.rbegin(), given.ggml_shape.rend());
    return {prefix + std::string(given.name), std::move(given.ggml_shape), std::move(logical)};
  }

  [[nodiscard]] LogEntry entry(const Operation& operation, std::size_t block, NodeRef input) const {
    const NodeRef ref{operation.node, block};
    const NodeInfo& info = gpt2::info(ref.node);
    LogEntry entry{ref,
                   gpt2::full_name(ref),
                   operation.name,
                   {},
                   lengths(gpt2::ggml_axes(info)),
                   lengths(gpt2::logical_axes(info)),
                   info.ours,
                   operation.note};
    entry.operands.push_back(operand(operation.first, block, input));
    if (operation.second) entry.operands.push_back(operand(*operation.second, block, input));
    return entry;
  }
};

}  // namespace

std::vector<LogEntry> runtime_log(const Config& config, std::size_t tokens, bool tied_output) {
  const Graph graph{config, tokens, tied_output};
  std::vector<LogEntry> log;
  NodeRef input{kInput, 0};
  for (const Operation& operation : kBefore) log.push_back(graph.entry(operation, 0, input));
  for (std::size_t l = 0; l < config.block_count; ++l) {
    for (const Operation& operation : kBlock) log.push_back(graph.entry(operation, l, input));
    input = {kBlockOutput, l};
  }
  for (const Operation& operation : kAfter) log.push_back(graph.entry(operation, 0, input));
  return log;
}

std::vector<LogEntry> matching(std::vector<LogEntry> log, const std::string& pattern) {
  std::optional<std::regex> expression;
  try {
    expression.emplace(pattern);
  } catch (const std::regex_error& error) {
    throw Error(ErrorCode::kBadArgument, {"filter", pattern + " (" + error.what() + ")", "a regular expression"});
  }
  const auto matches = [&](const std::string& name) {
    return std::regex_search(name, *expression);
  };
  std::erase_if(log, [&](const LogEntry& entry) {
    return !matches(entry.name) && std::ranges::none_of(entry.operands, matches, &LogOperand::name);
  });
  return log;
}

}  // namespace headflow::analysis
