// Files that the writer made, read back: every type of value, every alignment, data in the order in which they lay.
#include "gguf/writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "gguf/testing/gguf_writer.h"
#include "gguf/testing/read.h"

namespace headflow::gguf {
namespace {

using testing::GgufWriter;
using Bytes = std::vector<std::byte>;

Bytes bytes_from(std::size_t count, int first) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return bytes;
}

// `header` and the data of `file`, which it was read from, through the writer.
Bytes written(const Header& header, std::span<const std::byte> file, std::size_t piece) {
  Bytes out;
  Writer writer(header, [&](std::span<const std::byte> bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); });
  for (const TensorInfo* const tensor : writer.order()) {
    std::span<const std::byte> data = testing::data_of(file, *tensor);
    for (; data.size() > piece; data = data.subspan(piece)) writer.put(data.first(piece));
    writer.put(data);
  }
  writer.finish();
  return out;
}

GgufWriter some_file(std::uint32_t alignment) {
  GgufWriter writer;
  writer.alignment(alignment)
      .add("u8", std::uint8_t{255})
      .add("i8", std::int8_t{-128})
      .add("u16", std::uint16_t{65535})
      .add("i16", std::int16_t{-32768})
      .add("u32", std::uint32_t{0xFFFFFFFFU})
      .add("i32", std::int32_t{-5})
      .add("f32", 0.1F)
      .add("yes", true)
      .add("no", false)
      .add("string", std::string("two\0words", 9))
      .add("u64", std::numeric_limits<std::uint64_t>::max())
      .add("i64", std::numeric_limits<std::int64_t>::min())
      .add("f64", -1e300)
      .add("a.i8", std::vector<std::int8_t>{-1, 127})
      .add("a.f32", std::vector<float>{0.1F, std::numeric_limits<float>::infinity()})
      .add("a.bool", std::vector<bool>{true, false})
      .add("a.string", std::vector<std::string>{"", "\xFF"})
      .add("a.none", std::vector<std::uint16_t>{})
      .add("a.array", std::vector<std::vector<std::int32_t>>{{1, 2}, {}, {-3}});
  writer.tensor("first", {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  writer.tensor("halves", {5}, TensorType::kF16, bytes_from(10, 1));
  writer.tensor("blocks", {64, 3}, TensorType::kQ8_0, bytes_from(6 * 34, 20));
  return writer;
}

TEST(Writer, WritesWhatItRead) {
  for (const std::uint32_t alignment : {8U, 32U, 1024U}) {
    for (const auto& order : std::vector<std::vector<std::size_t>>{{0, 1, 2}, {2, 0, 1}}) {
      const Bytes file = some_file(alignment).data_order(order).bytes();
      Header header = testing::read_file(file);
      EXPECT_EQ(written(header, file, 1000), file);
      EXPECT_EQ(written(header, file, 7), file);
      // Laying it out again changes nothing.
      lay_out(header);
      EXPECT_EQ(written(header, file, 1000), file);
    }
  }
}

TEST(Writer, AFileWithoutTensorsIsItsPaddedHeader) {
  const Bytes file = GgufWriter().add("key", "value").bytes();
  const Header header = testing::read_file(file);
  EXPECT_EQ(written(header, file, 1), file);
}

TEST(Writer, PlacesFollowTypesAndNames) {
  Header header = testing::read_file(some_file(32).data_order({2, 0, 1}).bytes());
  const std::uint64_t before = header.data_offset;
  header.tensors[0].type = TensorType::kF16;
  header.metadata.push_back({.key = "new", .value = {ValueType::kString, std::string(100, 'x')}, .offset = 0});
  lay_out(header);
  EXPECT_GE(header.data_offset, before + 100);
  EXPECT_EQ(header.tensors[2].offset, header.data_offset);
  EXPECT_EQ(header.tensors[0].offset, header.data_offset + 224);  // 6 blocks of 34, aligned.
  EXPECT_EQ(header.tensors[0].size, 12U);
  EXPECT_EQ(header.tensors[1].offset, header.tensors[0].offset + 32);
  EXPECT_EQ(header.end_offset, header.tensors[1].offset + 10);
}

TEST(Writer, RefusesDataBeyondATensor) {
  const Bytes file = GgufWriter().tensor("a", {2}, std::vector<float>(2)).bytes();
  const Header header = testing::read_file(file);
  Writer writer(header, [](std::span<const std::byte>) {});
  EXPECT_THROW(writer.put(Bytes(9)), Error);
  writer.put(Bytes(4));
  EXPECT_THROW(writer.finish(), Error);
  writer.put(Bytes(4));
  writer.finish();
  EXPECT_THROW(writer.put(Bytes(1)), Error);
}

TEST(Writer, RefusesATypeOfUnknownSize) {
  Header header = testing::read_file(GgufWriter().tensor("odd", {2}, static_cast<TensorType>(99), Bytes(8)).bytes());
  try {
    lay_out(header);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupportedType);
    EXPECT_NE(std::string(error.what()).find("odd"), std::string::npos);
  }
}

}  // namespace
}  // namespace headflow::gguf
