// The tokenizer with the vocabulary of GPT-2, and with that of the small model in cpp/testdata.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tokenizer/test_files.h"
#include "tokenizer/tokenizer.h"

namespace headflow {
namespace {

using Ids = std::vector<TokenId>;

std::string random_bytes(std::mt19937& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() & 0xFF);
  return bytes;
}

void append_utf8(std::string& text, std::uint32_t value) {
  const auto append = [&text](std::uint32_t byte) {
    text.push_back(static_cast<char>(byte));
  };
  if (value < 0x80) return append(value);
  if (value < 0x800) {
    append(0xC0 | value >> 6);
  } else {
    if (value < 0x10000) {
      append(0xE0 | value >> 12);
    } else {
      append(0xF0 | value >> 18);
      append(0x80 | (value >> 12 & 0x3F));
    }
    append(0x80 | (value >> 6 & 0x3F));
  }
  append(0x80 | (value & 0x3F));
}

// Code points of all planes, the lower ones more often.
std::string random_text(std::mt19937& random, std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint32_t limit = std::uint32_t{0x80} << random() % 14;
    std::uint32_t value = static_cast<std::uint32_t>(random()) % std::min(limit, std::uint32_t{0x110000});
    if (value >= 0xD800 && value <= 0xDFFF) value -= 0x800;
    append_utf8(text, value);
  }
  return text;
}

void expect_round_trip(const Tokenizer& tokenizer, const std::string& text) {
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  std::string joined;
  for (const std::string_view word : split_words(text)) joined += word;
  EXPECT_EQ(joined, text);
}

TEST(Gpt2Vocabulary, IsWhole) {
  const gguf::Header header = testing::read_gpt2_vocabulary();
  const std::vector<std::string>& merges = header.strings("tokenizer.ggml.merges");
  ASSERT_EQ(merges.size(), 50000U);
  EXPECT_EQ(merges[1], "Ġ a");
  EXPECT_EQ(merges[133], "Ġa re");
  EXPECT_EQ(merges[2181], "H ow");
  const Tokenizer tokenizer(header);
  EXPECT_EQ(tokenizer.size(), 50257U);
  EXPECT_EQ(tokenizer.bytes(50256), "<|endoftext|>");
  EXPECT_EQ(tokenizer.find(" the"), 262);
}

TEST(Gpt2Vocabulary, GivesTheKnownIds) {
  const Tokenizer tokenizer(testing::read_gpt2_vocabulary());
  const nlohmann::json cases = testing::read_json("gpt2-cases.json").at("cases");
  ASSERT_FALSE(cases.empty());
  for (const nlohmann::json& known : cases) {
    const auto text = known.at(0).get<std::string>();
    EXPECT_EQ(tokenizer.encode(text), known.at(1).get<Ids>()) << known;
    EXPECT_EQ(tokenizer.decode(known.at(1).get<Ids>()), text);
  }
}

// All categories of characters, every byte that UTF-8 has, contractions, line ends, emoji, private use.
TEST(Gpt2Vocabulary, AgreesWithAnIndependentTokenizer) {
  const Tokenizer tokenizer(testing::read_gpt2_vocabulary());
  const nlohmann::json cases = testing::read_json("gpt-tokenizer.json");
  ASSERT_GE(cases.size(), 200U);
  for (const nlohmann::json& known : cases) {
    const auto text = known.at(0).get<std::string>();
    EXPECT_EQ(tokenizer.encode(text), known.at(1).get<Ids>()) << known;
    EXPECT_EQ(tokenizer.decode(known.at(1).get<Ids>()), text) << known;
  }
}

TEST(Gpt2Vocabulary, EncodesEachOfItsTokensAsItself) {
  const Tokenizer tokenizer(testing::read_gpt2_vocabulary());
  for (TokenId id = 0; id < 50256; ++id) {
    const std::string bytes(tokenizer.bytes(id));
    ASSERT_EQ(tokenizer.find(bytes), id);
    // A token that is several words comes apart.
    if (split_words(bytes).size() == 1) {
      ASSERT_EQ(tokenizer.encode(bytes), Ids{id}) << id;
    }
  }
}

TEST(Gpt2Vocabulary, RoundTripsRandomBytes) {
  const Tokenizer tokenizer(testing::read_gpt2_vocabulary());
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) expect_round_trip(tokenizer, random_bytes(random, random() % 200));
}

TEST(Gpt2Vocabulary, RoundTripsRandomText) {
  const Tokenizer tokenizer(testing::read_gpt2_vocabulary());
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) expect_round_trip(tokenizer, random_text(random, random() % 100));
}

TEST(Gpt2Vocabulary, EncodesALongWordWhole) {
  const Tokenizer tokenizer(testing::read_gpt2_vocabulary());
  for (const char letter : {'a', '=', ' ', '\n', '7'}) expect_round_trip(tokenizer, std::string(100'000, letter));
}

TEST(MiniVocabulary, GivesTheIdsThatWereTraced) {
  const Tokenizer tokenizer(testing::read_mini_vocabulary());
  EXPECT_EQ(tokenizer.encode("How are"), testing::traced_tokens("how"));
  EXPECT_EQ(tokenizer.encode("The cat sat at the cat, then the cat sat"), testing::traced_tokens("cat"));
}

}  // namespace
}  // namespace headflow
