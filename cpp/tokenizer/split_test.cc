#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/test_files.h"
#include "tokenizer/tokenizer.h"

namespace headflow {
namespace {

using Pieces = std::vector<std::string_view>;

std::string join(const Pieces& pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

TEST(SplitWords, OfNothingIsNothing) {
  EXPECT_TRUE(split_words("").empty());
}

TEST(SplitWords, TakesOneSpaceBeforeAWord) {
  EXPECT_EQ(split_words("The cat, 12 !?"), (Pieces{"The", " cat", ",", " 12", " !?"}));
}

TEST(SplitWords, SeparatesLettersNumbersAndTheRest) {
  EXPECT_EQ(split_words("a1b²½c_d"), (Pieces{"a", "1", "b", "²½", "c", "_", "d"}));
}

TEST(SplitWords, LeavesTheLastOfSeveralSpacesToTheWord) {
  EXPECT_EQ(split_words("a  b"), (Pieces{"a", " ", " b"}));
  EXPECT_EQ(split_words("a   "), (Pieces{"a", "   "}));
  EXPECT_EQ(split_words("a \n b"), (Pieces{"a", " \n", " b"}));
}

TEST(SplitWords, OnlyU0020BelongsToAWord) {
  EXPECT_EQ(split_words("a\nb"), (Pieces{"a", "\n", "b"}));
  EXPECT_EQ(split_words("a\t\tb"), (Pieces{"a", "\t", "\t", "b"}));
  EXPECT_EQ(split_words("\u3000x"), (Pieces{"\u3000", "x"}));
  EXPECT_EQ(split_words("a \u00A0x"), (Pieces{"a", " ", "\u00A0", "x"}));
}

TEST(SplitWords, FollowsTheWhiteSpaceProperty) {
  EXPECT_EQ(split_words("!\u0085!"), (Pieces{"!", "\u0085", "!"}));
  EXPECT_EQ(split_words("!\uFEFF!"), (Pieces{"!\uFEFF!"}));
  EXPECT_EQ(split_words("!\u200B!"), (Pieces{"!\u200B!"}));
}

TEST(SplitWords, ContractionsAreLowerCaseAndStartAPiece) {
  EXPECT_EQ(split_words("I'll I'LL"), (Pieces{"I", "'ll", " I", "'", "LL"}));
  EXPECT_EQ(split_words("we've've"), (Pieces{"we", "'ve", "'ve"}));
  EXPECT_EQ(split_words("'small"), (Pieces{"'s", "mall"}));
  EXPECT_EQ(split_words(" 's"), (Pieces{" '", "s"}));
  EXPECT_EQ(split_words("!'s"), (Pieces{"!'", "s"}));
}

TEST(SplitWords, BytesThatAreNotUtf8AreNeitherLettersNorSpace) {
  EXPECT_EQ(split_words("a\xFF\xC3 b"), (Pieces{"a", "\xFF\xC3", " b"}));          // Cut off by a space.
  EXPECT_EQ(split_words("a\xC1\xA1"), (Pieces{"a", "\xC1\xA1"}));                  // "a", too long.
  EXPECT_EQ(split_words("a\xED\xA0\x80"), (Pieces{"a", "\xED\xA0\x80"}));          // A surrogate.
  EXPECT_EQ(split_words("a\xF4\x90\x80\x80"), (Pieces{"a", "\xF4\x90\x80\x80"}));  // Beyond U+10FFFF.
  EXPECT_EQ(split_words("\xE6\xBC"), (Pieces{"\xE6\xBC"}));                        // The end is missing.
  EXPECT_EQ(split_words(" \x80z"), (Pieces{" \x80", "z"}));
}

TEST(SplitWords, AgreesWithTheRegularExpression) {
  const nlohmann::json cases = testing::read_json("splits.json");
  ASSERT_FALSE(cases.empty());
  for (const nlohmann::json& expected : cases) {
    const auto strings = expected.get<std::vector<std::string>>();
    const Pieces pieces(strings.begin(), strings.end());
    const std::string text = join(pieces);
    EXPECT_EQ(split_words(text), pieces) << expected;
  }
}

}  // namespace
}  // namespace headflow
