// What is refused: cut, damaged and hostile headers, with the error's code and the place that it names.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "gguf/testing/gguf_writer.h"
#include "gguf/testing/read.h"

namespace headflow::gguf {
namespace {

using std::string_literals::operator""s;
using testing::ByteWriter;
using testing::error_of;
using testing::file_bytes;
using testing::GgufWriter;
using testing::is_refused;
using testing::kOnePiece;
using testing::push_all;

using Bytes = std::vector<std::byte>;

// The error, with and without the file's size known, in one piece and byte by byte, has this code and says all of
// these.
void expect_refused(const Bytes& bytes, ErrorCode code, const std::vector<std::string>& says) {
  for (const std::size_t piece : {kOnePiece, std::size_t{1}}) {
    for (const bool sized : {true, false}) {
      SCOPED_TRACE(::testing::Message() << (sized ? "file size known" : "file size unknown") << ", pieces of "
                                        << piece);
      const Error error = error_of(bytes, piece, sized ? std::optional<std::uint64_t>(bytes.size()) : std::nullopt);
      EXPECT_EQ(name(error.code()), name(code)) << error.what();
      for (const std::string& text : says) {
        EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << text << " in " << error.what();
      }
    }
  }
}

Bytes text_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Bytes fixture() {
  return file_bytes(std::filesystem::path(HEADFLOW_TESTDATA) / "gpt2-mini/gpt2-mini.Q8_0.gguf");
}

// One entry of every kind and two tensors.
GgufWriter small_file() {
  GgufWriter writer;
  writer.add("general.architecture", "gpt2").alignment(16).add("flag", true).add("number", 1.5F);
  writer.add("names", std::vector<std::string>{"a", "bc"});
  writer.add("nested", std::vector<std::vector<bool>>{{true}, {}});
  writer.tensor("one", {4}, std::vector<float>(4)).tensor("two", {32}, TensorType::kQ8_0, Bytes(34));
  return writer;
}

TEST(HeaderRefusal, EveryTruncationOfTheFixture) {
  const Bytes bytes = fixture();
  HeaderReader whole;
  push_all(whole, bytes, 1);
  const auto header_size = static_cast<std::size_t>(whole.position());
  ASSERT_GT(header_size, 4000U);
  for (std::size_t size = 0; size < header_size; ++size) {
    const std::span<const std::byte> cut = std::span(bytes).first(size);
    for (const bool sized : {true, false}) {
      const Error error = error_of(cut, kOnePiece, sized ? std::optional<std::uint64_t>(size) : std::nullopt);
      ASSERT_EQ(error.code(), ErrorCode::kTruncated) << size << ": " << error.what();
      ASSERT_NE(std::string(error.what()).find("at byte "), std::string::npos) << error.what();
    }
  }
  // With the header whole, the data may be cut: seen where the file's size is known.
  for (std::size_t size = header_size; size < whole.header()->end_offset; size += 997) {
    const std::span<const std::byte> cut = std::span(bytes).first(size);
    EXPECT_EQ(error_of(cut, kOnePiece, size).code(), ErrorCode::kTruncated);
    EXPECT_FALSE(is_refused(cut));
  }
}

TEST(HeaderRefusal, EveryTruncationInSmallPieces) {
  const Bytes bytes = small_file().header_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
      const Error error = error_of(std::span(bytes).first(size), piece);
      ASSERT_EQ(error.code(), ErrorCode::kTruncated) << size << ": " << error.what();
    }
  }
}

