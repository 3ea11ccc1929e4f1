// What may be shown on a terminal: text of files, paths and models holds no command for it.
#pragma once

#include <string>
#include <string_view>

namespace headflow::cli {

// Text on one line: line breaks, other control characters, those that turn the direction of text, and bytes that are
// not UTF-8 appear as "\xNN" or "\u{N}".
[[nodiscard]] std::string one_line(std::string_view text);

// The same between double quotes, with \n, \t, \" and \\ for a line break, a tab, a quote and a backslash.
[[nodiscard]] std::string quoted(std::string_view text);

// Text that comes in pieces, which may end within a character. Line breaks and tabs stay, the rest as in `one_line`.
class TerminalText {
 public:
  [[nodiscard]] std::string push(std::string_view piece);
  // What is left of a character that did not end.
  [[nodiscard]] std::string finish();

 private:
  std::string pending_;
};

}  // namespace headflow::cli
