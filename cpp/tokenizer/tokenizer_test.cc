#include "tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tokenizer/byte_symbols.h"

namespace headflow {
namespace {

using Ids = std::vector<TokenId>;
using Strings = std::vector<std::string>;

constexpr std::string_view kEndOfText = "<|endoftext|>";

// Token n is byte n, then come the others.
Strings byte_tokens(const Strings& others) {
  Strings tokens;
  for (unsigned byte = 0; byte < 256; ++byte) tokens.push_back(byte_symbol_text(static_cast<std::uint8_t>(byte)));
  tokens.insert(tokens.end(), others.begin(), others.end());
  return tokens;
}

Tokenizer small_tokenizer() {
  return {byte_tokens({"he", "ll", "hell", "hello", "Ġhello", std::string(kEndOfText)}),
          Strings{"h e", "l l", "he ll", "hell o", "Ġ hello"}};
}

Error::Parts malformed_parts(const Strings& tokens, const Strings& merges) {
  try {
    const Tokenizer tokenizer(tokens, merges);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kMalformed);
    return error.parts();
  }
  ADD_FAILURE() << "no error";
  return {};
}

gguf::MetadataEntry string_entry(const std::string& key, const std::string& value) {
  return {.key = key, .value = {.type = gguf::ValueType::kString, .data = value}};
}

gguf::MetadataEntry strings_entry(const std::string& key, const Strings& values) {
  return {.key = key,
          .value = {.type = gguf::ValueType::kArray,
                    .data = gguf::Array{.element_type = gguf::ValueType::kString, .elements = values}}};
}

gguf::Header small_header() {
  gguf::Header header;
  header.metadata = {string_entry("tokenizer.ggml.model", "gpt2"),
                     strings_entry("tokenizer.ggml.tokens", byte_tokens({"he"})),
                     strings_entry("tokenizer.ggml.merges", {"h e"})};
  return header;
}

TEST(Tokenizer, EncodesInPiecesWhatItEncodesAtOnce) {
  const Tokenizer tokenizer = small_tokenizer();
  const std::string text = "hello  hello\n\n hell's 12 he\xff\xe6\x97\xa5 \t hello   ";
  const Ids whole = tokenizer.encode(text);
  for (std::size_t length = 0; length <= text.size(); ++length) {
    Ids tokens;
    std::size_t calls = 0;
    for (std::string_view rest = text; !rest.empty(); ++calls) {
      rest.remove_prefix(tokenizer.encode_some(rest, length, tokens));
    }
    EXPECT_EQ(tokens, whole) << length;
    EXPECT_GE(calls * std::max<std::size_t>(length + 8, 1), text.size()) << length;  // No call does much more.
  }
}

TEST(ByteSymbols, AreThoseOfGpt2) {
  EXPECT_EQ(byte_symbol_text('a'), "a");
  EXPECT_EQ(byte_symbol_text(' '), "Ġ");
  EXPECT_EQ(byte_symbol_text('\n'), "Ċ");
  EXPECT_EQ(byte_symbol_text(0xAD), "Ń");
  EXPECT_EQ(byte_symbol_text(0xFF), "ÿ");
}

TEST(ByteSymbols, ReadBackAsBytes) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(bytes_of_symbols(byte_symbol_text(static_cast<std::uint8_t>(byte))),
              std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(bytes_of_symbols("a b"), std::nullopt);
  EXPECT_EQ(bytes_of_symbols("\u0144"), std::nullopt);
  EXPECT_EQ(bytes_of_symbols("a\xFF"), std::nullopt);
}

TEST(Tokenizer, MergesWithinWords) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.encode("hello hello"), (Ids{259, 260}));
  EXPECT_EQ(tokenizer.encode("hel lo"), (Ids{256, 'l', ' ', 'l', 'o'}));
  EXPECT_EQ(tokenizer.encode(""), Ids{});
}

TEST(Tokenizer, SpecialTokensAreNotMatchedInText) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.encode(kEndOfText), Ids(kEndOfText.begin(), kEndOfText.end()));
  EXPECT_EQ(tokenizer.bytes(261), kEndOfText);
  EXPECT_EQ(tokenizer.find(kEndOfText), 261);
}