// Every byte with each bit flipped, and set to some extremes: parsed or refused with an Error, and nothing else.
TEST(HeaderRefusal, EveryByteChanged) {
  const Bytes right = small_file().bytes();
  const std::size_t header_size = small_file().header_bytes().size();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < header_size; ++at) {
    std::vector<std::byte> values = {std::byte{0}, std::byte{0x7F}, std::byte{0x80}, std::byte{0xFF}};
    for (unsigned bit = 0; bit < 8; ++bit) values.push_back(right[at] ^ (std::byte{1} << bit));
    Bytes bytes = right;
    for (const std::byte value : values) {
      bytes[at] = value;
      const bool sized = is_refused(bytes, bytes.size());
      // Knowing the size can only find more.
      ASSERT_LE(is_refused(bytes), sized) << at;
      if (sized) ++refused;
    }
  }
  EXPECT_GT(refused, header_size * 4);
}

TEST(HeaderRefusal, OtherFilesAreRecognised) {
  const std::string lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 178\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {lfs, "Git LFS"},
      {"<!DOCTYPE html>\n<html lang=\"en\">", "web page"},
      {"\n\n  <html><head><title>404</title>", "web page"},
      {"\x1F\x8B\x08\0\0\0\0\0\0\x03 and more than 24 bytes"s, "gzip"},
      {"PK\x03\x04 and so on, more than 24 bytes", "zip"},
      {"\x60\x0B\0\0\0\0\0\0{\"__metadata__\":{\"format\""s, "safetensors"},
      {"{\"error\":\"Repository not found\"}", "JSON"},
      {"tjgg\x03\0\0\0\x51\xC4\0\0\0\x03\0\0\0\x0C\0\0\0\x0C\0\0"s, "older"},
      {"It was a bright cold day in April.", "GGUF"},
  };
  for (const auto& [text, hint] : cases) {
    const Error error = error_of(text_bytes(text));
    EXPECT_EQ(error.code(), ErrorCode::kBadMagic);
    EXPECT_NE(error.parts().hint.find(hint), std::string::npos) << error.what();
  }
  expect_refused(text_bytes(lfs), ErrorCode::kBadMagic, {"at byte 0", "GGUF"});
  // A byte that cannot be shown is escaped.
  EXPECT_NE(std::string(error_of(text_bytes("\xFF\n?!")).what()).find("\\xFF\\x0A?!"), std::string::npos);
}

TEST(HeaderRefusal, ShortFilesThatAreNotGguf) {
  expect_refused({}, ErrorCode::kTruncated, {"empty"});
  expect_refused(text_bytes("GG"), ErrorCode::kTruncated, {"at byte "});
  expect_refused(text_bytes("Not found"), ErrorCode::kBadMagic, {"at byte 0"});
  expect_refused(text_bytes("No"), ErrorCode::kBadMagic, {"at byte 0"});
}

TEST(HeaderRefusal, OtherVersions) {
  expect_refused(GgufWriter().version(1).add("a", true).bytes(), ErrorCode::kUnsupportedVersion,
                 {"at byte 4", "version 1", "2 or 3", "older"});
  expect_refused(GgufWriter().version(4).bytes(), ErrorCode::kUnsupportedVersion, {"version 4", "2 or 3"});
  expect_refused(GgufWriter().version(0).bytes(), ErrorCode::kUnsupportedVersion, {"version 0"});
  for (const std::uint32_t swapped : {0x01000000U, 0x02000000U, 0x03000000U}) {
    expect_refused(GgufWriter().version(swapped).bytes(), ErrorCode::kUnsupportedVersion, {"big-endian"});
  }
}

TEST(HeaderRefusal, CountsThatNoFileHolds) {
  for (const std::uint64_t count : {std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{1} << 40}) {
    expect_refused(GgufWriter().claim_counts(count, 0).bytes(), ErrorCode::kMalformed,
                   {"tensors", std::to_string(count)});
    expect_refused(GgufWriter().claim_counts(0, count).bytes(), ErrorCode::kMalformed,
                   {"metadata", std::to_string(count)});
  }
  // Believable, but not in this file.
  const Bytes bytes = GgufWriter().claim_counts(1000, 0).bytes();
  EXPECT_EQ(error_of(bytes, kOnePiece, bytes.size()).code(), ErrorCode::kTruncated);
}

