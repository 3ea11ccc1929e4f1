// Whole files through quantize_file: what becomes Q8_0, what stays, and the bytes of both.
#include "quant/quantize_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "gguf/testing/gguf_writer.h"
#include "gguf/testing/read.h"
#include "quant/quant.h"

namespace headflow::quant {
namespace {

using gguf::Header;
using gguf::TensorInfo;
using gguf::TensorType;
using gguf::testing::GgufWriter;
using Bytes = std::vector<std::byte>;

Bytes quantized(std::span<const std::byte> file) {
  const Header from = gguf::testing::read_file(file);
  const Header to = quantized_header(from);
  Bytes out;
  quantize_file(
      from, to,
      [&](std::uint64_t offset, std::span<std::byte> piece) {
        std::memcpy(piece.data(), file.data() + offset, piece.size());
      },
      [&](std::span<const std::byte> piece) { out.insert(out.end(), piece.begin(), piece.end()); });
  return out;
}

Bytes data_of(std::span<const std::byte> file, const TensorInfo& tensor) {
  const auto data = gguf::testing::data_of(file, tensor);
  return {data.begin(), data.end()};
}

Bytes halves_of(const std::vector<float>& values) {
  Bytes bytes(2 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t half = f32_to_f16(values[i]);
    std::memcpy(&bytes[2 * i], &half, 2);
  }
  return bytes;
}

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = 0.1F * normal(random);
  return values;
}

// One block by hand: codes are the numbers themselves, ties away from zero.
TEST(QuantizeFile, AHandComputedBlock) {
  std::vector<float> values(64);
  values[0] = 127;
  values[1] = -0.5F;
  values[2] = 1.5F;
  values[33] = -254;  // Scale 2.
  values[34] = 3;     // 1.5 scales.
  const Bytes file = quantized(GgufWriter().tensor("w", {32, 2}, values).bytes());
  const Header header = gguf::testing::read_file(file);
  ASSERT_EQ(header.tensors[0].type, TensorType::kQ8_0);
  Bytes expected(68);
  expected[1] = std::byte{0x3C};  // 1.0 as fp16
  expected[2] = std::byte{127};
  expected[3] = std::byte{0xFF};
  expected[4] = std::byte{2};
  expected[35] = std::byte{0x40};  // 2.0
  expected[37] = std::byte{0x81};  // -127
  expected[38] = std::byte{2};
  EXPECT_EQ(data_of(file, header.tensors[0]), expected);
}

TEST(QuantizeFile, MatricesChangeAndNothingElse) {
  const std::vector<float> values = random_values(96 * 4, 3);
  const auto some = [&](std::size_t count) {
    return std::span(values).first(count);
  };
  const Bytes before = GgufWriter()
                           .add("general.architecture", "gpt2")
                           .add("general.file_type", std::uint32_t{1})
                           .add("odd", std::vector<std::int16_t>{-1, 5})
                           .alignment(64)
                           .tensor("wide.weight", {96, 4}, values)
                           .tensor("half.weight", {32, 3}, TensorType::kF16, halves_of(random_values(96, 4)))
                           .tensor("narrow.weight", {48, 2}, some(96))
                           .tensor("norm.weight", {96}, some(96))
                           .tensor("half.bias", {32}, TensorType::kF16, halves_of(random_values(32, 5)))
                           .tensor("column", {64, 1}, some(64))
                           .tensor("position_embd.weight", {32, 4}, some(128))
                           .tensor("cube", {32, 2, 2}, some(128))
                           .tensor("done.weight", {32, 2}, TensorType::kQ8_0, Bytes(68, std::byte{3}))
                           .tensor("others", {32}, static_cast<TensorType>(2), Bytes(18, std::byte{7}))
                           .data_order({9, 8, 7, 6, 5, 4, 3, 2, 1, 0})
                           .bytes();
  const Bytes after = quantized(before);
  const Header from = gguf::testing::read_file(before);
  const Header to = gguf::testing::read_file(after);

  EXPECT_EQ(to.alignment, 64U);
  ASSERT_EQ(to.metadata.size(), from.metadata.size());
  for (std::size_t i = 0; i < to.metadata.size(); ++i) {
    EXPECT_EQ(to.metadata[i].key, from.metadata[i].key);
    EXPECT_EQ(to.metadata[i].value.type, from.metadata[i].value.type);
  }
  EXPECT_EQ(to.unsigned_integer("general.file_type"), 7U);
  EXPECT_EQ(to.string("general.architecture"), "gpt2");

  ASSERT_EQ(to.tensors.size(), from.tensors.size());
  for (std::size_t i = 0; i < to.tensors.size(); ++i) {
    const TensorInfo& tensor = to.tensors[i];
    EXPECT_EQ(tensor.name, from.tensors[i].name);
    EXPECT_EQ(tensor.shape, from.tensors[i].shape);
    EXPECT_EQ(tensor.offset % 64, 0U);
    if (i > 0) {
      EXPECT_LT(tensor.offset, to.tensors[i - 1].offset) << "the data's order is kept";
    }
    const bool matrix = tensor.name == "wide.weight" || tensor.name == "half.weight" || tensor.name == "cube";
    EXPECT_EQ(tensor.type, matrix ? TensorType::kQ8_0 : from.tensors[i].type) << tensor.name;
    if (!matrix) {
      EXPECT_EQ(data_of(after, tensor), data_of(before, from.tensors[i])) << tensor.name;
    }
  }
}

TEST(QuantizeFile, RowsAreRoundedAsTheReferenceRoundsThem) {
  // More than one piece of a megabyte.
  const std::vector<float> values = random_values(1024 * 300, 7);
  for (const bool half : {false, true}) {
    const Bytes file =
        quantized(half ? GgufWriter().tensor("w", {1024, 300}, TensorType::kF16, halves_of(values)).bytes()
                       : GgufWriter().tensor("w", {1024, 300}, values).bytes());
    std::vector<float> stored = values;
    for (float& value : stored) value = half ? f16_to_f32(f32_to_f16(value)) : value;
    Bytes expected(row_bytes(TensorType::kQ8_0, stored.size()));
    quantize_row_reference(stored, expected);
    EXPECT_EQ(data_of(file, gguf::testing::read_file(file).tensors[0]), expected);
  }
}

TEST(QuantizeFile, AFileTypeIsAdded) {
  const Bytes file = quantized(GgufWriter().add("a", "b").tensor("w", {32, 2}, std::vector<float>(64)).bytes());
  const Header header = gguf::testing::read_file(file);
  ASSERT_EQ(header.metadata.size(), 2U);
  EXPECT_EQ(header.metadata[1].key, "general.file_type");
  EXPECT_EQ(header.metadata[1].value.type, gguf::ValueType::kUint32);
  EXPECT_EQ(header.unsigned_integer("general.file_type"), 7U);
}

TEST(QuantizeFile, RefusesWhatNoBlockCanHold) {
  const auto error_of = [](std::vector<float> values) -> std::string {
    try {
      (void)quantized(GgufWriter().tensor("w.weight", {32, 2}, values).bytes());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadWeights);
      return error.what();
    }
    return "";
  };
  std::vector<float> values(64, 1.0F);
  EXPECT_EQ(error_of(values), "");
  values[40] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(error_of(values).find("tensor w.weight, row 1, element 8"), std::string::npos) << error_of(values);
  values[40] = 8.4e6F;  // The scale rounds to fp16's infinity.
  EXPECT_NE(error_of(values).find("tensor w.weight, row 1, block 0"), std::string::npos) << error_of(values);
}

}  // namespace
}  // namespace headflow::quant
