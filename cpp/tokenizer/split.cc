// The pre-split, matched by hand: what the regular expression does, without a regular expression.
#include "tokenizer/tokenizer.h"
#include "tokenizer/unicode_classes.h"
#include "tokenizer/utf8.h"

namespace headflow {
namespace {

struct Character {
  CharacterClass kind;
  std::size_t size;
};

Character read_character(std::string_view text) noexcept {
  const CodePoint point = first_code_point(text);
  return {point.value ? character_class(*point.value) : CharacterClass::kOther, point.size};
}

// 's|'t|'re|'ve|'m|'ll|'d at the start of `text`: its length, or 0.
std::size_t contraction_length(std::string_view text) noexcept {
  for (const std::string_view contraction : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(contraction)) return contraction.size();
  }
  return 0;
}

// A run of characters of one class at the start of a text.
struct Run {
  std::size_t length = 0;          // Bytes.
  std::size_t last_character = 0;  // Where the last character starts.
};

Run read_run(std::string_view text, CharacterClass kind) noexcept {
  Run run;
  while (run.length < text.size()) {
    const Character next = read_character(text.substr(run.length));
    if (next.kind != kind) break;
    run.last_character = run.length;
    run.length += next.size;
  }
  return run;
}

// ` ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+` at the start of `text`: its length, or 0.
std::size_t word_length(std::string_view text) noexcept {
  const std::size_t space = text.front() == ' ' ? 1 : 0;
  const std::string_view word = text.substr(space);
  if (word.empty()) return 0;
  const CharacterClass kind = read_character(word).kind;
  return kind == CharacterClass::kSpace ? 0 : space + read_run(word, kind).length;
}

// `\s+(?!\S)|\s+` at the start of `text`, which is white space: a run before more text leaves its last character
// behind, unless it is the only one.
std::size_t space_length(std::string_view text) noexcept {
  const Run run = read_run(text, CharacterClass::kSpace);
  const bool text_follows = run.length < text.size();
  return text_follows && run.last_character > 0 ? run.last_character : run.length;
}

std::size_t piece_length(std::string_view text) noexcept {
  if (const std::size_t length = contraction_length(text); length > 0) return length;
  if (const std::size_t length = word_length(text); length > 0) return length;
  return space_length(text);
}

}  // namespace

std::string_view first_word(std::string_view text) {
  return text.substr(0, piece_length(text));
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    words.push_back(first_word(text));
    text.remove_prefix(words.back().size());
  }
  return words;
}

}  // namespace headflow
