// The vocabulary: read and checked once, then looked up. Splitting and merging have files of their own.
#include "tokenizer/tokenizer.h"

#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "tokenizer/byte_symbols.h"
#include "tokenizer/merge_table.h"

namespace headflow {
namespace {

constexpr std::string_view kTokensKey = "tokenizer.ggml.tokens";
constexpr std::string_view kMergesKey = "tokenizer.ggml.merges";
constexpr std::string_view kModelKey = "tokenizer.ggml.model";
constexpr std::string_view kPreKey = "tokenizer.ggml.pre";

[[noreturn]] void throw_malformed(std::string_view key, std::size_t index, std::string got, std::string expected) {
  throw Error(ErrorCode::kMalformed,
              {std::string(key) + "[" + std::to_string(index) + "]", std::move(got), std::move(expected)});
}

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

using SymbolIndex = std::unordered_map<std::string_view, TokenId>;  // Token ids by the file's spelling.

SymbolIndex index_symbols(std::span<const std::string> tokens) {
  SymbolIndex index;
  index.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto [place, is_new] = index.emplace(tokens[i], static_cast<TokenId>(i));
    if (!is_new) {
      throw_malformed(kTokensKey, i, quoted(tokens[i]) + ", which is token " + std::to_string(place->second) + " too",
                      "each token once");
    }
  }
  return index;
}

std::array<TokenId, 256> index_bytes(const SymbolIndex& index) {
  std::array<TokenId, 256> ids{};
  for (unsigned byte = 0; byte < ids.size(); ++byte) {
    const std::string symbol = byte_symbol_text(static_cast<std::uint8_t>(byte));
    const auto found = index.find(symbol);
    if (found == index.end()) {
      throw Error(ErrorCode::kMalformed, {std::string(kTokensKey), "no token for byte " + std::to_string(byte),
                                          "a token " + quoted(symbol) + " for it"});
    }
    ids[byte] = found->second;
  }
  return ids;
}

TokenId find_symbols(const SymbolIndex& index, const std::string& symbols, std::size_t rank, std::string_view merge) {
  const auto found = index.find(symbols);
  if (found == index.end()) {
    throw_malformed(kMergesKey, rank, quoted(merge) + ", where " + quoted(symbols) + " is no token",
                    "parts and a result that are tokens");
  }
  return found->second;
}

Merge read_merge(const SymbolIndex& index, std::string_view merge, std::size_t rank) {
  const std::size_t space = merge.find(' ');
  if (space == 0 || space >= merge.size() - 1 || merge.find(' ', space + 1) != std::string_view::npos) {
    throw_malformed(kMergesKey, rank, quoted(merge), "two parts with one space between them");
  }
  const std::string left(merge.substr(0, space));
  const std::string right(merge.substr(space + 1));
  return {find_symbols(index, left, rank, merge), find_symbols(index, right, rank, merge),
          find_symbols(index, left + right, rank, merge)};
}

MergeTable read_merges(const SymbolIndex& index, std::span<const std::string> merges) {
  MergeTable table;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    if (!table.add(read_merge(index, merges[rank], rank))) {
      throw_malformed(kMergesKey, rank, quoted(merges[rank]) + " for the second time", "each merge once");
    }
  }
  return table;
}

std::span<const std::string> read_tokens(const gguf::Header& header) {
  if (const std::string& model = header.string(kModelKey); model != "gpt2") {
    throw Error(ErrorCode::kUnsupportedModel, {std::string(kModelKey), quoted(model), quoted("gpt2")});
  }
  if (header.find(kPreKey) != nullptr && header.string(kPreKey) != "gpt-2") {
    throw Error(ErrorCode::kUnsupportedModel, {std::string(kPreKey), quoted(header.string(kPreKey)), quoted("gpt-2")});
  }
  return header.strings(kTokensKey);
}

}  // namespace

struct Tokenizer::State {
  State(std::span<const std::string> tokens, const SymbolIndex& index, std::span<const std::string> merges)
      : byte_ids(index_bytes(index)), merge_table(read_merges(index, merges)) {
    token_bytes.reserve(tokens.size());
    // A token that holds other characters than symbols is a special one that stands for its own text.
    for (const std::string& token : tokens) token_bytes.push_back(bytes_of_symbols(token).value_or(token));
    ids.reserve(tokens.size());
    for (std::size_t i = 0; i < token_bytes.size(); ++i) ids.emplace(token_bytes[i], static_cast<TokenId>(i));
  }

  void take_bytes(std::string_view word, std::vector<TokenId>& pieces) const {
    pieces.clear();
    for (const char byte : word) pieces.push_back(byte_ids[static_cast<unsigned char>(byte)]);
  }

  std::array<TokenId, 256> byte_ids;
  MergeTable merge_table;
  std::vector<std::string> token_bytes;
  std::unordered_map<std::string_view, TokenId> ids;  // By bytes; the keys are views of token_bytes.
};

Tokenizer::Tokenizer(std::span<const std::string> tokens, std::span<const std::string> merges)
    : state_(std::make_unique<State>(tokens, index_symbols(tokens), merges)) {}

Tokenizer::Tokenizer(const gguf::Header& header) : Tokenizer(read_tokens(header), header.strings(kMergesKey)) {}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  std::vector<TokenId> tokens;
  encode_some(text, text.size(), tokens);
  return tokens;
}

std::size_t Tokenizer::encode_some(std::string_view text, std::size_t length, std::vector<TokenId>& tokens) const {
  std::vector<TokenId> pieces;
  std::size_t done = 0;
  while (done < text.size() && (done == 0 || done < length)) {
    const std::string_view word = first_word(text.substr(done));
    state_->take_bytes(word, pieces);
    state_->merge_table.apply(pieces);
    tokens.insert(tokens.end(), pieces.begin(), pieces.end());
    done += word.size();
  }
  return done;
}

MergedWord Tokenizer::merge_first_word(std::string_view text) const {
  MergedWord word{.bytes = first_word(text), .byte_tokens = {}, .passes = {}};
  if (word.bytes.size() > kLongestMergedWord) {
    throw Error(ErrorCode::kBadArgument, {"text", "a word of " + std::to_string(word.bytes.size()) + " bytes",
                                          "at most " + std::to_string(kLongestMergedWord) + " to show its merges"});
  }
  state_->take_bytes(word.bytes, word.byte_tokens);
  word.passes = state_->merge_table.passes(word.byte_tokens);
  return word;
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  std::string text;
  for (const TokenId id : ids) text += bytes(id);
  return text;
}

std::string_view Tokenizer::bytes(TokenId id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= size()) {
    throw Error(ErrorCode::kBadArgument, {"token id", std::to_string(id), "0 to " + std::to_string(size() - 1)});
  }
  return state_->token_bytes[static_cast<std::size_t>(id)];
}

std::size_t Tokenizer::size() const noexcept {
  return state_->token_bytes.size();
}

std::optional<TokenId> Tokenizer::find(std::string_view bytes) const {
  const auto found = state_->ids.find(bytes);
  if (found == state_->ids.end()) return std::nullopt;
  return found->second;
}

}  // namespace headflow
