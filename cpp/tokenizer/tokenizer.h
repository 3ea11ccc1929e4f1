// GPT-2's byte-level byte-pair encoding, from the vocabulary and merges of a GGUF file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/header.h"

namespace headflow {

using TokenId = std::int32_t;

struct Merge {
  TokenId left = 0;
  TokenId right = 0;
  TokenId result = 0;
};

// One pass over a word: the merge of lowest rank that applies, and the pieces once all its occurrences are merged.
struct MergePass {
  std::uint32_t rank = 0;
  Merge merge;
  std::vector<TokenId> pieces;
};

// A word of the pre-split and how its bytes become tokens: the pieces of the last pass, or the bytes where there is
// none.
struct MergedWord {
  std::string_view bytes;  // Of the text.
  std::vector<TokenId> byte_tokens;
  std::vector<MergePass> passes;

  [[nodiscard]] const std::vector<TokenId>& tokens() const {
    return passes.empty() ? byte_tokens : passes.back().pieces;
  }
};

// Encoding adds no BOS, normalises nothing and trims nothing. Special tokens are never matched in text.
class Tokenizer {
 public:
  // `tokens` and `merges` in the GGUF's form: byte symbols mapped to printable code points; merges "left right".
  // Throws Error (malformed) for a merge whose parts or result are no tokens, a byte without a symbol, and duplicates.
  Tokenizer(std::span<const std::string> tokens, std::span<const std::string> merges);
  // From tokenizer.ggml.model ("gpt2"), .pre ("gpt-2", or absent), .tokens, .merges.
  explicit Tokenizer(const gguf::Header& header);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // Any bytes; bytes that are not UTF-8 are kept byte by byte. O(n log n).
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const;
  // Appends the tokens of the first words of `text`: at least one word, and whole ones until `length` bytes are
  // reached. Returns how many bytes these have. Called until the text is empty it gives what `encode` gives.
  std::size_t encode_some(std::string_view text, std::size_t length, std::vector<TokenId>& tokens) const;
  // The same for the first word of a text that is not empty, pass by pass. Throws Error (bad_argument) for a word of
  // more than kLongestMergedWord bytes: passes take memory that grows with its square.
  static constexpr std::size_t kLongestMergedWord = 1024;
  [[nodiscard]] MergedWord merge_first_word(std::string_view text) const;
  // The exact bytes of the tokens, side by side. Throws Error (bad_argument) for an id out of range.
  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const;
  // The bytes of one token.
  [[nodiscard]] std::string_view bytes(TokenId id) const;

  [[nodiscard]] std::size_t size() const noexcept;                          // Vocabulary size V.
  [[nodiscard]] std::optional<TokenId> find(std::string_view bytes) const;  // The token with exactly these bytes.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The pre-split of GPT-2: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// Returns the pieces, side by side equal to `text`. White space is Unicode's White_Space property.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text);
// The first piece of a text that is not empty; what follows is split as if it stood alone.
[[nodiscard]] std::string_view first_word(std::string_view text);

}  // namespace headflow
