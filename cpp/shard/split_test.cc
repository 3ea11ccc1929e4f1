// A file in pieces of any size: the pieces one after another are the file, and every hash is that of its bytes.
#include "shard/split.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "gguf/testing/gguf_writer.h"
#include "gguf/testing/read.h"
#include "shard/sha256.h"

namespace headflow::shard {
namespace {

using gguf::Header;
using gguf::TensorType;
using gguf::testing::GgufWriter;
using Bytes = std::vector<std::byte>;

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

// Tensors whose data lie in another order than the directory's, with padding between them and after the last.
Bytes small_file() {
  const std::vector<float> a(5, 1.5F);
  const std::vector<float> b = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<float> c(33, -2.0F);
  return GgufWriter()
      .add("general.architecture", "gpt2")
      .tensor("a", {5}, a)
      .tensor("b", {8}, b)
      .tensor("c", {33}, c)
      .data_order({2, 0, 1})
      .bytes();
}

struct Result {
  Manifest manifest;
  std::vector<std::pair<std::string, Bytes>> files;  // Those that were whole.
};

Result split_up(const Bytes& file, std::vector<Part> pieces) {
  Result result;
  Bytes open;
  result.manifest = split(
      gguf::testing::read_file(file), "small.gguf", std::move(pieces),
      [&](std::uint64_t offset, std::span<std::byte> out) {
        ASSERT_LE(offset + out.size(), file.size());
        std::memcpy(out.data(), file.data() + offset, out.size());
      },
      [&](const Part& piece, std::span<const std::byte> bytes, bool last) {
        open.insert(open.end(), bytes.begin(), bytes.end());
        if (last) result.files.emplace_back(piece.name, std::exchange(open, {}));
      });
  EXPECT_TRUE(open.empty());
  return result;
}

TEST(SplitTest, PiecesAreTheFileAndHashesAreThoseOfTheirBytes) {
  const Bytes file = small_file();
  const Header header = gguf::testing::read_file(file);
  for (std::uint64_t piece_size = 1; piece_size <= file.size() + 1; ++piece_size) {
    const auto [manifest, files] = split_up(file, plan_pieces("small.gguf", file.size(), piece_size));
    EXPECT_EQ(manifest.file.size, file.size());
    EXPECT_EQ(manifest.file.sha256, sha256(file));
    EXPECT_EQ(manifest.header.size, header.data_offset);
    EXPECT_EQ(manifest.header.sha256, sha256(std::span(file).first(static_cast<std::size_t>(header.data_offset))));

    Bytes together;
    ASSERT_EQ(files.size(), manifest.pieces.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto& [name, bytes] = files[i];
      EXPECT_EQ(name, manifest.pieces[i].name);
      EXPECT_EQ(bytes.size(), manifest.pieces[i].size);
      EXPECT_LE(bytes.size(), piece_size);
      EXPECT_EQ(sha256(bytes), manifest.pieces[i].sha256);
      together.insert(together.end(), bytes.begin(), bytes.end());
    }
    EXPECT_EQ(together, file);

    ASSERT_EQ(manifest.tensors.size(), header.tensors.size());
    for (std::size_t i = 0; i < header.tensors.size(); ++i) {
      EXPECT_EQ(manifest.tensors[i].name, header.tensors[i].name);
      EXPECT_EQ(manifest.tensors[i].size, header.tensors[i].size);
      EXPECT_EQ(manifest.tensors[i].sha256, sha256(gguf::testing::data_of(file, header.tensors[i])));
    }
  }
}

TEST(SplitTest, ALargeTensorIsReadInPartsButHashedWhole) {
  std::vector<float> values(600'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Bytes file = GgufWriter().tensor("large", {600'000}, values).bytes();
  const Result result = split_up(file, plan_pieces("large.gguf", file.size(), 1'500'000));
  EXPECT_EQ(result.files.size(), 2U);
  EXPECT_EQ(result.manifest.tensors.at(0).sha256, sha256(std::as_bytes(std::span(values))));
}

TEST(SplitTest, AFileWithoutTensorsIsItsHeader) {
  const Bytes file = GgufWriter().add("general.name", "nothing").header_bytes();
  const Result result = split_up(file, {{"nothing.gguf", file.size(), {}}});
  EXPECT_EQ(result.manifest.header.size, file.size());
  EXPECT_EQ(result.manifest.header.sha256, sha256(file));
}

TEST(SplitTest, NamesCountFromOne) {
  const std::vector<Part> pieces = plan_pieces("m.gguf", 21, 10);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].name, "m.gguf-00001-of-00003.part");
  EXPECT_EQ(pieces[2].name, "m.gguf-00003-of-00003.part");
  EXPECT_EQ(pieces[2].size, 1U);
  EXPECT_EQ(plan_pieces("m.gguf", 20, 10).size(), 2U);
}

TEST(SplitTest, RefusesCountsThatNamesCannotHold) {
  EXPECT_THROW((void)plan_pieces("m.gguf", 20, 0), Error);
  EXPECT_THROW((void)plan_pieces("m.gguf", 0, 10), Error);
  EXPECT_THROW((void)plan_pieces("m.gguf", 100'000, 1), Error);
  EXPECT_EQ(plan_pieces("m.gguf", 99'999, 1).size(), 99'999U);
}

TEST(SplitTest, RefusesATensorOfUnknownSize) {
  const Bytes file = GgufWriter().tensor("odd", {4}, static_cast<TensorType>(999), Bytes(16)).bytes();
  EXPECT_THROW((void)split_up(file, {{"odd.gguf", file.size(), {}}}), Error);
}

TEST(SplitTest, TheManifestAsJson) {
  const Manifest manifest = {.file = {"m.gguf", 12, "aa"},
                             .header = {{}, 8, "bb"},
                             .pieces = {{"m.gguf", 12, "aa"}},
                             .tensors = {{"t", 4, "cc"}}};
  EXPECT_EQ(to_json(manifest).dump(),
            R"({"format":"headflow-shards","version":1,"name":"m.gguf","size":12,"sha256":"aa",)"
            R"("header":{"size":8,"sha256":"bb"},"pieces":[{"name":"m.gguf","size":12,"sha256":"aa"}],)"
            R"("tensors":[{"name":"t","size":4,"sha256":"cc"}]})");
}

}  // namespace
}  // namespace headflow::shard
