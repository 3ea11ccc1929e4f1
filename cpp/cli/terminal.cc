#include "cli/terminal.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "tokenizer/utf8.h"

namespace headflow::cli {
namespace {

// Whether a terminal would obey or hide it, or draw what follows in another place.
bool is_control(char32_t code) {
  const auto within = [code](char32_t first, char32_t last) {
    return code >= first && code <= last;
  };
  return code < 0x20 || within(0x7F, 0x9F) || code == 0x061C || within(0x200B, 0x200F) || within(0x2028, 0x202E) ||
         within(0x2060, 0x206F) || code == 0xFEFF || within(0xFFF9, 0xFFFB) || within(0xE0000, 0xE007F);
}

void append_escaped(std::string& out, const char* format, unsigned value) {
  std::array<char, 16> text{};
  (void)std::snprintf(text.data(), text.size(), format, value);
  out += text.data();
}

void append(std::string& out, std::string_view text, const CodePoint& point, bool lines) {
  if (!point.value) return append_escaped(out, "\\x%02X", static_cast<unsigned char>(text.front()));
  const char32_t code = *point.value;
  if (!is_control(code) || (lines && (code == '\n' || code == '\t'))) {
    out += text.substr(0, point.size);
  } else if (code < 0x80) {
    append_escaped(out, "\\x%02X", static_cast<unsigned>(code));
  } else {
    append_escaped(out, "\\u{%04X}", static_cast<unsigned>(code));
  }
}

// Whether `text`, which starts no character, may yet become one.
bool may_go_on(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead >= 0xF0 ? kLongest : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  return text.size() < length &&
         std::ranges::all_of(
             text.substr(1), [](char each) { return (static_cast<unsigned char>(each) & 0xC0U) == 0x80; });
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    append(out, text, point, false);
    text.remove_prefix(point.size);
  }
  return out;
}

std::string quoted(std::string_view text) {
  constexpr std::string_view kMarked = "\n\t\"\\";
  constexpr std::string_view kMarks = "nt\"\\";
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kMarked), text.size());
    out += one_line(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty()) break;
    out += '\\';
    out += kMarks[kMarked.find(text.front())];
    text.remove_prefix(1);
  }
  return out + '"';
}

std::string TerminalText::push(std::string_view piece) {
  pending_ += piece;
  std::string_view rest = pending_;
  std::string out;
  while (!rest.empty()) {
    const CodePoint point = first_code_point(rest);
    if (!point.value && may_go_on(rest)) break;
    append(out, rest, point, true);
    rest.remove_prefix(point.size);
  }
  pending_ = std::string(rest);
  return out;
}

std::string TerminalText::finish() {
  std::string out = one_line(pending_);
  pending_.clear();
  return out;
}

}  // namespace headflow::cli