TEST(Tokenizer, KnowsTokensByTheirBytes) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.size(), 262U);
  EXPECT_EQ(tokenizer.bytes(260), " hello");
  EXPECT_EQ(tokenizer.find(" hello"), 260);
  EXPECT_EQ(tokenizer.find("Ġhello"), std::nullopt);
  EXPECT_EQ(tokenizer.decode(Ids{260, 261, '!'}), " hello<|endoftext|>!");
}

TEST(Tokenizer, TokensWithOtherCharactersStandForTheirText) {
  const Tokenizer tokenizer(byte_tokens({"<end of text>"}), Strings{});
  EXPECT_EQ(tokenizer.bytes(256), "<end of text>");
  EXPECT_EQ(tokenizer.find("<end of text>"), 256);
}

TEST(Tokenizer, MovesWhole) {
  Tokenizer tokenizer = small_tokenizer();
  Tokenizer moved = std::move(tokenizer);
  EXPECT_EQ(moved.find("hello"), 259);
  tokenizer = std::move(moved);
  EXPECT_EQ(tokenizer.encode("hello"), Ids{259});
}

TEST(Tokenizer, RefusesIdsOutOfRange) {
  const Tokenizer tokenizer = small_tokenizer();
  for (const TokenId id : {-1, 262}) {
    try {
      static_cast<void>(tokenizer.decode(Ids{'a', id}));
      ADD_FAILURE() << id;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadArgument);
      EXPECT_EQ(error.parts().got, std::to_string(id));
      EXPECT_EQ(error.parts().expected, "0 to 261");
    }
  }
}

TEST(Tokenizer, NamesWhatIsWrongWithTokens) {
  EXPECT_EQ(malformed_parts(byte_tokens({"he", "he"}), {}).where, "tokenizer.ggml.tokens[257]");
  Strings tokens = byte_tokens({});
  tokens[' '] = "nothing";
  EXPECT_EQ(malformed_parts(tokens, {}).got, "no token for byte 32");
  EXPECT_EQ(malformed_parts({}, {}).got, "no token for byte 0");
}

TEST(Tokenizer, NamesWhatIsWrongWithMerges) {
  const Strings tokens = byte_tokens({"he", "hel"});
  EXPECT_EQ(malformed_parts(tokens, {"h e", "h e"}).where, "tokenizer.ggml.merges[1]");
  EXPECT_EQ(malformed_parts(tokens, {"h e", "l l"}).got, "\"l l\", where \"ll\" is no token");
  EXPECT_EQ(malformed_parts(tokens, {"hell o"}).got, "\"hell o\", where \"hell\" is no token");
  EXPECT_EQ(malformed_parts(tokens, {"h lo"}).got, "\"h lo\", where \"lo\" is no token");
  for (const std::string merge : {"", " ", "h", "he", " h", "h ", "h  e", "h e ", "h e l"}) {
    EXPECT_EQ(malformed_parts(tokens, {merge}).expected, "two parts with one space between them") << merge;
  }
}

TEST(Tokenizer, ReadsAHeader) {
  EXPECT_EQ(Tokenizer(small_header()).encode("he"), Ids{256});
  gguf::Header named = small_header();
  named.metadata.push_back(string_entry("tokenizer.ggml.pre", "gpt-2"));
  EXPECT_EQ(Tokenizer(named).encode("he"), Ids{256});
}

TEST(Tokenizer, RefusesOtherModels) {
  gguf::Header other_model = small_header();
  other_model.metadata[0] = string_entry("tokenizer.ggml.model", "llama");
  gguf::Header other_split = small_header();
  other_split.metadata.push_back(string_entry("tokenizer.ggml.pre", "qwen2"));
  for (const gguf::Header& header : {other_model, other_split}) {
    try {
      const Tokenizer tokenizer(header);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupportedModel);
    }
  }
}

}  // namespace
}  // namespace headflow
