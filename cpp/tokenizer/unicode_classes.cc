#include "tokenizer/unicode_classes.h"

#include <algorithm>

#include "tokenizer/unicode_runs.h"

namespace headflow {

CharacterClass character_class(char32_t code_point) noexcept {
  // A run holds its first code point above its class, so the last run not beyond (code point, 3) is the one.
  const auto after =
      std::upper_bound(kUnicodeRuns.begin(), kUnicodeRuns.end(), static_cast<std::uint32_t>(code_point) << 2 | 3U);
  return static_cast<CharacterClass>(*(after - 1) & 3U);
}

}  // namespace headflow
