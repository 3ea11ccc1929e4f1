// Typed access to metadata, and the errors where a value is of another kind.
#include "gguf/header.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "gguf/testing/gguf_writer.h"
#include "gguf/testing/read.h"

namespace headflow::gguf {
namespace {

Header header() {
  return testing::read(testing::GgufWriter()
                           .add("u8", std::uint8_t{200})
                           .add("i64", std::int64_t{12})
                           .add("minus", std::int32_t{-1})
                           .add("f32", 0.25F)
                           .add("f64", 2.5)
                           .add("bool", true)
                           .add("text", "words")
                           .add("texts", std::vector<std::string>{"a", "b"})
                           .add("numbers", std::vector<std::uint32_t>{1, 2})
                           .tensor("t", {2}, std::vector<float>(2))
                           .bytes());
}

template <typename Access>
void expect_error(Access access, ErrorCode code, const std::vector<std::string>& says) {
  try {
    (void)access();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    for (const std::string& text : says) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << text << " in " << error.what();
    }
  }
}

TEST(Header, Finds) {
  const Header all = header();
  EXPECT_EQ(all.find("text")->type, ValueType::kString);
  EXPECT_EQ(all.find("nothing"), nullptr);
  EXPECT_EQ(all.tensor("t")->shape, std::vector<std::uint64_t>{2});
  EXPECT_EQ(all.tensor("text"), nullptr);
}

TEST(Header, Converts) {
  const Header all = header();
  EXPECT_EQ(all.unsigned_integer("u8"), 200U);
  EXPECT_EQ(all.unsigned_integer("i64"), 12U);
  EXPECT_EQ(all.number("u8"), 200.0);
  EXPECT_EQ(all.number("minus"), -1.0);
  EXPECT_EQ(all.number("f32"), 0.25);
  EXPECT_EQ(all.number("f64"), 2.5);
  EXPECT_EQ(all.string("text"), "words");
  EXPECT_EQ(all.strings("texts"), (std::vector<std::string>{"a", "b"}));
}

TEST(Header, NamesKeyPlaceGotAndExpected) {
  const Header all = header();
  expect_error([&] { return all.unsigned_integer("nothing"); }, ErrorCode::kMissingKey, {"metadata nothing"});
  expect_error([&] { return all.number("nothing"); }, ErrorCode::kMissingKey, {"metadata nothing"});
  expect_error([&] { return all.string("nothing"); }, ErrorCode::kMissingKey, {"metadata nothing"});
  expect_error([&] { return all.strings("nothing"); }, ErrorCode::kMissingKey, {"metadata nothing"});
  expect_error([&] { return all.unsigned_integer("minus"); }, ErrorCode::kMalformed,
               {"metadata minus, at byte ", "-1"});
  expect_error([&] { return all.unsigned_integer("f32"); }, ErrorCode::kMalformed,
               {"metadata f32, at byte ", "float32"});
  expect_error([&] { return all.unsigned_integer("bool"); }, ErrorCode::kMalformed, {"bool"});
  expect_error([&] { return all.number("text"); }, ErrorCode::kMalformed, {"metadata text", "string", "a number"});
  expect_error([&] { return all.string("u8"); }, ErrorCode::kMalformed,
               {"metadata u8, at byte 24", "uint8", "a string"});
  expect_error([&] { return all.string("texts"); }, ErrorCode::kMalformed, {"array of string"});
  expect_error([&] { return all.strings("numbers"); }, ErrorCode::kMalformed, {"array of uint32", "array of strings"});
  expect_error([&] { return all.strings("text"); }, ErrorCode::kMalformed, {"string", "array of strings"});
}

TEST(Header, NamesOfTypes) {
  EXPECT_EQ(type_name(ValueType::kUint8), "uint8");
  EXPECT_EQ(type_name(ValueType::kFloat64), "float64");
  EXPECT_EQ(type_name(static_cast<ValueType>(13)), "unknown");
  EXPECT_EQ(type_name(TensorType::kF16), "F16");
  EXPECT_EQ(type_name(static_cast<TensorType>(12)), "Q4_K");
  EXPECT_EQ(type_name(static_cast<TensorType>(4)), "type 4");
}

}  // namespace
}  // namespace headflow::gguf
