#include "tokenizer/utf8.h"

namespace headflow {
namespace {

constexpr char32_t byte_at(std::string_view text, std::size_t index) noexcept {
  return static_cast<unsigned char>(text[index]);
}

// How many bytes the first one announces, 0 if it can't be a first byte, and the least value that needs so many.
struct Lead {
  std::size_t size;
  char32_t bits;
  char32_t least;
};

constexpr Lead read_lead(char32_t byte) noexcept {
  if (byte < 0x80) return {1, byte, 0};
  if (byte < 0xC0) return {0, 0, 0};
  if (byte < 0xE0) return {2, byte & 0x1F, 0x80};
  if (byte < 0xF0) return {3, byte & 0x0F, 0x800};
  if (byte < 0xF8) return {4, byte & 0x07, 0x10000};
  return {0, 0, 0};
}

constexpr bool is_surrogate(char32_t value) noexcept {
  return value >= 0xD800 && value <= 0xDFFF;
}

}  // namespace

CodePoint first_code_point(std::string_view text) noexcept {
  const Lead lead = read_lead(byte_at(text, 0));
  if (lead.size == 0 || lead.size > text.size()) return {};
  char32_t value = lead.bits;
  for (std::size_t i = 1; i < lead.size; ++i) {
    const char32_t byte = byte_at(text, i);
    if ((byte & 0xC0) != 0x80) return {};
    value = value << 6 | (byte & 0x3F);
  }
  if (value < lead.least || value > 0x10FFFF || is_surrogate(value)) return {};
  return {value, lead.size};
}

}  // namespace headflow
