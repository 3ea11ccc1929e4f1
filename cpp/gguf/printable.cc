#include "gguf/printable.h"

namespace headflow::gguf {

std::string printable(std::string_view bytes) {
  constexpr std::size_t kLongest = 80;
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char each : bytes.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x20 && byte < 0x7F) {
      text += each;
    } else {
      text += "\\x";
      text += kDigits[byte >> 4U];
      text += kDigits[byte & 15U];
    }
  }
  if (bytes.size() > kLongest) text += "...";
  return text;
}

}  // namespace headflow::gguf
