#include "tokenizer/byte_symbols.h"

#include <array>

#include "tokenizer/utf8.h"

namespace headflow {
namespace {

constexpr bool stands_for_itself(unsigned byte) noexcept {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<char32_t, 256> make_symbols() noexcept {
  std::array<char32_t, 256> symbols{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) symbols[byte] = stands_for_itself(byte) ? byte : next++;
  return symbols;
}

constexpr std::array<char32_t, 256> kSymbols = make_symbols();
constexpr std::size_t kEnd = 0x144;  // One past the largest symbol.

constexpr std::array<std::int16_t, kEnd> make_bytes() noexcept {
  std::array<std::int16_t, kEnd> bytes{};
  bytes.fill(-1);
  for (std::size_t byte = 0; byte < kSymbols.size(); ++byte) bytes[kSymbols[byte]] = static_cast<std::int16_t>(byte);
  return bytes;
}

constexpr std::array<std::int16_t, kEnd> kBytes = make_bytes();

}  // namespace

std::string byte_symbol_text(std::uint8_t byte) {
  const char32_t symbol = kSymbols[byte];
  if (symbol < 0x80) return {static_cast<char>(symbol)};
  return {static_cast<char>(0xC0 | symbol >> 6), static_cast<char>(0x80 | (symbol & 0x3F))};
}

std::optional<std::string> bytes_of_symbols(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!point.value || *point.value >= kEnd || kBytes[*point.value] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(kBytes[*point.value]));
    text.remove_prefix(point.size);
  }
  return bytes;
}

}  // namespace headflow
