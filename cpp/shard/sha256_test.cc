// SHA-256 against the examples of FIPS 180-4, in one part and in several.
#include "shard/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace headflow::shard {
namespace {

std::string sha256(std::string_view text, std::size_t part) {
  Sha256 hash;
  for (std::size_t at = 0; at < text.size(); at += part) hash.update(std::as_bytes(std::span(text.substr(at, part))));
  return hash.finish();
}

TEST(Sha256Test, ExamplesOfTheStandard) {
  const std::string million(1'000'000, 'a');
  for (const std::size_t part : {1, 7, 64, 1'000'000}) {
    EXPECT_EQ(sha256("", part), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc", part), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", part),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(million, part), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

}  // namespace
}  // namespace headflow::shard
