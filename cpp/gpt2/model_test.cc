// A model takes its bytes in any order, says what it lacks, and reserves no more than it was given room for.

#include "gpt2/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "base/error.h"
#include "gpt2/testing/fixture.h"

namespace headflow::gpt2 {
namespace {

using testing::file_bytes;
using testing::header_of;
using testing::kMini;

class ModelTest : public ::testing::Test {
 protected:
  std::vector<std::byte> file = file_bytes(kMini / "gpt2-mini.Q8_0.gguf");
  Model model{header_of(file)};
  std::vector<TokenId> tokens = {267, 265, 267};

  void supply(ByteRange range) {
    model.supply(range.begin, std::span(file).subspan(static_cast<std::size_t>(range.begin),
                                                      static_cast<std::size_t>(range.size())));
  }
  static std::uint64_t total(const std::vector<ByteRange>& ranges) {
    std::uint64_t bytes = 0;
    for (const ByteRange& range : ranges) bytes += range.size();
    return bytes;
  }
};

TEST_F(ModelTest, ReadsTheConfiguration) {
  EXPECT_EQ(model.config().block_count, 2U);
  EXPECT_EQ(model.config().head_count, 4U);
  EXPECT_EQ(model.config().embedding_length, 64U);
  EXPECT_EQ(model.config().head_dim, 16U);
  EXPECT_EQ(model.config().context_length, 64U);
  EXPECT_EQ(model.config().vocabulary_size, 272U);
  EXPECT_TRUE(model.tied_output());
}

TEST_F(ModelTest, EmbedLacksTheRowsOfItsTokens) {
  // Two distinct token rows of 2 blocks, and three position rows of 64 floats, side by side.
  const std::vector<ByteRange> ranges = model.lacking({StageKind::kEmbed, 0}, tokens);
  EXPECT_EQ(ranges.size(), 3U);
  EXPECT_EQ(total(ranges), 2U * 2 * 34 + 3U * 64 * 4);
}

TEST_F(ModelTest, StagesLackOnlyTheirOwn) {
  const std::uint64_t attention = (64 + 64 + 192 + 64) * 4 + (192 + 64) * 68;
  EXPECT_EQ(total(model.lacking({StageKind::kAttention, 1}, tokens)), attention);
  for (const ByteRange& range : model.lacking({StageKind::kAttention, 1}, tokens)) supply(range);
  EXPECT_TRUE(model.has({StageKind::kAttention, 1}, tokens));
  EXPECT_FALSE(model.has({StageKind::kAttention, 0}, tokens));
  EXPECT_FALSE(model.has({StageKind::kMlp, 1}, tokens));
  EXPECT_EQ(model.present_bytes(), attention);
  EXPECT_EQ(model.reserved_bytes(), attention);
}

TEST_F(ModelTest, TakesBytesInAnyOrderAndPieces) {
  const std::size_t piece = 1000;
  for (std::size_t start = 0; start < 3; ++start) {
    for (std::size_t at = start * piece; at < file.size(); at += 3 * piece) {
      supply({at, std::min(at + piece, file.size())});
    }
  }
  EXPECT_TRUE(model.lacking().empty());
  EXPECT_LE(model.reserved_bytes(), file.size());
  EXPECT_EQ(model.reserved_bytes(), model.present_bytes());
  auto shared = std::make_shared<Model>(std::move(model));
  Session session(shared);
  session.set_tokens(tokens);
  const std::vector<float> values = testing::node_values(session, {Node::kBlockOutput, 1});
  Session whole(testing::mini_model());
  whole.set_tokens(tokens);
  EXPECT_TRUE(testing::same_bits(values, testing::node_values(whole, {Node::kBlockOutput, 1})));
}

TEST_F(ModelTest, ASessionStopsBeforeWhatIsLacking) {
  for (const ByteRange& range : model.lacking({StageKind::kEmbed, 0}, tokens)) supply(range);
  for (const ByteRange& range : model.lacking({StageKind::kAttention, 0}, tokens)) supply(range);
  auto shared = std::make_shared<Model>(std::move(model));
  Session session(shared);
  session.set_tokens(tokens);
  const std::vector<float> p = testing::node_values(session, {Node::kProbabilities, 0});
  EXPECT_EQ(p.size(), 4U * 3 * 3);
  const Progress progress = session.advance({{StageKind::kAttention, 1}}, 1);
  EXPECT_TRUE(progress.blocked);
  EXPECT_EQ(progress.stage, (Stage{StageKind::kMlp, 0}));
}

TEST_F(ModelTest, RefusesScalesThatAreNotFinite) {
  const ByteRange rows = model.lacking({StageKind::kAttention, 0}, tokens).front();
  for (const TensorStore& store : model.tensors()) {
    if (store.info().name != "blk.0.attn_qkv.weight") continue;
    const std::size_t scale = static_cast<std::size_t>(store.info().offset) + 5 * 68 + 34;
    file[scale] = std::byte{0x00};
    file[scale + 1] = std::byte{0x7C};  // fp16 infinity
  }
  try {
    supply(rows);
    for (const ByteRange& range : model.lacking({StageKind::kAttention, 0}, tokens)) supply(range);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadWeights);
    EXPECT_NE(error.parts().where.find("blk.0.attn_qkv.weight, row 5, block 1"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(model.has({StageKind::kAttention, 0}, tokens));
}

TEST_F(ModelTest, RefusesWeightsThatATransferLeftZero) {
  const auto tensor = [&](std::string_view name) {
    for (const TensorStore& store : model.tensors()) {
      if (store.info().name == name) return store.info().bytes();
    }
    throw std::out_of_range(std::string(name));
  };
  // Zeroes part of a copy of the file and supplies that part's tensor; what is refused is absent.
  const auto refused = [&](ByteRange zeros, ByteRange bytes) {
    std::vector<std::byte> damaged = file;
    std::fill(damaged.begin() + static_cast<std::ptrdiff_t>(zeros.begin),
              damaged.begin() + static_cast<std::ptrdiff_t>(zeros.end), std::byte{0});
    Model fresh(header_of(file));
    try {
      fresh.supply(bytes.begin, std::span(damaged).subspan(static_cast<std::size_t>(bytes.begin),
                                                           static_cast<std::size_t>(bytes.size())));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadWeights);
      EXPECT_EQ(fresh.present_bytes(), 0U);
      return true;
    }
    EXPECT_EQ(fresh.present_bytes(), bytes.size());
    return false;
  };
  const ByteRange up = tensor("blk.0.ffn_up.weight");
  EXPECT_TRUE(refused(up, up));
  EXPECT_TRUE(refused({up.end - kZeroTail, up.end}, up));
  EXPECT_TRUE(refused({up.end - kZeroTail, up.end}, {up.end - kZeroTail - 100, up.end})) << "its end alone";
  EXPECT_FALSE(refused({up.end - kZeroTail / 2, up.end}, up));
  EXPECT_FALSE(refused({up.begin, up.begin + 34}, up)) << "one block";
  const ByteRange norm = tensor("blk.0.attn_norm.weight");
  EXPECT_TRUE(refused(norm, norm));
  const ByteRange bias = tensor("blk.0.attn_qkv.bias");
  EXPECT_FALSE(refused(bias, bias));
}

TEST_F(ModelTest, ReadsBytesBackAndMakesThemAbsent) {
  const ByteRange rest = model.lacking({StageKind::kMlp, 1}, {}).front();
  supply(rest);
  const ByteRange inner{rest.begin + 5, rest.begin + 200};
  std::vector<std::byte> bytes(static_cast<std::size_t>(inner.size()));
  model.read_bytes(inner.begin, bytes);
  EXPECT_TRUE(std::ranges::equal(bytes, std::span(file).subspan(static_cast<std::size_t>(inner.begin), bytes.size())));
  model.discard(inner);
  EXPECT_THROW(model.read_bytes(inner.begin, bytes), Error);
  EXPECT_EQ(model.lacking({StageKind::kMlp, 1}, {}).front(), inner);
  EXPECT_EQ(model.present_bytes(), rest.size() - inner.size());
}

TEST_F(ModelTest, AllEmbeddings) {
  for (const ByteRange& range : model.lacking_embeddings()) supply(range);
  std::vector<TokenId> every(model.config().context_length);
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<TokenId>(i * 4);
  EXPECT_TRUE(model.has({StageKind::kEmbed, 0}, every));
  EXPECT_FALSE(model.has({StageKind::kLogits, 0}, {}));
}

// A header with one thing changed must be refused with the code that names it.
void expect_refused(gguf::Header header, ErrorCode code, const std::string& where) {
  try {
    const Model model(std::move(header));
    FAIL() << "no error for " << where;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(where), std::string::npos) << error.what();
  }
}

TEST_F(ModelTest, RefusesFilesThatContradictThemselves) {
  const gguf::Header good = header_of(file);
  const auto with = [&](std::string_view key, gguf::Value value) {
    gguf::Header header = good;
    for (gguf::MetadataEntry& entry : header.metadata) {
      if (entry.key == key) entry.value = std::move(value);
    }
    return header;
  };
  const auto number = [](std::uint64_t value) {
    return gguf::Value{gguf::ValueType::kUint32, value};
  };

  expect_refused(with("general.architecture", {gguf::ValueType::kString, std::string("llama")}),
                 ErrorCode::kUnsupportedModel, "general.architecture");
  expect_refused(with("gpt2.attention.head_count", number(5)), ErrorCode::kMalformed, "head_count");
  expect_refused(with("gpt2.block_count", number(0)), ErrorCode::kMalformed, "block_count");
  expect_refused(with("gpt2.block_count", number(1U << 20)), ErrorCode::kMissingTensor, "blk.2.");
  expect_refused(with("gpt2.context_length", number(65)), ErrorCode::kBadShape, "position_embd.weight");
  expect_refused(with("gpt2.feed_forward_length", number(128)), ErrorCode::kBadShape, "ffn_up");

  gguf::Header grouped = good;
  grouped.metadata.push_back({"gpt2.attention.head_count_kv", number(2), 0});
  expect_refused(grouped, ErrorCode::kUnsupportedModel, "head_count_kv");

  gguf::Header missing = good;
  std::erase_if(missing.tensors, [](const gguf::TensorInfo& tensor) { return tensor.name == "blk.1.ffn_norm.bias"; });
  expect_refused(missing, ErrorCode::kMissingTensor, "blk.1.ffn_norm.bias");

  gguf::Header other_type = good;
  for (gguf::TensorInfo& tensor : other_type.tensors) {
    if (tensor.name == "blk.0.ffn_up.weight") tensor.type = static_cast<gguf::TensorType>(12);
  }
  expect_refused(other_type, ErrorCode::kUnsupportedType, "blk.0.ffn_up.weight");
}

}  // namespace
}  // namespace headflow::gpt2
