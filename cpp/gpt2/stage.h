// The stages in which a forward pass runs, and that weights are loaded for.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace headflow::gpt2 {

enum class StageKind : std::uint8_t {
  kEmbed,      // X_0 = E_tok + E_pos
  kAttention,  // Z_l .. A_l, R_l = X_l + A_l
  kMlp,        // LN(R_l) .. F_l, X_(l+1) = R_l + F_l
  kLogits,     // final norm and output matrix
};

inline constexpr std::size_t kStageKindCount = 4;

struct Stage {
  StageKind kind = StageKind::kEmbed;
  std::size_t block = 0;  // For kAttention and kMlp.

  // Embed comes first, then attention and MLP of each block, then logits.
  [[nodiscard]] std::size_t order(std::size_t block_count) const noexcept {
    switch (kind) {
      case StageKind::kEmbed: return 0;
      case StageKind::kAttention: return 1 + 2 * block;
      case StageKind::kMlp: return 2 + 2 * block;
      case StageKind::kLogits: return 1 + 2 * block_count;
    }
    return 0;
  }
  friend bool operator==(const Stage&, const Stage&) = default;
};

}  // namespace headflow::gpt2
