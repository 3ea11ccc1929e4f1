#include "gpt2/goal.h"

namespace headflow::gpt2 {

bool is_inner(Node node) noexcept {
  const StageKind stage = info(node).stage;
  return (stage == StageKind::kAttention || stage == StageKind::kMlp) && node != Node::kBlockOutput;
}

Goal goal_for(NodeRef ref, RowRange rows) noexcept {
  return {{info(ref.node).stage, info(ref.node).per_block ? ref.block : 0},
          is_inner(ref.node) || info(ref.node).stage == StageKind::kLogits ? rows : RowRange{}};
}

}  // namespace headflow::gpt2
