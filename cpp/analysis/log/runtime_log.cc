#include "analysis/log/runtime_log.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/pattern.h"

namespace headflow::analysis {
namespace {

using gpt2::Config;
using gpt2::Node;
using gpt2::NodeInfo;
using gpt2::NodeRef;

using gpt2::Input;
using gpt2::LogAxis;
using gpt2::LogView;
using gpt2::Weight;
using Shape = std::vector<std::size_t>;

// What one log is about.
class Writer {
 public:
  Writer(const Config& config, std::size_t tokens, bool tied_output)
      : config_(config), tokens_(tokens), tied_output_(tied_output) {}

  [[nodiscard]] LogEntry entry(NodeRef ref) const {
    const NodeInfo& info = gpt2::info(ref.node);
    LogEntry entry{
        ref,       gpt2::full_name(ref), {}, {}, lengths(gpt2::ggml_axes(info)), lengths(gpt2::logical_axes(info)),
        info.ours, info.log.note};
    const gpt2::LogOperation& operation = info.log.operations.back();
    entry.operation = operation.operation;
    entry.operands.push_back(operand(operation.first, ref));
    if (operation.second) entry.operands.push_back(operand(*operation.second, ref));
    return entry;
  }

 private:
  [[nodiscard]] Shape lengths(const std::vector<gpt2::Axis>& axes) const {
    Shape shape;
    for (const gpt2::Axis axis : axes) shape.push_back(gpt2::length(axis, config_, tokens_));
    return shape;
  }

  [[nodiscard]] std::size_t length(LogAxis axis) const {
    switch (axis) {
      case LogAxis::kOne: return 1;
      case LogAxis::kTokens:
      case LogAxis::kKeys: return tokens_;
      case LogAxis::kWidth: return config_.embedding_length;
      case LogAxis::kHeads: return config_.head_count;
      case LogAxis::kHeadDim: return config_.head_dim;
      case LogAxis::kElements:
      case LogAxis::kCacheElements: return tokens_ * config_.embedding_length;
    }
    return 0;
  }

  [[nodiscard]] LogOperand operand(const gpt2::LogSource& source, NodeRef of) const {
    if (const auto* const node = std::get_if<Node>(&source)) return operand(gpt2::operand_ref(of, *node, config_));
    if (const auto* const weight = std::get_if<Weight>(&source)) {
      const gpt2::WeightInfo& info = gpt2::info(*weight);
      const std::string name = gpt2::full_name(*weight, of.block, tied_output_);
      return {name, name, lengths(gpt2::ggml_axes(info)), lengths(gpt2::logical_axes(info))};
    }
    if (const auto* const input = std::get_if<Input>(&source)) return operand(*input);
    return operand(std::get<LogView>(source), of.block);
  }

  [[nodiscard]] LogOperand operand(NodeRef ref) const {
    const NodeInfo& info = gpt2::info(ref.node);
    const std::string name = gpt2::full_name(ref);
    return {name, name, lengths(gpt2::ggml_axes(info)), lengths(gpt2::logical_axes(info))};
  }

  [[nodiscard]] LogOperand operand(Input input) const {
    const std::string name(gpt2::name(input));
    const Shape shape = input == Input::kMask ? Shape{tokens_, tokens_} : Shape{tokens_};
    return {name, name, shape, shape};
  }

  [[nodiscard]] LogOperand operand(const LogView& view, std::size_t block) const {
    std::string name(view.name);
    if (const std::size_t at = name.find('%'); at != std::string::npos) name.replace(at, 1, std::to_string(block));
    Shape shape;
    for (const LogAxis axis : view.shape) shape.push_back(length(axis));
    Shape logical(shape.rbegin(), shape.rend());
    return {name, gpt2::full_name({view.of, block}), std::move(shape), std::move(logical)};
  }

  const Config& config_;
  std::size_t tokens_;
  bool tied_output_;
};

// The nodes of a stage that llama.cpp has too, in its order.
std::vector<Node> listed(gpt2::StageKind stage) {
  std::vector<Node> order;
  for (const NodeInfo& node : gpt2::nodes()) {
    if (node.stage == stage && !node.log.operations.empty() && !node.log.after) order.push_back(node.node);
  }
  for (const NodeInfo& node : gpt2::nodes()) {
    const auto before = node.log.after ? std::ranges::find(order, *node.log.after) : order.end();
    if (node.stage == stage && before != order.end()) order.insert(before + 1, node.node);
  }
  return order;
}

}  // namespace

std::vector<LogEntry> runtime_log(const Config& config, std::size_t tokens, bool tied_output) {
  using gpt2::StageKind;
  const Writer writer(config, tokens, tied_output);
  std::vector<LogEntry> log;
  const auto append = [&](StageKind stage, std::size_t block) {
    for (const Node node : listed(stage)) log.push_back(writer.entry({node, block}));
  };
  append(StageKind::kEmbed, 0);
  for (std::size_t l = 0; l < config.block_count; ++l) {
    append(StageKind::kAttention, l);
    append(StageKind::kMlp, l);
  }
  append(StageKind::kLogits, 0);
  return log;
}

std::vector<LogEntry> matching(std::vector<LogEntry> log, const std::string& filter) {
  const Pattern pattern(filter);
  const auto matches = [&](const std::string& name) {
    return pattern.is_in(name);
  };
  std::erase_if(log, [&](const LogEntry& entry) {
    return !matches(entry.name) && std::ranges::none_of(entry.operands, [&](const LogOperand& operand) {
      return matches(operand.name) || matches(operand.of);
    });
  });
  return log;
}

}  // namespace headflow::analysis
