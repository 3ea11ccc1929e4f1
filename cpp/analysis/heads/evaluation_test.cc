// Evaluation of models with any context and vocabulary, and its numbers against sums over one window.
#include "analysis/heads/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gpt2/testing/fixture.h"

namespace headflow::analysis {
namespace {

// A tiny model with its context cut to so many positions, and <|endoftext|> as token 0 where that is asked for.
std::shared_ptr<gpt2::Model> tiny(std::size_t context, bool end_first) {
  const std::vector<std::byte> file =
      gpt2::testing::file_bytes(std::filesystem::path(HEADFLOW_TESTDATA) / "odd/c25-untied-whole.gguf");
  gguf::Header header = gpt2::testing::header_of(file);
  for (gguf::MetadataEntry& entry : header.metadata) {
    if (entry.key == "gpt2.context_length") entry.value = {gguf::ValueType::kUint32, std::uint64_t{context}};
    if (entry.key == "tokenizer.ggml.tokens" && end_first) {
      auto& tokens = std::get<std::vector<std::string>>(std::get<gguf::Array>(entry.value.data).elements);
      std::swap(tokens.front(), tokens.back());
    }
  }
  for (gguf::TensorInfo& tensor : header.tensors) {
    if (tensor.name != "position_embd.weight") continue;
    tensor.shape[1] = context;
    tensor.size = 4 * tensor.shape[0] * context;
  }
  auto model = std::make_shared<gpt2::Model>(std::move(header));
  model->supply(0, file);
  return model;
}

TEST(Evaluation, EveryContextAndEndOfTextAtTheFront) {
  const std::vector<std::string> documents = {"the heat of the hen"};
  for (const bool end_first : {false, true}) {
    for (const std::size_t context : {1U, 2U, 3U, 4U, 5U, 31U, 32U}) {
      const auto model = tiny(context, end_first);
      ASSERT_EQ(end_of_text(model->tokenizer()), end_first ? 0 : 271);
      const TextScore score = bits_per_byte(model, documents);
      EXPECT_TRUE(std::isfinite(score.bits_per_byte()) && score.bits > 0) << context;
      EXPECT_EQ(score.bytes, documents.front().size());
      for (const auto& block : head_scores(model, documents)) {
        for (const HeadScore& head : block) {
          // What one position, or two, leave no room for is absent and no number.
          ASSERT_EQ(head.previous_token.has_value(), context > 1) << context;
          ASSERT_EQ(head.first_token.has_value(), context > 1);
          ASSERT_EQ(head.induction.has_value(), context > 2);
          for (const auto& value : {head.previous_token, head.first_token, head.induction}) {
            EXPECT_TRUE(!value || (*value >= 0 && *value <= 1.0001)) << context;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace headflow::analysis
