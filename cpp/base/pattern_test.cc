// The dialect's every sign, what is refused, and patterns that other engines need a lifetime or a stack for.
#include "base/pattern.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "base/error.h"

namespace headflow {
namespace {

bool found(const std::string& pattern, const std::string& text) {
  return Pattern(pattern).is_in(text);
}

TEST(Pattern, EverySign) {
  EXPECT_TRUE(found("", ""));
  EXPECT_TRUE(found("", "a"));
  EXPECT_TRUE(found("kq", "kq_soft_max-0"));
  EXPECT_FALSE(found("^soft", "kq_soft_max-0"));
  EXPECT_TRUE(found("^kq.*-0$", "kq_soft_max-0"));
  EXPECT_FALSE(found("^kq-0$", "kq-01"));
  EXPECT_TRUE(found("blk\\.0\\.attn_output\\.(weight|bias)", "blk.0.attn_output.bias"));
  EXPECT_FALSE(found("blk\\.0", "blk_0"));
  EXPECT_TRUE(found("[QKV]cur-1[01]?$", "Vcur-11"));
  EXPECT_FALSE(found("[^a-z]", "abc"));
  EXPECT_TRUE(found("[a\\]-]", "]"));
  EXPECT_TRUE(found("[a-]", "-"));
  EXPECT_TRUE(found("a+b", "xaab"));
  EXPECT_FALSE(found("a+b", "xb"));
  EXPECT_TRUE(found("^a*$", ""));
  EXPECT_TRUE(found("a|", "x"));
  EXPECT_TRUE(found("^(?:ab|cd)+$", "abcdab"));
  EXPECT_FALSE(found("^(?:ab|cd)+$", "abcda"));
  EXPECT_TRUE(found("\\d\\D\\w\\W\\s\\S", "1x_- y"));
  EXPECT_TRUE(found("a$|b", "ba"));
  EXPECT_TRUE(found("()", "x"));
  EXPECT_FALSE(found("a^b", "ab"));
}

// Against another engine: all that both can read must be found alike.
TEST(Pattern, AsAnotherEngineFinds) {
  std::mt19937 generator(5);
  const std::string signs = "aab.b*+?|()^$[c]d";
  std::size_t compared = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string pattern;
    for (std::size_t length = generator() % 8; length > 0; --length) pattern += signs[generator() % signs.size()];
    std::string text;
    for (std::size_t length = generator() % 6; length > 0; --length) text += "abcd"[generator() % 4];
    std::optional<Pattern> ours;
    std::optional<std::regex> theirs;
    try {
      ours.emplace(pattern);
    } catch (const Error&) {
    }
    try {
      theirs.emplace(pattern);
    } catch (const std::regex_error&) {
    }
    if (!ours || !theirs) continue;
    ASSERT_EQ(ours->is_in(text), std::regex_search(text, *theirs)) << pattern << " in " << text;
    ++compared;
  }
  EXPECT_GT(compared, 5000U);
}

TEST(Pattern, WhatIsRefusedIsNamedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a{2,3}", "character 2"},
      {"(a", "character 1: got a group that is not closed"},
      {"a)", "character 2"},
      {"*a", "character 1"},
      {"a**", "character 3"},
      {"a*?", "character 3"},
      {"(?=a)", "character 1"},
      {"[ab", "a class that is not closed"},
      {"[]", "an empty class"},
      {"[b-a]", "character 2"},
      {"[\\d-z]", "character 2"},
      {"x]", "character 2"},
      {"\\b", "\\b"},
      {"(a)\\1", "character 4"},
      {"a\\", "at the end"},
      {"a|*", "character 3"},
  };
  for (const auto& [pattern, says] : cases) {
    try {
      (void)Pattern(pattern);
      ADD_FAILURE() << "no error for " << pattern;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadArgument);
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  }
}

TEST(Pattern, DeepAndExplosivePatternsEnd) {
  const std::string text(2000, 'a');
  EXPECT_FALSE(found("(.*)*!", text));
  EXPECT_FALSE(found("(a|a)*(a*)*(a+)+b", text));
  constexpr std::size_t kDepth = 20000;
  EXPECT_TRUE(found(std::string(kDepth, '(') + "a" + std::string(kDepth, ')'), "a"));
  EXPECT_THROW((void)Pattern(std::string(kDepth, '(')), Error);
  std::string optional;
  for (int i = 0; i < 500; ++i) optional += "a?";
  EXPECT_TRUE(found("^" + optional + std::string(500, 'a') + "$", std::string(500, 'a')));
}

}  // namespace
}  // namespace headflow
