// Regular expressions of one small dialect, for names of nodes and operands, whose search takes time in
// proportion to text times pattern, whatever they are.
//
//   a        itself               .        any byte
//   \. \\    a sign itself        \d \w \s a digit, a letter, digit or _, white space; \D \W \S all else
//   [a-z_]   one of these         [^0-9]   none of these
//   x* x+ x? any number of times, at least once, at most once
//   xy x|y   one after the other, either
//   (x) (?:x) as one              ^ $      the beginning and the end of the text
//
// Everything else that other dialects have ({2,3}, \b, \1, x*?, (?=x), ...) is refused by its name and place.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace headflow {

class Pattern {
 public:
  // Throws Error (bad_argument) for what is not in the dialect.
  explicit Pattern(std::string_view text);

  // Whether some part of `text` matches.
  [[nodiscard]] bool is_in(std::string_view text) const;

 private:
  friend class PatternParser;

  using Bytes = std::bitset<256>;
  enum class Kind : std::uint8_t { kBytes, kBoth, kOn, kBegin, kEnd, kMatch };
  // A state of the automaton: takes one of some bytes, goes on both ways, goes on, or does so at the text's begin or
  // end alone.
  struct State {
    Kind kind = Kind::kOn;
    std::uint32_t next = 0;
    std::uint32_t other = 0;  // For kBoth a state; for kBytes an index into sets_.
  };
  class Run;

  std::vector<State> states_;
  std::vector<Bytes> sets_;
  std::uint32_t start_ = 0;
};

}  // namespace headflow
