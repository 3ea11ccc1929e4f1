// What a run changes on the way: heads switched off.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headflow::gpt2 {

// What stands in the place of a head's output O_h before Concat, in every row.
enum class EditKind : std::uint8_t {
  kZero,
  kMean,  // The mean of O_h over all rows of this prompt: a row then depends on those after it, too.
};

struct Edit {
  std::size_t block = 0;
  std::size_t head = 0;
  EditKind kind = EditKind::kZero;
  friend auto operator<=>(const Edit&, const Edit&) = default;
};

// Whether what the edit puts in depends on all rows of the prompt.
[[nodiscard]] constexpr bool needs_all_rows(const Edit& edit) noexcept {
  return edit.kind == EditKind::kMean;
}

// Those of one block, of edits in ascending order.
[[nodiscard]] inline std::span<const Edit> edits_of(std::span<const Edit> edits, std::size_t block) noexcept {
  return {std::ranges::lower_bound(edits, block, {}, &Edit::block),
          std::ranges::upper_bound(edits, block, {}, &Edit::block)};
}

}  // namespace headflow::gpt2
