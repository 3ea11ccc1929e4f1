// The header as JSON: every type, order, and where arrays are cut.
#include "gguf/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gguf/testing/gguf_writer.h"
#include "gguf/testing/read.h"

namespace headflow::gguf {
namespace {

using nlohmann::ordered_json;
using testing::GgufWriter;

constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

ordered_json json_of(const GgufWriter& writer, std::size_t longest_array = kWhole) {
  return to_json(testing::read(writer.bytes()), longest_array);
}

TEST(Json, MetadataOfEveryKind) {
  const ordered_json json = json_of(GgufWriter()
                                        .add("z", std::uint8_t{7})
                                        .add("y", std::int64_t{-7})
                                        .add("x", true)
                                        .add("w", "text")
                                        .add("v", 2.5)
                                        .add("u", std::numeric_limits<std::uint64_t>::max())
                                        .add("t", std::vector<bool>{true, false})
                                        .add("s", std::vector<std::string>{"a", "b"})
                                        .add("r", std::vector<std::vector<std::int8_t>>{{1, -2}, {}}));
  EXPECT_EQ(json["metadata"].dump(),
            R"({"z":{"type":"uint8","value":7},"y":{"type":"int64","value":-7},"x":{"type":"bool","value":true},)"
            R"("w":{"type":"string","value":"text"},"v":{"type":"float64","value":2.5},)"
            R"("u":{"type":"uint64","value":18446744073709551615},)"
            R"("t":{"type":"array","element_type":"bool","value":[true,false]},)"
            R"("s":{"type":"array","element_type":"string","value":["a","b"]},)"
            R"("r":{"type":"array","element_type":"array","value":[[1,-2],[]]}})");
}

TEST(Json, Float32InTheDigitsThatTellItApart) {
  const ordered_json json = json_of(GgufWriter()
                                        .add("epsilon", 1e-5F)
                                        .add("list", std::vector<float>{0.1F, 3.0F})
                                        .add("wide", static_cast<double>(0.1F)));
  EXPECT_EQ(json["metadata"]["epsilon"]["value"].dump(), "1e-05");
  EXPECT_EQ(json["metadata"]["list"]["value"].dump(), "[0.1,3.0]");
  EXPECT_EQ(json["metadata"]["wide"]["value"].dump(), "0.10000000149011612");
}

TEST(Json, NumbersThatJsonLacksAreText) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const ordered_json json = json_of(GgufWriter().add("a", kInfinity).add("b", -kInfinity).add("c", std::nan("")));
  EXPECT_EQ(json["metadata"]["a"]["value"], "Infinity");
  EXPECT_EQ(json["metadata"]["b"]["value"], "-Infinity");
  EXPECT_EQ(json["metadata"]["c"]["value"], "NaN");
}

TEST(Json, LongArraysAreCutAndSaySo) {
  const GgufWriter writer = GgufWriter()
                                .add("long", std::vector<std::uint32_t>{1, 2, 3, 4})
                                .add("short", std::vector<std::uint32_t>{1, 2})
                                .add("inner", std::vector<std::vector<std::uint32_t>>{{1, 2, 3}, {4}});
  const ordered_json cut = json_of(writer, 2);
  EXPECT_EQ(cut["metadata"]["long"].dump(),
            R"({"type":"array","element_type":"uint32","value":[1,2],"length":4,"cut":true})");
  EXPECT_FALSE(cut["metadata"]["short"].contains("cut"));
  EXPECT_EQ(cut["metadata"]["inner"].dump(),
            R"({"type":"array","element_type":"array","value":[[1,2],[4]],"cut":true})");
  const ordered_json whole = json_of(writer);
  EXPECT_EQ(whole["metadata"]["long"]["value"].size(), 4U);
  EXPECT_FALSE(whole["metadata"]["inner"].contains("cut"));
}

TEST(Json, TensorsInFileOrder) {
  const ordered_json json = json_of(GgufWriter()
                                        .alignment(64)
                                        .tensor("b", {2, 3}, std::vector<float>(6))
                                        .tensor("a", {32}, TensorType::kQ8_0, std::vector<std::byte>(34)));
  EXPECT_EQ(json["version"], 3);
  EXPECT_EQ(json["alignment"], 64);
  const auto start = json["data_offset"].get<std::uint64_t>();
  EXPECT_EQ(start % 64, 0U);
  const ordered_json expected = {{"b", {{"shape", {2, 3}}, {"type", "F32"}, {"offset", start}, {"size", 24}}},
                                 {"a", {{"shape", {32}}, {"type", "Q8_0"}, {"offset", start + 64}, {"size", 34}}}};
  EXPECT_EQ(json["tensors"].dump(), expected.dump());
}

TEST(Json, BytesThatAreNotUtf8CanBeReplacedWhenWritten) {
  const ordered_json json = json_of(GgufWriter().add("bytes", "a\xFFz"));
  EXPECT_EQ(json["metadata"]["bytes"]["value"].dump(-1, ' ', false, ordered_json::error_handler_t::replace),
            "\"a\xEF\xBF\xBDz\"");
}

// The streamed text against the one that is built whole.
TEST(Json, StreamedIsTheSame) {
  const auto writer = GgufWriter()
                          .add("u8", std::vector<std::uint8_t>{0, 255})
                          .add("f32", std::vector<float>{0.1F, std::numeric_limits<float>::infinity()})
                          .add("bool", std::vector<bool>{true, false})
                          .add("none", std::vector<std::int64_t>{})
                          .add("strings", std::vector<std::string>{"a\"\n", "\xFF"})
                          .add("arrays", std::vector<std::vector<std::int8_t>>{{1, -2}, {}})
                          .add("a \"key\"", 2.5)
                          .tensor("w", {2, 3}, std::vector<float>(6))
                          .tensor("v", {4}, std::vector<float>(4));
  for (const GgufWriter& each : {writer, GgufWriter()}) {
    const Header header = testing::read(each.bytes());
    std::ostringstream text;
    write_json(header, text);
    EXPECT_EQ(text.str(), to_json(header, kWhole).dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  }
}

}  // namespace
}  // namespace headflow::gguf