TEST(HeaderRefusal, LengthsThatNoFileHolds) {
  for (const std::uint64_t length : {std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{1} << 32}) {
    const std::string said = std::to_string(length);
    const Bytes string = ByteWriter().put(length).put_bytes(text_bytes("few bytes")).bytes();
    expect_refused(GgufWriter().add_raw("a.string", ValueType::kString, string).bytes(), ErrorCode::kMalformed,
                   {"metadata a.string, at byte 44", said});
    expect_refused(GgufWriter()
                       .add_raw("list", ValueType::kArray,
                                ByteWriter().put(ValueType::kString).put(std::uint64_t{2}).put_bytes(string).bytes())
                       .bytes(),
                   ErrorCode::kMalformed, {"metadata list, at byte 52", said});
    for (const ValueType type : {ValueType::kUint8, ValueType::kUint16, ValueType::kFloat32, ValueType::kInt64,
                                 ValueType::kBool, ValueType::kString, ValueType::kArray}) {
      expect_refused(
          GgufWriter().add_raw("list", ValueType::kArray, ByteWriter().put(type).put(length).bytes()).bytes(),
          ErrorCode::kMalformed, {"metadata list, at byte ", said});
    }
    // A key and a tensor's name, whose length fields are the first bytes after the preamble.
    for (const std::uint64_t tensors : {0U, 1U}) {
      const Bytes preamble = GgufWriter().claim_counts(tensors, 1 - tensors).header_bytes();
      expect_refused(ByteWriter().put_bytes(preamble).put(length).put_bytes(Bytes(100)).bytes(), ErrorCode::kMalformed,
                     {"at byte 24", said, "65535"});
    }
  }
}

TEST(HeaderRefusal, ASizeIsCheckedBeforeTheBytesCome) {
  // The file has 1 MB, of which nothing beyond the array's count was read.
  const Bytes start =
      GgufWriter()
          .add_raw("list", ValueType::kArray, ByteWriter().put(ValueType::kFloat64).put(std::uint64_t{200000}).bytes())
          .header_bytes();
  const Error error = error_of(start, kOnePiece, 1000000);
  EXPECT_EQ(error.code(), ErrorCode::kTruncated);
  EXPECT_NE(std::string(error.what()).find("200000"), std::string::npos) << error.what();
}

TEST(HeaderRefusal, LongKeys) {
  EXPECT_FALSE(is_refused(GgufWriter().add(std::string(65535, 'k'), true).bytes()));
  expect_refused(GgufWriter().add(std::string(65536, 'k'), true).bytes(), ErrorCode::kMalformed, {"65536", "65535"});
  // Shown shortened, bytes that cannot be shown escaped.
  const Error error =
      error_of(GgufWriter().add(std::string(65535, '\xFF'), true).add(std::string(65535, '\xFF'), true).bytes());
  EXPECT_NE(std::string(error.what()).find("\\xFF\\xFF"), std::string::npos);
  EXPECT_LT(std::strlen(error.what()), 1000U);
}

TEST(HeaderRefusal, UnknownValueTypes) {
  for (const std::uint32_t type : {13U, 255U, 0xFFFFFFFFU}) {
    const std::string said = std::to_string(type);
    expect_refused(GgufWriter().add_raw("key", static_cast<ValueType>(type), Bytes(16)).bytes(), ErrorCode::kMalformed,
                   {"metadata key, at byte 35", said});
    expect_refused(
        GgufWriter().add_raw("key", ValueType::kArray, ByteWriter().put(type).put(std::uint64_t{0}).bytes()).bytes(),
        ErrorCode::kMalformed, {"metadata key, at byte 39", said});
  }
}

