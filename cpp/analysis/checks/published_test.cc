// Known numbers against the small model: what is right holds, what is wrong is named, what is malformed is refused.
#include "analysis/checks/published.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/checks/golden.h"
#include "base/error.h"
#include "gpt2/testing/fixture.h"

namespace headflow::analysis {
namespace {

using Json = nlohmann::ordered_json;
using gpt2::Node;
using gpt2::testing::Dump;

constexpr const char* kText = "How are";

// Rows of llama.cpp's dump: of head `head`, `columns` of each of the first `rows`.
Json rows_of(const Dump& dump, gpt2::NodeRef ref, std::size_t head, std::size_t rows, std::size_t columns) {
  const npy::Array array = dump.array(ref);
  const std::size_t width = array.shape.back();
  const std::size_t plane = head * dump.tokens.size() * width;
  Json result = Json::array();
  for (std::size_t t = 0; t < rows; ++t) {
    const auto first = array.values.begin() + static_cast<std::ptrdiff_t>(plane + t * width);
    result.push_back(std::vector<float>(first, first + static_cast<std::ptrdiff_t>(columns)));
  }
  return result;
}

// What llama.cpp computed for the small model, in the form of the published numbers.
Json golden_of_mini() {
  const Dump dump("how");
  const std::size_t tokens = dump.tokens.size();
  const std::vector<float> logits = dump.array({Node::kLogits, 0}).values;
  const std::span<const float> last = std::span(logits).last(logits.size() / tokens);
  double sum = 0;
  for (const float logit : last) sum += std::exp(static_cast<double>(logit));
  const auto best = std::ranges::max_element(last);
  const Json embedding = rows_of(dump, {Node::kTokenEmbedding, 0}, 0, 1, 64)[0];
  return {{"tolerances", {{"values", 1e-5}, {"scores", 1e-5}, {"logprobs", 0.02}}},
          {"gguf",
           {{"general.architecture", "gpt2"},
            {"gpt2.block_count", 2},
            {"tensors_per_block", 12},
            {"tensors", {{"token_embd.weight", {{"shape", {64, 272}}, {"type", "Q8_0"}}}}}}},
          {"tokenize", {{kText, dump.tokens}, {"merge_ranks", Json::object()}}},
          {std::string("prompt ") + kText,
           {{"embd", {{embedding[0], embedding[1], "...", embedding[63]}}},
            {"block 0",
             {{"kq head 1", rows_of(dump, {Node::kScores, 0}, 1, tokens, tokens)},
              {"softmax head 3", rows_of(dump, {Node::kProbabilities, 0}, 3, tokens, tokens)},
              {"V head 2, first 3", rows_of(dump, {Node::kValue, 0}, 2, tokens, 3)},
              {"O head 0 query 1, first 3", rows_of(dump, {Node::kHeadOutput, 0}, 0, 2, 3)[1]}}},
            {"next token", {{{"id", best - last.begin()}, {"logprob", static_cast<double>(*best) - std::log(sum)}}}}}}};
}

std::vector<std::string> failed(const Json& golden) {
  std::vector<std::string> names;
  for (const Comparison& comparison : compare_with(golden.dump(), gpt2::testing::mini_model())) {
    if (!comparison.holds()) names.push_back(comparison.what);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Published, WhatLlamaCppComputedHolds) {
  const Json golden = golden_of_mini();
  const std::size_t tokens = Dump("how").tokens.size();
  EXPECT_EQ(failed(golden), Names{});
  const std::size_t count = compare_with(golden.dump(), gpt2::testing::mini_model()).size();
  EXPECT_EQ(count, 5 + 1 + 3 + 2 * tokens * tokens + 3 * tokens + 3 + 2);
}

TEST(Published, AWrongNumberIsNamed) {
  Json golden = golden_of_mini();
  Json& scores = golden["prompt How are"]["block 0"]["kq head 1"];
  scores[0][1] = scores[0][1].get<double>() + 2e-5;
  EXPECT_EQ(failed(golden), Names{"kq-0, head 1 [0, 1] of \"How are\""});

  golden = golden_of_mini();
  golden["prompt How are"]["embd"][0].back() = 7;
  EXPECT_EQ(failed(golden), Names{"embd [0, 63] of \"How are\""});

  golden = golden_of_mini();
  golden["prompt How are"]["next token"][0]["logprob"] = -40;
  EXPECT_EQ(failed(golden), Names{"1. next token of \"How are\", log probability"});
}

TEST(Published, AWrongTextIsNamed) {
  Json golden = golden_of_mini();
  golden["gguf"]["gpt2.block_count"] = 3;
  golden["gguf"]["tensors"]["token_embd.weight"]["type"] = "F16";
  golden["gguf"]["tensors"]["blk.0.missing"] = {{"shape", {1}}};
  golden["tokenize"]["How are"][0] = 3;
  golden["tokenize"]["merge_ranks"]["q q"] = 0;
  golden["prompt How are"]["greedy 1 tokens"] = "How are not";
  EXPECT_EQ(failed(golden),
            (Names{"gpt2.block_count", "type of token_embd.weight", "tensor blk.0.missing", "tokens of \"How are\"",
                   "rank of merge \"q q\"", "greedy 1 tokens after \"How are\""}));
}

TEST(Published, OtherFormsAreRefused) {
  const auto code_of = [](const std::string& golden) -> std::string {
    try {
      (void)compare_with(golden, gpt2::testing::mini_model());
    } catch (const Error& error) {
      return std::string(name(error.code()));
    }
    return "";
  };
  EXPECT_EQ(code_of("{}"), "");
  EXPECT_EQ(code_of("{"), "malformed");
  const std::string tolerances = R"("tolerances": {"values": 1, "scores": 1, "logprobs": 1})";
  for (const std::string prompt :
       {R"("embd": [[1, "...", 2, "...", 3]])", R"("embd": 3)", R"("embd": [[{}]])", R"("block 2": {})",
        R"("block 0": {"kq head 4": []})", R"("block 0": {"kq heads": []})", R"("block 0": {"R head 0": []})",
        R"("block 0": {"V head 0, first 2": [[1, 2, 3]]})", R"("block 0": {"V head 0, last 2": [[1, 2]]})",
        R"("block 0": {"V head 0 query 99, first 1": [1]})", R"("greedy tokens": "")"}) {
    EXPECT_EQ(code_of("{" + tolerances + R"(, "prompt How are": {)" + prompt + "}}"), "malformed") << prompt;
  }
  EXPECT_EQ(code_of(R"({"prompt How are": {"embd": [[1]]}})"), "malformed") << "no tolerances";
}

TEST(Published, ColumnsAfterTheGapAreTheLast) {
  const Json prompt = {{"embd", {{1, 2, "...", 3}}}};
  const auto model = gpt2::testing::mini_model();
  const std::vector<KnownRow> rows = known_rows(prompt, model->config(), 2);
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].elements.size(), 3U);
  EXPECT_EQ(rows[0].elements[1].column, 1U);
  EXPECT_EQ(rows[0].elements[2].column, 63U);
}

TEST(Published, TheFactsOfGpt2SmallAreInForm) {
  const Json golden = Json::parse(published_gpt2_small());
  gpt2::Config config;
  config.block_count = 12;
  config.embedding_length = 768;
  config.head_count = 12;
  config.head_dim = 64;
  std::size_t elements = 0;
  for (const KnownRow& row : known_rows(golden.at("prompt How are"), config, 2)) elements += row.elements.size();
  EXPECT_EQ(elements, 3 * 12 + 3 * 4 + 6 + 3);
  EXPECT_EQ(known_rows(golden.at("prompt How are you"), config, 3).size(), 3U);
  EXPECT_FALSE(shaped_like_gpt2_small(*gpt2::testing::mini_model()));
}

}  // namespace
}  // namespace headflow::analysis
