#include "gpt2/activations.h"

namespace headflow::gpt2 {

BlockActivations::BlockActivations(const Config& config) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const NodeInfo& node = info(static_cast<Node>(kFirst + i));
    if (holds(node.node)) nodes_[i] = Rows(length(node.columns, config, 0));
  }
}

bool BlockActivations::holds(Node node) noexcept {
  const NodeInfo& description = info(node);
  return description.per_block && !description.per_head && node != Node::kBlockOutput;
}

std::span<float> BlockActivations::rows(Node node, std::size_t first, std::size_t last) {
  return nodes_[static_cast<std::size_t>(node) - kFirst].rows(first, last);
}

std::span<const float> BlockActivations::rows(Node node, std::size_t first, std::size_t last) const {
  return nodes_[static_cast<std::size_t>(node) - kFirst].rows(first, last);
}

void BlockActivations::reserve(StageKind stage, std::size_t rows) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (info(static_cast<Node>(kFirst + i)).stage == stage) nodes_[i].resize(rows);
  }
}

std::size_t BlockActivations::bytes() const noexcept {
  std::size_t bytes = 0;
  for (const Rows& rows : nodes_) bytes += rows.bytes();
  return bytes;
}

}  // namespace headflow::gpt2
