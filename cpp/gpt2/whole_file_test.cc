// Files that are no ordinary model: parts, a vocabulary alone, padding, blocks that are not counted, spare tensors.
#include "gpt2/whole_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "gguf/testing/gguf_writer.h"
#include "gpt2/model.h"
#include "gpt2/testing/fixture.h"

namespace headflow::gpt2 {
namespace {

using testing::file_bytes;
using testing::header_of;

const std::filesystem::path kOdd = std::filesystem::path(HEADFLOW_TESTDATA) / "odd";

gguf::Header odd(const std::string& name) {
  return header_of(file_bytes(kOdd / name));
}

void expect_refused(gguf::Header header, ErrorCode code, const std::vector<std::string>& says) {
  try {
    const Model model(std::move(header));
    FAIL() << "no error, but should say " << says.front();
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(code)) << error.what();
    for (const std::string& text : says) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << text << " in " << error.what();
    }
  }
}

gguf::Value number(std::uint64_t value) {
  return {gguf::ValueType::kUint32, value};
}

TEST(WholeFile, APartIsNoModel) {
  expect_refused(odd("c25-untied-00001-of-00002.gguf"), ErrorCode::kUnsupportedModel, {"part 1 of 2", "--merge"});
  expect_refused(odd("c25-untied-00002-of-00002.gguf"), ErrorCode::kUnsupportedModel, {"part 2 of 2", "--merge"});
  const Model whole(odd("c25-untied-whole.gguf"));
  EXPECT_FALSE(whole.tied_output());
  EXPECT_FALSE(part_of(whole.header()));

  gguf::Header wrong = odd("c25-untied-00001-of-00002.gguf");
  const auto set = [](gguf::Header header, std::string_view key, std::uint64_t value) {
    for (gguf::MetadataEntry& entry : header.metadata) {
      if (entry.key == key) entry.value = number(value);
    }
    return header;
  };
  expect_refused(set(wrong, "split.no", 2), ErrorCode::kMalformed, {"split.no"});
  // One part of one, which lacks a tensor.
  expect_refused(set(set(wrong, "split.count", 1), "split.no", 0), ErrorCode::kMissingTensor, {"17", "16 tensors"});
}

TEST(WholeFile, AVocabularyAloneSplitsTextAndComputesNothing) {
  const gguf::Header header = odd("c26-vocab-only.gguf");
  EXPECT_TRUE(is_vocabulary_only(header));
  EXPECT_EQ(Tokenizer(header).decode(Tokenizer(header).encode("the")), "the");
  expect_refused(header, ErrorCode::kMissingTensor, {"a vocabulary and no weights"});
}

TEST(WholeFile, MoreRowsThanTokensAreAPaddedVocabulary) {
  expect_refused(odd("c28-47-more-rows.gguf"), ErrorCode::kBadShape, {"token_embd.weight", "padded", "47 rows"});
}

TEST(WholeFile, DoubledTokensAreRefusedWithBothIds) {
  expect_refused(odd("c28-doubled.gguf"), ErrorCode::kMalformed, {"tokenizer.ggml.tokens[", "too", "each token once"});
}

TEST(WholeFile, SpareTensorsAreNamed) {
  EXPECT_EQ(Model(odd("c29-spare-masked_bias.gguf")).unused().front(), "blk.0.attn.masked_bias");
  EXPECT_EQ(Model(odd("c29-count-right.gguf")).unused().front(), "zz.unneeded");
  EXPECT_TRUE(Model(odd("c25-untied-whole.gguf")).unused().empty());
}

TEST(WholeFile, BlocksThatAreNotCounted) {
  const gguf::Header mini = header_of(file_bytes(testing::kMini / "gpt2-mini.Q8_0.gguf"));
  gguf::Header fewer = mini;
  for (gguf::MetadataEntry& entry : fewer.metadata) {
    if (entry.key == "gpt2.block_count") entry.value = number(1);
  }
  expect_refused(fewer, ErrorCode::kMalformed, {"tensor blk.1.", "blocks 0 to 0"});
  for (const std::string spare : {"blk.2.more", "blk.99999999999999999999999.more"}) {
    gguf::Header header = mini;
    header.tensors.push_back({.name = spare, .shape = {1}, .type = gguf::TensorType::kF32, .offset = 0, .size = 4});
    expect_refused(header, ErrorCode::kMalformed, {"tensor " + spare});
  }
  for (const std::string spare : {"blk.", "blk.x", "blk.1", "blk.0.more", "more.blk.7."}) {
    gguf::Header header = mini;
    header.tensors.push_back({.name = spare, .shape = {1}, .type = gguf::TensorType::kF32, .offset = 0, .size = 4});
    EXPECT_EQ(Model(header).unused().back(), spare);
  }
}

