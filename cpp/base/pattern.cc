// Thompson's construction and simulation. Both keep their own stacks, so that no nesting is too deep.
#include "base/pattern.h"

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"

namespace headflow {

// Reads the pattern from left to right; a fragment is entered at `start` and left at `end`, a state that goes on.
class PatternParser {
 public:
  PatternParser(std::string_view text, Pattern& pattern) : text_(text), pattern_(pattern) {}

  void run() {
    groups_.push_back(open_group(0));
    while (at_ < text_.size()) step();
    if (groups_.size() > 1) refuse(groups_.back().place, "a group that is not closed", "\")\"");
    const Fragment whole = close_group();
    pattern_.start_ = whole.start;
    pattern_.states_[whole.end].next = add(Kind::kMatch);
  }

 private:
  using Kind = Pattern::Kind;
  using Bytes = Pattern::Bytes;

  struct Fragment {
    std::uint32_t start;
    std::uint32_t end;
  };
  struct Group {
    std::size_t place;                     // Of its parenthesis.
    Fragment sequence;                     // What is read of the current alternative, but for the last part.
    std::optional<Fragment> last;          // Its last part, which may still be repeated.
    bool repeated = false;                 // Whether `last` was.
    std::optional<Fragment> alternatives;  // Those before.
  };

  [[noreturn]] void refuse(std::size_t place, std::string_view got, std::string_view expected) const {
    throw Error(ErrorCode::kBadArgument, {"filter, at character " + std::to_string(place + 1), std::string(got),
                                          std::string(expected), "A \"\\\" before a sign takes it as itself"});
  }
  // The same, of a sign: `got` is what stands before it.
  [[noreturn]] void refuse_sign(std::size_t place, std::string got, char sign, std::string_view expected) const {
    got += sign;
    got += '"';
    refuse(place, got, expected);
  }

  std::uint32_t add(Kind kind, std::uint32_t next = 0, std::uint32_t other = 0) {
    pattern_.states_.push_back({kind, next, other});
    return static_cast<std::uint32_t>(pattern_.states_.size() - 1);
  }
  Fragment single(Kind kind, std::uint32_t other = 0) {
    const std::uint32_t end = add(Kind::kOn);
    return {add(kind, end, other), end};
  }
  Fragment one_of(const Bytes& bytes) {
    pattern_.sets_.push_back(bytes);
    return single(Kind::kBytes, static_cast<std::uint32_t>(pattern_.sets_.size() - 1));
  }
  Fragment nothing() {
    const std::uint32_t state = add(Kind::kOn);
    return {state, state};
  }

  Group open_group(std::size_t place) { return {place, nothing(), std::nullopt, false, std::nullopt}; }

  void end_sequence(Group& group) {
    if (group.last) {
      pattern_.states_[group.sequence.end].next = group.last->start;
      group.sequence.end = group.last->end;
    }
    group.last.reset();
    group.repeated = false;
  }
  void end_alternative(Group& group) {
    end_sequence(group);
    if (!group.alternatives) {
      group.alternatives = group.sequence;
    } else {
      const std::uint32_t end = add(Kind::kOn);
      pattern_.states_[group.alternatives->end].next = end;
      pattern_.states_[group.sequence.end].next = end;
      group.alternatives = Fragment{add(Kind::kBoth, group.alternatives->start, group.sequence.start), end};
    }
    group.sequence = nothing();
  }
  Fragment close_group() {
    end_alternative(groups_.back());
    const Fragment whole = *groups_.back().alternatives;
    groups_.pop_back();
    return whole;
  }
  void append(Fragment part) {
    end_sequence(groups_.back());
    groups_.back().last = part;
  }

  void repeat(char sign) {
    Group& group = groups_.back();
    if (!group.last || group.repeated) {
      refuse_sign(at_, "\"", sign, "something before it to repeat, and repeated once");
    }
    const Fragment part = *group.last;
    const std::uint32_t end = add(Kind::kOn);
    const std::uint32_t choice = add(Kind::kBoth, part.start, end);
    pattern_.states_[part.end].next = sign == '?' ? end : choice;
    group.last = Fragment{sign == '+' ? part.start : choice, end};
    group.repeated = true;
  }

  void step() {
    const char sign = text_[at_];
    switch (sign) {
      case '(': return begin_group();
      case ')':
        if (groups_.size() == 1) refuse(at_, "\")\"", "a \"(\" before it");
        append(close_group());
        break;
      case '|': end_alternative(groups_.back()); break;
      case '*':
      case '+':
      case '?': repeat(sign); break;
      case '.': append(one_of(Bytes().set())); break;
      case '^': append(single(Kind::kBegin)); break;
      case '$': append(single(Kind::kEnd)); break;
      case '[': return append(one_of(read_class()));
      case '\\': return append(one_of(read_escape()));
      case '{':
      case '}': refuse_sign(at_, "a repetition in braces, \"", sign, "*, + or ?");
      case ']': refuse(at_, "\"]\"", "a \"[\" before it");
      default: append(one_of(byte_set(sign)));
    }
    ++at_;
  }

