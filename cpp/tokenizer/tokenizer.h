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
