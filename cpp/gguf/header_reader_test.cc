// Headers that are right: every type, piece size, version and layout.
#include "gguf/header_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "gguf/testing/gguf_writer.h"
#include "gguf/testing/read.h"

namespace headflow::gguf {
namespace {

using testing::file_bytes;
using testing::GgufWriter;
using testing::kOnePiece;
using testing::read;
using testing::read_file;

template <typename T>
const T& value(const Header& header, std::string_view key) {
  return std::get<T>(header.find(key)->data);
}

// Numbers and bools of an array as the widest type of their kind; strings and arrays as they are.
template <typename T>
T elements_of(const Array& array) {
  if constexpr (std::is_same_v<T, std::vector<std::string>> || std::is_same_v<T, std::vector<Value>>) {
    return std::get<T>(array.elements);
  } else {
    T numbers;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const Value number = array.number(i);
      const bool* const truth = std::get_if<bool>(&number.data);
      numbers.push_back(truth != nullptr ? typename T::value_type(*truth)
                                         : std::get<typename T::value_type>(number.data));
    }
    return numbers;
  }
}

template <typename T>
T elements(const Header& header, std::string_view key) {
  return elements_of<T>(value<Array>(header, key));
}

GgufWriter every_type() {
  GgufWriter writer;
  writer.add("u8", std::uint8_t{255}).add("i8", std::int8_t{-128}).add("u16", std::uint16_t{65535});
  writer.add("i16", std::int16_t{-32768}).add("u32", std::uint32_t{0xFFFFFFFFU}).add("i32", std::int32_t{-5});
  writer.add("f32", 0.1F)
      .add("yes", true)
      .add("no", false)
      .add("string", std::string("two\0words", 9))
      .add("empty", "");
  writer.add("u64", std::numeric_limits<std::uint64_t>::max()).add("i64", std::numeric_limits<std::int64_t>::min());
  writer.add("f64", -1e300);
  writer.add("a.u8", std::vector<std::uint8_t>{0, 255}).add("a.i8", std::vector<std::int8_t>{-1, 127});
  writer.add("a.u16", std::vector<std::uint16_t>{1, 65535}).add("a.i16", std::vector<std::int16_t>{-2});
  writer.add("a.u32", std::vector<std::uint32_t>{7}).add("a.i32", std::vector<std::int32_t>{-7, 8, -9});
  writer.add("a.f32", std::vector<float>{0.5F, -2.0F}).add("a.f64", std::vector<double>{1e-300});
  writer.add("a.bool", std::vector<bool>{true, false, true}).add("a.none", std::vector<std::string>{});
  writer.add("a.u64", std::vector<std::uint64_t>{1, 2}).add("a.i64", std::vector<std::int64_t>{-3});
  writer.add("a.string", std::vector<std::string>{"", "\xFF\xFE", "end"});
  writer.add("a.a", std::vector<std::vector<std::string>>{{"x", "y"}, {}, {"z"}});
  writer.add("a.a.a.a", std::vector<std::vector<std::vector<std::vector<std::int8_t>>>>{{{{1, -2}}, {}}, {}});
  return writer;
}

void expect_every_type(const Header& header) {
  ASSERT_EQ(header.metadata.size(), 29U);
  EXPECT_EQ(value<std::uint64_t>(header, "u8"), 255U);
  EXPECT_EQ(value<std::int64_t>(header, "i8"), -128);
  EXPECT_EQ(value<std::uint64_t>(header, "u16"), 65535U);
  EXPECT_EQ(value<std::int64_t>(header, "i16"), -32768);
  EXPECT_EQ(value<std::uint64_t>(header, "u32"), 0xFFFFFFFFU);
  EXPECT_EQ(value<std::int64_t>(header, "i32"), -5);
  EXPECT_EQ(value<double>(header, "f32"), static_cast<double>(0.1F));
  EXPECT_TRUE(value<bool>(header, "yes"));
  EXPECT_FALSE(value<bool>(header, "no"));
  EXPECT_EQ(value<std::string>(header, "string"), std::string("two\0words", 9));
  EXPECT_EQ(value<std::string>(header, "empty"), "");
  EXPECT_EQ(value<std::uint64_t>(header, "u64"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(value<std::int64_t>(header, "i64"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value<double>(header, "f64"), -1e300);
  using Unsigned = std::vector<std::uint64_t>;
  using Signed = std::vector<std::int64_t>;
  using Floating = std::vector<double>;
  using Strings = std::vector<std::string>;
  EXPECT_EQ(elements<Unsigned>(header, "a.u8"), (Unsigned{0, 255}));
  EXPECT_EQ(elements<Signed>(header, "a.i8"), (Signed{-1, 127}));
  EXPECT_EQ(elements<Unsigned>(header, "a.u16"), (Unsigned{1, 65535}));
  EXPECT_EQ(elements<Signed>(header, "a.i16"), (Signed{-2}));
  EXPECT_EQ(elements<Unsigned>(header, "a.u32"), (Unsigned{7}));
  EXPECT_EQ(elements<Signed>(header, "a.i32"), (Signed{-7, 8, -9}));
  EXPECT_EQ(elements<Floating>(header, "a.f32"), (Floating{0.5, -2.0}));
  EXPECT_EQ(elements<Floating>(header, "a.f64"), (Floating{1e-300}));
  EXPECT_EQ(elements<Unsigned>(header, "a.bool"), (Unsigned{1, 0, 1}));
  EXPECT_EQ(elements<Strings>(header, "a.none"), Strings{});
  EXPECT_EQ(elements<Unsigned>(header, "a.u64"), (Unsigned{1, 2}));
  EXPECT_EQ(elements<Signed>(header, "a.i64"), (Signed{-3}));
  EXPECT_EQ(elements<Strings>(header, "a.string"), (Strings{"", "\xFF\xFE", "end"}));

  const auto rows = elements<std::vector<Value>>(header, "a.a");
  ASSERT_EQ(rows.size(), 3U);
  for (const Value& row : rows) {
    EXPECT_EQ(row.type, ValueType::kArray);
    EXPECT_EQ(std::get<Array>(row.data).element_type, ValueType::kString);
  }
  EXPECT_EQ(std::get<Strings>(std::get<Array>(rows[0].data).elements), (Strings{"x", "y"}));
  EXPECT_EQ(std::get<Array>(rows[1].data).size(), 0U);
  EXPECT_EQ(std::get<Strings>(std::get<Array>(rows[2].data).elements), Strings{"z"});

  const Array* array = &value<Array>(header, "a.a.a.a");
  ASSERT_EQ(array->size(), 2U);
  for (int depth = 0; depth < 3; ++depth) {
    EXPECT_EQ(array->element_type, ValueType::kArray);
    array = &std::get<Array>(std::get<std::vector<Value>>(array->elements).front().data);
  }
  EXPECT_EQ(array->element_type, ValueType::kInt8);
  EXPECT_EQ(elements_of<Signed>(*array), (Signed{1, -2}));
}

TEST(HeaderReader, EveryTypeInPiecesOfAnySize) {
  const std::vector<std::byte> bytes = every_type().bytes();
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{31}, std::size_t{65536}, kOnePiece}) {
    SCOPED_TRACE(piece);
    expect_every_type(read(bytes, piece));
    expect_every_type(read_file(bytes, piece));
  }
}

TEST(HeaderReader, TypesAreAsDeclaredAndOrderIsKept) {
  const Header header = read(every_type().bytes());
  EXPECT_EQ(header.metadata.front().key, "u8");
  EXPECT_EQ(header.metadata.front().offset, 24U);
  EXPECT_EQ(header.metadata[1].key, "i8");
  EXPECT_EQ(header.metadata[1].offset, 24U + 8 + 2 + 4 + 1);
  EXPECT_EQ(header.metadata.back().key, "a.a.a.a");
  EXPECT_EQ(header.find("f32")->type, ValueType::kFloat32);
  EXPECT_EQ(header.find("yes")->type, ValueType::kBool);
  EXPECT_EQ(header.find("a.none")->type, ValueType::kArray);
  EXPECT_EQ(value<Array>(header, "a.none").element_type, ValueType::kString);
  EXPECT_EQ(value<Array>(header, "a.u16").element_type, ValueType::kUint16);
}

TEST(HeaderReader, Versions2And3) {
  for (const std::uint32_t version : {2U, 3U}) {
    EXPECT_EQ(read(GgufWriter().version(version).add("a", true).bytes()).version, version);
  }
}

TEST(HeaderReader, NothingAtAllIsLegal) {
  const std::vector<std::byte> bytes = GgufWriter().header_bytes();
  ASSERT_EQ(bytes.size(), 24U);
  const Header header = read_file(bytes, 5);
  EXPECT_TRUE(header.metadata.empty());
  EXPECT_TRUE(header.tensors.empty());
  EXPECT_EQ(header.data_offset, 32U);
  EXPECT_EQ(header.alignment, 32U);
}

TEST(HeaderReader, TensorsOfKnownTypes) {
  struct Case {
    std::uint32_t number;
    const char* name;
    std::uint64_t row;
    std::size_t row_bytes;
  };
  // By the layout of each type's block: bits per element plus its scales.
  const std::vector<Case> cases = {
      {0, "F32", 3, 12},        {1, "F16", 3, 6},       {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
      {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},    {8, "Q8_0", 64, 68},      {9, "Q8_1", 32, 36},
      {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110}, {12, "Q4_K", 512, 288},   {13, "Q5_K", 256, 176},
      {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292}, {16, "IQ2_XXS", 256, 66}, {20, "IQ4_NL", 32, 18},
      {23, "IQ4_XS", 256, 136}, {24, "I8", 5, 5},       {25, "I16", 5, 10},       {26, "I32", 5, 20},
      {27, "I64", 5, 40},       {28, "F64", 5, 40},     {30, "BF16", 5, 10},
  };
  GgufWriter writer;
  for (const Case& each : cases) {
    writer.tensor(each.name, {each.row, 2}, static_cast<TensorType>(each.number),
                  std::vector<std::byte>(2 * each.row_bytes));
  }
  const Header header = read_file(writer.bytes(), 64);
  ASSERT_EQ(header.tensors.size(), cases.size());
  for (const Case& each : cases) {
    const TensorInfo* const tensor = header.tensor(each.name);
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(type_name(tensor->type), each.name);
    EXPECT_EQ(tensor->size, 2 * each.row_bytes) << each.name;
    EXPECT_EQ(tensor->shape, (std::vector<std::uint64_t>{each.row, 2}));
    EXPECT_EQ(tensor->offset % 32, 0U);
  }
}

TEST(HeaderReader, ATensorOfAnUnknownTypeIsListed) {
  const std::vector<std::byte> data(64);
  const auto bytes = GgufWriter()
                         .tensor("new", {7}, static_cast<TensorType>(1000), data)
                         .tensor("known", {16}, TensorType::kF32, data)
                         .bytes();
  const Header header = read_file(bytes);
  EXPECT_EQ(type_name(header.tensors[0].type), "type 1000");
  EXPECT_EQ(header.tensors[0].size, 0U);
  EXPECT_EQ(header.tensors[1].offset, header.data_offset + 64);
}

TEST(HeaderReader, OffsetsAreOfTheFileWhateverAlignmentAndOrder) {
  const std::vector<float> first = {1, 2, 3};
  const std::vector<float> second = {4, 5, 6, 7, 8, 9};
  for (const std::uint32_t alignment : {8U, 16U, 64U, 4096U}) {
    SCOPED_TRACE(alignment);
    const auto bytes = GgufWriter()
                           .add("general.name", "before")
                           .alignment(alignment)
                           .tensor("first", {3}, first)
                           .tensor("second", {3, 2, 1, 1}, second)
                           .data_order({1, 0})
                           .bytes();
    const Header header = read_file(bytes, 16);
    EXPECT_EQ(header.alignment, alignment);
    EXPECT_EQ(header.data_offset % alignment, 0U);
    const TensorInfo& one = header.tensors[0];
    const TensorInfo& two = header.tensors[1];
    EXPECT_EQ(one.name, "first");
    EXPECT_EQ(two.offset, header.data_offset);
    EXPECT_EQ(one.offset, header.data_offset + std::uint64_t{24 + alignment - 1} / alignment * alignment);
    EXPECT_EQ(header.end_offset, one.offset + 12);
    EXPECT_EQ(one.bytes(), (ByteRange{one.offset, one.offset + 12}));
    float value = 0;
    std::memcpy(&value, bytes.data() + one.offset, sizeof value);
    EXPECT_EQ(value, 1.0F);
    std::memcpy(&value, bytes.data() + two.offset, sizeof value);
    EXPECT_EQ(value, 4.0F);
  }
}

TEST(HeaderReader, GapsBetweenTensorsAreLegal) {
  const std::vector<float> data(8);
  const auto bytes = GgufWriter()
                         .tensor("a", {8}, TensorType::kF32, std::as_bytes(std::span(data)), 0)
                         .tensor("b", {8}, TensorType::kF32, std::vector<std::byte>(64 + 32), 64)
                         .bytes();
  EXPECT_EQ(read_file(bytes).tensors[1].offset, read_file(bytes).data_offset + 64);
}

TEST(HeaderReader, SaysWhatItNeedsAndWhereItIs) {
  const std::vector<std::byte> header = every_type().tensor("t", {2}, std::vector<float>(2)).header_bytes();
  const std::vector<std::byte> bytes = testing::ByteWriter().put_bytes(header).align(32).bytes();
  HeaderReader reader;
  EXPECT_EQ(reader.position(), 0U);
  std::size_t at = 0;
  while (reader.needed() != 0) {
    ASSERT_EQ(reader.header(), nullptr);
    ASSERT_LE(at + reader.needed(), bytes.size());
    const auto piece = static_cast<std::size_t>(reader.needed());
    reader.push(std::span(bytes).subspan(at, piece));
    at += piece;
    ASSERT_EQ(reader.position(), at);
  }
  EXPECT_EQ(at, bytes.size());
  ASSERT_NE(reader.header(), nullptr);
  reader.finish();
  reader.push(std::vector<std::byte>(100, std::byte{0xFF}));
  EXPECT_EQ(reader.needed(), 0U);
  EXPECT_EQ(reader.position(), bytes.size());
  EXPECT_EQ(reader.take().tensors.front().name, "t");
}

TEST(HeaderReader, EmptyPiecesChangeNothing) {
  const std::vector<std::byte> bytes = GgufWriter().add("a", true).bytes();
  HeaderReader reader;
  reader.push({});
  EXPECT_EQ(reader.needed(), 24U);
  reader.push(bytes);
  reader.push({});
  EXPECT_NE(reader.header(), nullptr);
}

TEST(HeaderReader, CanBeMoved) {
  const std::vector<std::byte> bytes = GgufWriter().add("key", "value").bytes();
  HeaderReader first;
  first.push(std::span(bytes).first(30));
  HeaderReader second(std::move(first));
  second.push(std::span(bytes).subspan(30));
  HeaderReader third;
  third = std::move(second);
  EXPECT_EQ(third.take().string("key"), "value");
}

TEST(HeaderReader, ALargeVocabulary) {
  std::vector<std::string> tokens(50257);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = "token " + std::to_string(i);
  const auto bytes = GgufWriter().add("tokenizer.ggml.tokens", tokens).bytes();
  for (const std::size_t piece : {std::size_t{1}, std::size_t{65536}}) {
    EXPECT_EQ(read(bytes, piece).strings("tokenizer.ggml.tokens"), tokens);
  }
}

TEST(HeaderReader, TheFixture) {
  const auto bytes = file_bytes(std::filesystem::path(HEADFLOW_TESTDATA) / "gpt2-mini/gpt2-mini.Q8_0.gguf");
  const Header header = read_file(bytes, 1000);
  EXPECT_EQ(header.version, 3U);
  EXPECT_EQ(header.string("general.architecture"), "gpt2");
  EXPECT_EQ(header.unsigned_integer("gpt2.block_count"), 2U);
  EXPECT_EQ(header.unsigned_integer("gpt2.attention.head_count"), 4U);
  EXPECT_NEAR(header.number("gpt2.attention.layer_norm_epsilon"), 1e-5, 1e-10);
  EXPECT_EQ(header.strings("tokenizer.ggml.tokens").size(), 272U);
  EXPECT_EQ(header.strings("tokenizer.ggml.merges").size(), 15U);
  const TensorInfo* const table = header.tensor("token_embd.weight");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->shape, (std::vector<std::uint64_t>{64, 272}));
  EXPECT_EQ(table->type, TensorType::kQ8_0);
  EXPECT_EQ(table->size, 272U * 2 * 34);
  EXPECT_LE(header.end_offset, bytes.size());
  EXPECT_LT(bytes.size() - header.end_offset, header.alignment);
  EXPECT_EQ(header.tensor("output.weight"), nullptr);
}

}  // namespace
}  // namespace headflow::gguf
