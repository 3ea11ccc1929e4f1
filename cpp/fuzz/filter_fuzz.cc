// Any pattern, before the first line break, in any text, behind it: refused with an Error, or looked for. What is found
// in a part of a text is found in the text too, unless the pattern asks for its ends.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headflow;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view pattern_text = input.substr(0, end);
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  try {
    const Pattern pattern(pattern_text);
    const bool anchored = pattern_text.find_first_of("^$") != std::string_view::npos;
    const bool in_part = pattern.is_in(text.substr(0, text.size() / 2));
    if (!anchored && in_part && !pattern.is_in(text)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
