// The classes of characters that GPT-2's pre-split tells apart, for every Unicode code point.
// The table is of Unicode 17.0: unicode_runs.h, written by scripts/unicode/generate.mjs.
#pragma once

#include <cstdint>

namespace headflow {

enum class CharacterClass : std::uint8_t {
  kOther = 0,   // [^\s\p{L}\p{N}]
  kLetter = 1,  // \p{L}
  kNumber = 2,  // \p{N}
  kSpace = 3,   // White_Space
};

[[nodiscard]] CharacterClass character_class(char32_t code_point) noexcept;

}  // namespace headflow