TEST(HeaderRefusal, BoolsOtherThan0And1) {
  for (const unsigned each : {2U, 128U, 255U}) {
    const auto value = static_cast<std::uint8_t>(each);
    const std::string said = std::to_string(value);
    expect_refused(GgufWriter().add_raw("flag", ValueType::kBool, ByteWriter().put(value).bytes()).bytes(),
                   ErrorCode::kMalformed, {"metadata flag, at byte 40", said, "0 or 1"});
    const ByteWriter list = ByteWriter().put(ValueType::kBool).put(std::uint64_t{3}).put(true).put(false).put(value);
    expect_refused(GgufWriter().add_raw("flags", ValueType::kArray, list.bytes()).bytes(), ErrorCode::kMalformed,
                   {"metadata flags, at byte 55", said});
  }
}

TEST(HeaderRefusal, DeepArrays) {
  ByteWriter deep;
  for (int depth = 0; depth < 100000; ++depth) deep.put(ValueType::kArray).put(std::uint64_t{1});
  expect_refused(GgufWriter().add_raw("deep", ValueType::kArray, deep.bytes()).bytes(), ErrorCode::kMalformed,
                 {"metadata deep, at byte ", "4 levels"});
}

TEST(HeaderRefusal, TheSameNameTwice) {
  expect_refused(GgufWriter().add("key", true).add("other", 1.0F).add("key", 2.0F).bytes(), ErrorCode::kMalformed,
                 {"metadata key, at byte 61", "twice"});
  const std::vector<float> data(8);
  expect_refused(GgufWriter().tensor("t", {8}, data).tensor("u", {8}, data).tensor("t", {8}, data).bytes(),
                 ErrorCode::kMalformed, {"tensor t, at byte ", "twice"});
}

TEST(HeaderRefusal, Alignments) {
  for (const std::uint32_t alignment : {0U, 1U, 4U, 12U, 24U, 33U, 0x80000000U}) {
    expect_refused(GgufWriter().add("general.alignment", alignment).bytes(), ErrorCode::kMalformed,
                   {"metadata general.alignment, at byte 24", std::to_string(alignment), "power of two"});
  }
  expect_refused(GgufWriter().add("general.alignment", "32").bytes(), ErrorCode::kMalformed,
                 {"metadata general.alignment, at byte 24", "string"});
}

TEST(HeaderRefusal, Shapes) {
  const Bytes data(1024);
  const auto file = [&](std::vector<std::uint64_t> shape, TensorType type = TensorType::kF32) {
    return GgufWriter().tensor("weight", std::move(shape), type, data).bytes();
  };
  expect_refused(file({}), ErrorCode::kMalformed, {"tensor weight, at byte ", "0 dimensions"});
  expect_refused(file({1, 1, 1, 1, 1}), ErrorCode::kMalformed, {"tensor weight, at byte ", "5 dimensions"});
  expect_refused(file({0}), ErrorCode::kMalformed, {"tensor weight, at byte ", "0"});
  expect_refused(file({4, 0, 4}), ErrorCode::kMalformed, {"tensor weight, at byte "});
  expect_refused(file({std::uint64_t{1} << 63, 2}), ErrorCode::kMalformed, {"tensor weight, at byte "});
  expect_refused(file({std::uint64_t{1} << 32, std::uint64_t{1} << 32}), ErrorCode::kMalformed, {"tensor weight"});
  expect_refused(file({3, ~std::uint64_t{0}, 5}), ErrorCode::kMalformed, {"tensor weight"});
  expect_refused(file({std::uint64_t{1} << 33, std::uint64_t{1} << 33}, static_cast<TensorType>(999)),
                 ErrorCode::kMalformed, {"tensor weight"});
  expect_refused(file({48, 2}, TensorType::kQ8_0), ErrorCode::kBadShape,
                 {"tensor weight, at byte ", "48", "32", "Q8_0"});
  expect_refused(file({128}, static_cast<TensorType>(12)), ErrorCode::kBadShape, {"128", "256", "Q4_K"});
  // The count of dimensions alone must not make anything large.
  Bytes many = file({1});
  const std::uint32_t claimed = 0xFFFFFFFFU;
  std::memcpy(&many[24 + 8 + 6], &claimed, sizeof claimed);
  expect_refused(many, ErrorCode::kMalformed, {"tensor weight", "4294967295 dimensions"});
}