  void begin_group() {
    const std::size_t place = at_++;
    if (at_ < text_.size() && text_[at_] == '?') {
      if (text_.substr(at_, 2) != "?:") refuse(place, "a group of another kind, \"(?\"", "\"(x)\" or \"(?:x)\"");
      at_ += 2;
    }
    groups_.push_back(open_group(place));
  }

  static Bytes byte_set(char byte) { return Bytes().set(static_cast<unsigned char>(byte)); }
  static Bytes range(unsigned first, unsigned last) {
    Bytes bytes;
    for (unsigned byte = first; byte <= last; ++byte) bytes.set(byte);
    return bytes;
  }

  // From the backslash on; leaves `at_` behind it.
  Bytes read_escape() {
    const std::size_t place = at_++;
    if (at_ == text_.size()) refuse(place, "\"\\\" at the end", "a sign after it");
    const char sign = text_[at_++];
    const Bytes digits = range('0', '9');
    const Bytes word = digits | range('a', 'z') | range('A', 'Z') | byte_set('_');
    const Bytes space = range('\t', '\r') | byte_set(' ');
    switch (sign) {
      case 'd': return digits;
      case 'D': return ~digits;
      case 'w': return word;
      case 'W': return ~word;
      case 's': return space;
      case 'S': return ~space;
      default: break;
    }
    if (word.test(static_cast<unsigned char>(sign))) {
      refuse_sign(place, "\"\\", sign, "\\d, \\w, \\s, \\D, \\W, \\S or an escaped sign");
    }
    return byte_set(sign);
  }

  // From the bracket on; leaves `at_` behind the closing one.
  Bytes read_class() {
    const std::size_t place = at_++;
    const bool negated = at_ < text_.size() && text_[at_] == '^';
    if (negated) ++at_;
    Bytes bytes;
    for (bool first = true; at_ >= text_.size() || text_[at_] != ']' || first; first = false) {
      if (at_ >= text_.size()) refuse(place, "a class that is not closed", "\"]\"");
      if (text_[at_] == ']') refuse(place, "an empty class", "at least one sign in it");
      const std::size_t begin = at_;
      const Bytes low = read_class_part();
      const bool is_range = at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']';
      if (!is_range) {
        bytes |= low;
        continue;
      }
      ++at_;
      const Bytes high = read_class_part();
      if (low.count() != 1 || high.count() != 1 || first_of(low) > first_of(high)) {
        refuse(begin, "a range whose ends are not in order", "such as \"a-z\"");
      }
      bytes |= range(first_of(low), first_of(high));
    }
    ++at_;
    return negated ? ~bytes : bytes;
  }
  Bytes read_class_part() {
    if (text_[at_] == '\\') return read_escape();
    return byte_set(text_[at_++]);
  }
  static unsigned first_of(const Bytes& bytes) {
    unsigned byte = 0;
    while (!bytes.test(byte)) ++byte;
    return byte;
  }

  std::string_view text_;
  Pattern& pattern_;
  std::size_t at_ = 0;
  std::vector<Group> groups_;  // Outermost first.
};

Pattern::Pattern(std::string_view text) {
  PatternParser(text, *this).run();
}

// All states that a text so far may have led to.
class Pattern::Run {
 public:
  Run(const Pattern& pattern, std::size_t length)
      : pattern_(pattern), length_(length), seen_(pattern.states_.size(), 0) {}

  // Enters a state, and those that it goes on to, at this place of the text.
  void enter(std::uint32_t state, std::size_t place) {
    open_.push_back(state);
    while (!open_.empty()) {
      const std::uint32_t index = open_.back();
      open_.pop_back();
      if (std::exchange(seen_[index], place + 1) == place + 1) continue;
      const State& entered = pattern_.states_[index];
      switch (entered.kind) {
        case Kind::kBytes: entered_.push_back(index); break;
        case Kind::kMatch: matched_ = true; break;
        case Kind::kBoth: open_.push_back(entered.other); [[fallthrough]];
        case Kind::kOn: open_.push_back(entered.next); break;
        case Kind::kBegin:
          if (place == 0) open_.push_back(entered.next);
          break;
        case Kind::kEnd:
          if (place == length_) open_.push_back(entered.next);
          break;
      }
    }
  }

  // Takes the byte at this place.
  void take(char byte, std::size_t place) {
    const std::vector<std::uint32_t> from = std::exchange(entered_, {});
    for (const std::uint32_t index : from) {
      const State& state = pattern_.states_[index];
      if (pattern_.sets_[state.other].test(static_cast<unsigned char>(byte))) enter(state.next, place + 1);
    }
  }

  [[nodiscard]] bool matched() const noexcept { return matched_; }

 private:
  const Pattern& pattern_;
  std::size_t length_;
  std::vector<std::size_t> seen_;  // The last place at which each state was entered, and one.
  std::vector<std::uint32_t> entered_;
  std::vector<std::uint32_t> open_;
  bool matched_ = false;
};

bool Pattern::is_in(std::string_view text) const {
  Run run(*this, text.size());
  for (std::size_t place = 0;; ++place) {
    run.enter(start_, place);
    if (run.matched() || place == text.size()) return run.matched();
    run.take(text[place], place);
  }
}

}  // namespace headflow
