// The small model with its weights in other types, and with an output matrix of its own: the same logits within what
// rounding to each type does; and back to Q8_0 by `quantize`.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "gguf/writer.h"
#include "gpt2/testing/fixture.h"
#include "gpt2/testing/float64.h"
#include "gpt2/testing/rebuilt.h"
#include "npy/npy.h"
#include "quant/quant.h"
#include "quant/quantize_file.h"

namespace headflow::gpt2 {
namespace {

using gguf::Header;
using gguf::TensorInfo;
using gguf::TensorType;
using testing::all_as;
using testing::Bytes;
using testing::bytes_of;
using testing::Dump;
using testing::Float64;
using testing::kOutput;
using testing::node_values;
using testing::original;
using testing::rebuilt;
using testing::relative_rms;
using testing::whole_model;

std::vector<float> logits_of(const Bytes& file) {
  Session session(whole_model(file));
  session.set_tokens(Dump("cat").tokens);
  return node_values(session, {Node::kLogits, 0});
}

testing::Vector float64_logits(const Bytes& file, bool rounds_activations = false) {
  const auto model = whole_model(file);
  Float64 reference(*model, {.rounds_activations = rounds_activations});
  reference.forward(Dump("cat").tokens);
  return reference.nodes().at("result_output");
}

TEST(Mixes, ASeparateOutputMatrixOfTheSameCodesGivesTheSameBits) {
  const Bytes separate = all_as(TensorType::kQ8_0, true);
  EXPECT_FALSE(whole_model(separate)->tied_output());
  EXPECT_TRUE(testing::same_bits(logits_of(separate), logits_of(original())));
  // In F32 too, where nothing is rounded.
  EXPECT_TRUE(testing::same_bits(logits_of(all_as(TensorType::kF32, true)), logits_of(all_as(TensorType::kF32))));
}

TEST(Mixes, InF32NothingIsRoundedButSums) {
  EXPECT_LE(relative_rms(logits_of(all_as(TensorType::kF32)), float64_logits(original())), 1e-6);
}

TEST(Mixes, F16RoundsWeightsToElevenBits) {
  const Bytes halves = all_as(TensorType::kF16);
  const double rms = relative_rms(logits_of(halves), float64_logits(original()));
  EXPECT_LE(rms, 2e-3);
  EXPECT_GT(rms, 1e-5) << "rounded weights must show";
  // Activations are rounded to fp16 before each product, as ggml does; what then tips over is small.
  EXPECT_LE(relative_rms(logits_of(halves), float64_logits(halves, true)), 1e-3);
  EXPECT_LE(relative_rms(logits_of(halves), float64_logits(halves)), 2e-3);
}

// llama.cpp's tensor for the same file and tokens (see cpp/testdata/gpt2-mini-f16/README.md).
TEST(Mixes, F16ProductsAreLlamaCpps) {
  const std::filesystem::path folder = std::filesystem::path(HEADFLOW_TESTDATA) / "gpt2-mini-f16";
  Session session(whole_model(testing::file_bytes(folder / "gpt2-mini.F16.gguf")));
  session.set_tokens(std::vector<TokenId>{267, 265});
  std::ifstream file(folder / "how/wqkv-0.npy", std::ios::binary);
  const npy::Array expected = npy::read(file);
  EXPECT_LE(relative_rms(node_values(session, {Node::kQkvProduct, 0}), expected.values), 1e-7);
}

TEST(Mixes, F16RefusesActivationsBeyondItsRange) {
  std::vector<float> x = {1, -65504, 70000, 0};
  try {
    (void)quant::as_used(TensorType::kF16, x, x.size());
    FAIL() << "70000 is no fp16 number";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kOutOfRange);
  }
  x[2] = 0.1F;
  EXPECT_EQ(quant::as_used(TensorType::kF16, x, x.size())[1], -65504.0F);
}

TEST(Mixes, Q8_0RoundsActivations) {
  const double rms = relative_rms(logits_of(original()), float64_logits(original()));
  EXPECT_LE(rms, 2e-2);
  EXPECT_GT(rms, 1e-4);
}

TEST(Mixes, MatricesOfSeveralTypesInOneModel) {
  const auto cycle = [](const std::string& name) {
    if (name.find("attn") != std::string::npos) return TensorType::kF16;
    if (name.find("ffn_up") != std::string::npos || name == kOutput) return TensorType::kF32;
    return TensorType::kQ8_0;
  };
  for (const bool separate : {false, true}) {
    const Bytes mixed = rebuilt(cycle, separate);
    const auto model = whole_model(mixed);
    EXPECT_EQ(model->header().tensor("blk.1.attn_qkv.weight")->type, TensorType::kF16);
    EXPECT_EQ(model->header().tensor("blk.1.ffn_down.weight")->type, TensorType::kQ8_0);
    EXPECT_LE(relative_rms(logits_of(mixed), float64_logits(original())), 1e-2);
  }
}

bool is_largest(std::byte code) {
  return code == std::byte{127} || code == std::byte{0x81};  // 127 or -127
}

// What is divided by 127 was 127 d, so that d comes back exactly, and every code with it.
TEST(Mixes, QuantizingTheFloatsGivesTheFileBack) {
  for (const bool separate : {false, true}) {
    const Bytes floats = all_as(TensorType::kF32, separate);
    const Header from = testing::header_of(floats);
    const Header to = quant::quantized_header(from);
    Bytes back;
    quant::quantize_file(
        from, to,
        [&](std::uint64_t offset, std::span<std::byte> piece) {
          std::memcpy(piece.data(), &floats[static_cast<std::size_t>(offset)], piece.size());
        },
        [&](std::span<const std::byte> piece) { back.insert(back.end(), piece.begin(), piece.end()); });
    // Its header says general.file_type, which the small model's does not.
    const Bytes expected = all_as(TensorType::kQ8_0, separate);
    const Header expected_header = testing::header_of(expected);
    std::size_t blocks = 0;
    for (const TensorInfo& tensor : testing::header_of(back).tensors) {
      const std::span<const std::byte> data = bytes_of(back, tensor);
      const TensorInfo& same = *expected_header.tensor(tensor.name);
      ASSERT_EQ(tensor.type, same.type);
      EXPECT_TRUE(std::ranges::equal(data, bytes_of(expected, same))) << tensor.name;
      for (std::size_t at = 0; tensor.type == TensorType::kQ8_0 && at < data.size(); at += quant::kQ8_0BlockBytes) {
        // Else it could come back with another scale.
        const auto codes = data.subspan(at + 2, quant::kBlockSize);
        ASSERT_TRUE(std::ranges::any_of(codes, is_largest)) << tensor.name;
        ++blocks;
      }
    }
    EXPECT_GT(blocks, 3000U);
  }
}

}  // namespace
}  // namespace headflow::gpt2