TEST(HeaderRefusal, Offsets) {
  const Bytes data(64);
  const auto second_at = [&](std::uint64_t offset) {
    return GgufWriter()
        .tensor("a", {16}, TensorType::kF32, data)
        .tensor("b", {16}, TensorType::kF32, data, offset)
        .bytes();
  };
  EXPECT_FALSE(is_refused(second_at(64), second_at(64).size()));
  expect_refused(second_at(65), ErrorCode::kMalformed, {"tensor b, at byte ", "65", "32"});
  expect_refused(second_at(32), ErrorCode::kMalformed, {"tensor b", "tensor a"});
  expect_refused(second_at(0), ErrorCode::kMalformed, {"tensor b", "tensor a"});
  for (const std::uint64_t offset : {~std::uint64_t{0} - 31, std::uint64_t{1} << 63}) {
    expect_refused(second_at(offset), ErrorCode::kMalformed, {"tensor b, at byte ", std::to_string(offset)});
  }
  // Past the file's end: known only with its size.
  const Bytes bytes = second_at(96);
  const Error error = error_of(bytes, kOnePiece, bytes.size());
  EXPECT_EQ(error.code(), ErrorCode::kTruncated);
  EXPECT_NE(std::string(error.what()).find("tensor b"), std::string::npos);
  EXPECT_FALSE(is_refused(bytes));
}

TEST(HeaderRefusal, ACountOfTensorsThatIsTooLow) {
  const auto file = [](std::uint64_t claimed, std::size_t last) {
    return GgufWriter()
        .claim_counts(claimed, 0)
        .tensor("a", {16}, std::vector<float>(16, 1.0F))
        .tensor("b", {16}, std::vector<float>(16, 1.0F))
        .tensor("c", {last}, std::vector<float>(last, 1.0F))
        .bytes();
  };
  EXPECT_FALSE(is_refused(file(3, 8), file(3, 8).size()));
  // Where the entry of "c" has the place of padding, seen without the file's size too.
  EXPECT_NE(std::string(error_of(file(2, 8)).what()).find("count of tensors is too low"), std::string::npos);
  EXPECT_TRUE(is_refused(file(2, 8), file(2, 8).size()));
  EXPECT_TRUE(is_refused(file(1, 8)));
  EXPECT_TRUE(is_refused(file(0, 8), file(0, 8).size()));
}

TEST(HeaderRefusal, PaddingBeforeTheDataIsZero) {
  const GgufWriter writer = GgufWriter().tensor("a", {16}, std::vector<float>(16, 1.0F));
  const std::size_t header = writer.header_bytes().size();
  const Bytes right = writer.bytes();
  ASSERT_FALSE(is_refused(right, right.size()));
  ASSERT_GT(right.size() - 64, header);
  for (std::size_t at = header; at < right.size() - 64; ++at) {
    Bytes wrong = right;
    wrong[at] = std::byte{1};
    expect_refused(wrong, ErrorCode::kMalformed, {"at byte " + std::to_string(at), "a byte of 1"});
  }
}