// The last tokens of the small model made padding ones: their rows may be 0, those before them may not.
TEST(WholeFile, RowsOfZerosForPaddingTokensAreLegal) {
  const std::vector<std::byte> file = file_bytes(testing::kMini / "gpt2-mini.Q8_0.gguf");
  const gguf::Header plain = header_of(file);
  constexpr std::size_t kPadding = 100;
  const auto with = [&](bool typed) {
    gguf::Header header = plain;
    for (gguf::MetadataEntry& entry : header.metadata) {
      auto* const array = std::get_if<gguf::Array>(&entry.value.data);
      if (entry.key == "tokenizer.ggml.tokens" && !typed) {
        auto& tokens = std::get<std::vector<std::string>>(array->elements);
        // Spelled as padding; merges keep theirs.
        for (std::size_t i = 0; i < 5; ++i) tokens.push_back("[PAD" + std::to_string(i) + "]");
      }
      if (entry.key == "tokenizer.ggml.token_type" && typed) {
        auto& types = std::get<std::vector<std::byte>>(array->elements);
        for (std::size_t i = array->size() - kPadding; i < array->size(); ++i) types[4 * i] = std::byte{5};
      }
    }
    return header;
  };
  const auto load = [&](const gguf::Header& header, std::size_t zero_rows) {
    Model model(header);
    const TensorStore& store = model.token_embedding();
    std::vector<std::byte> bytes(file.begin() + static_cast<std::ptrdiff_t>(store.info().offset),
                                 file.begin() + static_cast<std::ptrdiff_t>(store.info().bytes().end));
    std::fill(bytes.end() - static_cast<std::ptrdiff_t>(zero_rows * 68), bytes.end(), std::byte{0});
    model.supply(store.info().offset, bytes);
    return model.token_embedding().present().size();
  };
  ASSERT_NE(plain.find("tokenizer.ggml.token_type"), nullptr);
  EXPECT_GT(load(with(true), kPadding), 0U);
  EXPECT_THROW((void)load(plain, kPadding), Error);
  EXPECT_THROW((void)load(with(true), kPadding + 61), Error);
  // Spelled ones have no rows in this file, which is said as a contradiction.
  expect_refused(with(false), ErrorCode::kBadShape, {"token_embd.weight"});
}

TEST(WholeFile, ATensorMustFitTheAddressSpace) {
  gguf::Header header = odd("c25-untied-whole.gguf");
  constexpr std::uint64_t kRows = std::uint64_t{1} << 20;
  for (gguf::MetadataEntry& entry : header.metadata) {
    if (entry.key == "gpt2.context_length") entry.value = number(kRows);
    if (entry.key == "gpt2.embedding_length") entry.value = number(kRows);
  }
  for (gguf::TensorInfo& tensor : header.tensors) {
    const bool vocabulary = tensor.name == "token_embd.weight";
    if (!vocabulary && tensor.name != "position_embd.weight") continue;
    tensor.shape = {kRows, vocabulary ? 272 : kRows};
    tensor.type = gguf::TensorType::kF32;
    tensor.size = 4 * tensor.shape[0] * tensor.shape[1];
  }
  // 4 TB of positions: named where sizes have 32 bits, else the next tensor of the file is, whose shape is another.
  const bool narrow = sizeof(std::size_t) < sizeof(std::uint64_t);
  expect_refused(header, narrow ? ErrorCode::kUnsupportedModel : ErrorCode::kBadShape,
                 {narrow ? "position_embd.weight" : "blk.0."});
}

TEST(WholeFile, ABeginningTokenThatLlamaCppWouldAddIsKnown) {
  gguf::Header header = odd("c25-untied-whole.gguf");
  EXPECT_FALSE(Model(header).asks_for_bos());
  header.metadata.push_back({"tokenizer.ggml.add_bos_token", {gguf::ValueType::kBool, true}, 0});
  EXPECT_TRUE(Model(header).asks_for_bos());
}

// In linear time: a directory that is looked through for each tensor would take minutes here.
TEST(WholeFile, ManyBlocks) {
  constexpr std::uint64_t kBlocks = 5000;
  gguf::Header header = odd("c25-untied-whole.gguf");
  const std::vector<gguf::TensorInfo> tensors = header.tensors;
  for (gguf::MetadataEntry& entry : header.metadata) {
    if (entry.key == "gpt2.block_count") entry.value = number(kBlocks);
  }
  for (std::uint64_t l = 1; l < kBlocks; ++l) {
    for (gguf::TensorInfo tensor : tensors) {
      if (!tensor.name.starts_with("blk.0.")) continue;
      tensor.name = "blk." + std::to_string(l) + tensor.name.substr(5);
      header.tensors.push_back(std::move(tensor));
    }
  }
  const Model model(std::move(header));
  EXPECT_EQ(model.config().block_count, kBlocks);
  EXPECT_EQ(model.stage_of(model.tensors().size() - 4).block, kBlocks - 1);
}

}  // namespace
}  // namespace headflow::gpt2
