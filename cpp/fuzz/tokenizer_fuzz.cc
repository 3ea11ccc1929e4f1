// Any bytes as text are split into tokens whose bytes, side by side, are the text; and a vocabulary of any bytes is
// read or refused with an Error.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tokenizer/byte_symbols.h"
#include "tokenizer/tokenizer.h"

namespace {

using headflow::Tokenizer;

std::vector<std::string> byte_tokens() {
  std::vector<std::string> tokens;
  for (unsigned byte = 0; byte < 256; ++byte)
    tokens.push_back(headflow::byte_symbol_text(static_cast<std::uint8_t>(byte)));
  return tokens;
}

void require_round_trip(const Tokenizer& tokenizer, std::string_view text) {
  if (tokenizer.decode(tokenizer.encode(text)) != text) std::abort();
}

// The lines: tokens that have no space, and merges.
void read_vocabulary(std::string_view text) {
  std::vector<std::string> tokens = byte_tokens();
  std::vector<std::string> merges;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    (line.find(' ') == std::string::npos ? tokens : merges).push_back(line);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  try {
    const Tokenizer tokenizer(tokens, merges);
    for (const std::string& token : tokens) require_round_trip(tokenizer, token);
  } catch (const headflow::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tokenizer tokenizer = [] {
    std::vector<std::string> tokens = byte_tokens();
    for (const char* const token : {"he", "hee", "aa", "aaaa", "Ġh"}) tokens.emplace_back(token);
    const std::vector<std::string> merges = {"h e", "he e", "a a", "aa aa", "Ġ h"};
    return Tokenizer(tokens, merges);
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require_round_trip(tokenizer, text);
  read_vocabulary(text);
  return 0;
}