TEST(HeaderRefusal, BytesThatNoTensorHas) {
  const Bytes data(64);
  const auto file = [&](std::uint64_t first, std::uint64_t second) {
    return GgufWriter()
        .tensor("a", {16}, TensorType::kF32, Bytes(128), first)
        .tensor("b", {16}, TensorType::kF32, data, second)
        .bytes();
  };
  // As much as the alignment may lie between two, as writers leave that pad always.
  EXPECT_FALSE(is_refused(file(0, 96)));
  expect_refused(file(0, 128), ErrorCode::kMalformed, {"64 bytes that no tensor has", "32"});
  EXPECT_FALSE(is_refused(file(32, 96)));
  expect_refused(file(64, 128), ErrorCode::kMalformed, {"64 bytes that no tensor has"});
  // Behind the last one: seen where the file's size is known.
  Bytes longer = GgufWriter().tensor("a", {15}, std::vector<float>(15)).bytes();
  const std::size_t end = longer.size() - 4;
  longer.resize(end + 32);
  EXPECT_FALSE(is_refused(longer, longer.size()));
  longer.resize(end + 33);
  EXPECT_EQ(error_of(longer, kOnePiece, longer.size()).code(), ErrorCode::kMalformed);
  EXPECT_FALSE(is_refused(longer));
  // A file without tensors is its header.
  Bytes vocabulary = GgufWriter().add("key", "value").bytes();
  EXPECT_FALSE(is_refused(vocabulary, vocabulary.size()));
  vocabulary.resize(vocabulary.size() + 40);
  EXPECT_TRUE(is_refused(vocabulary, vocabulary.size()));
}

TEST(HeaderRefusal, TheHintIsTheSameHoweverTheFileIsCut) {
  // What tells the kind of a file may lie beyond the bytes that a piece happens to have.
  for (const std::string& start :
       {std::string(30, ' ') + "<html>", std::string(23, '\n') + "{}" + std::string(40, ' ')}) {
    const Bytes bytes = text_bytes(start);
    const std::string whole = error_of(bytes).what();
    for (const std::size_t piece : {1U, 5U, 24U, 25U, 31U}) EXPECT_EQ(error_of(bytes, piece).what(), whole) << piece;
  }
}

TEST(HeaderRefusal, ATensorOfUnknownSizeHidesNoOverlap) {
  const Bytes data(64);
  expect_refused(GgufWriter()
                     .tensor("a", {16}, TensorType::kF32, data)
                     .tensor("unknown", {16}, static_cast<TensorType>(999), {}, 32)
                     .tensor("b", {8}, TensorType::kF32, data, 32)
                     .bytes(),
                 ErrorCode::kMalformed, {"tensor b", "tensor a"});
  const Bytes outside = GgufWriter().tensor("unknown", {16}, static_cast<TensorType>(999), data, 4096).bytes();
  EXPECT_EQ(error_of(outside, kOnePiece, outside.size()).code(), ErrorCode::kTruncated);
}

TEST(HeaderRefusal, AReaderThatRefusedKeepsRefusing) {
  const Bytes bytes = GgufWriter().add("key", true).add("key", true).add("more", true).bytes();
  HeaderReader reader;
  EXPECT_THROW(reader.push(bytes), Error);
  EXPECT_THROW(reader.push(bytes), Error);
  EXPECT_THROW(reader.push({}), Error);
  EXPECT_THROW(reader.finish(), Error);
  EXPECT_EQ(reader.header(), nullptr);
  EXPECT_THROW((void)reader.take(), Error);
}

// The header is whole with the padding that leads to the data.
Bytes padded(const Bytes& header, std::uint64_t alignment) {
  return ByteWriter().put_bytes(header).align(alignment).bytes();
}

TEST(HeaderRefusal, NothingIsTakenBeforeTheEnd) {
  const Bytes bytes = padded(small_file().header_bytes(), 16);
  ASSERT_GT(bytes.size(), small_file().header_bytes().size());
  HeaderReader reader;
  reader.push(std::span(bytes).first(bytes.size() - 1));
  EXPECT_EQ(reader.needed(), 1U);
  EXPECT_EQ(reader.header(), nullptr);
  EXPECT_THROW((void)reader.take(), Error);
  EXPECT_THROW(reader.finish(), Error);
  reader.push(std::span(bytes).last(1));
  EXPECT_EQ(reader.take().tensors.size(), 2U);
}

}  // namespace
}  // namespace headflow::gguf
