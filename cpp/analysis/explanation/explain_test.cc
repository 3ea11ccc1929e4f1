// Every node's explanation against the numbers that the session hands out, for Q8_0, F16 and F32 weights.
#include "analysis/explanation/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "gguf/writer.h"
#include "gpt2/testing/fixture.h"
#include "quant/quant.h"

namespace headflow::analysis {
namespace {

using gguf::TensorType;
using gpt2::Node;
using gpt2::NodeRef;

const std::vector<TokenId> kTokens = {39, 3, 267, 265, 3, 128};

// The small model with its Q8_0 matrices stored as another type.
std::shared_ptr<gpt2::Model> mini_model_as(TensorType type) {
  const std::vector<std::byte> file = gpt2::testing::file_bytes(gpt2::testing::kMini / "gpt2-mini.Q8_0.gguf");
  if (type == TensorType::kQ8_0) return gpt2::testing::whole_model(file);
  const gguf::Header from = gpt2::testing::header_of(file);
  gguf::Header to = from;
  for (gguf::TensorInfo& tensor : to.tensors) {
    if (tensor.type == TensorType::kQ8_0) tensor.type = type;
  }
  gguf::lay_out(to);
  std::vector<std::byte> written;
  gguf::Writer writer(
      to, [&](std::span<const std::byte> bytes) { written.insert(written.end(), bytes.begin(), bytes.end()); });
  for (const gguf::TensorInfo* tensor : writer.order()) {
    const gguf::TensorInfo& source = *from.tensor(tensor->name);
    const auto data = std::span(file).subspan(source.offset, source.size);
    if (source.type != TensorType::kQ8_0) {
      writer.put(data);
      continue;
    }
    std::vector<float> values(source.size / quant::kQ8_0BlockBytes * quant::kBlockSize);
    quant::dequantize_row(TensorType::kQ8_0, data, values);
    if (type == TensorType::kF32) {
      writer.put(std::as_bytes(std::span(values)));
    } else {
      std::vector<std::uint16_t> halves;
      for (const float value : values) halves.push_back(quant::f32_to_f16(value));
      writer.put(std::as_bytes(std::span(halves)));
    }
  }
  writer.finish();
  return gpt2::testing::whole_model(written);
}

class Provenance : public ::testing::TestWithParam<TensorType> {
 protected:
  Provenance() : model_(mini_model_as(GetParam())), session_(model_) {
    session_.set_tokens(kTokens);
    gpt2::Session reader(model_);
    reader.set_tokens(kTokens);
    for (const NodeRef ref : gpt2::testing::all_nodes(config())) {
      values_[gpt2::full_name(ref)] = gpt2::testing::node_values(reader, ref);
    }
  }

  [[nodiscard]] const gpt2::Config& config() const { return session_.model().config(); }

  [[nodiscard]] std::size_t columns(NodeRef ref) const {
    return gpt2::length(gpt2::info(ref.node).columns, config(), kTokens.size());
  }

  Explanation explained(const Cell& cell) {
    for (const gpt2::Goal& goal : goals_behind(session_.model(), kTokens, cell)) gpt2::testing::run(session_, goal);
    return explain(session_, cell);
  }
  Explanation explained(const std::string& text) {
    return explained(parse_cell(text, session_.model(), kTokens.size()));
  }

  // What a session reads at a cell. Of contributions and tensors: what their own explanation says.
  float shown(const Cell& cell) {
    const auto* ref = std::get_if<NodeRef>(&cell.source);
    if (ref == nullptr || (ref->node == Node::kProjectionProduct && cell.head)) return explained(cell).value;
    const std::size_t row = cell.head.value_or(0) * kTokens.size() + cell.row;
    return values_.at(gpt2::full_name(*ref)).at(row * columns(*ref) + cell.column);
  }

  void check(const Explanation& explanation, const std::string& what) {
    EXPECT_LE(explanation.error(), explanation.bound()) << what;
    double sum = 0;
    for (const Part& part : explanation.parts) {
      for (const Factor& factor : part.factors) {
        if (factor.line) {
          ASSERT_EQ(factor.values.size(), part.terms.size()) << what;
        }
        for (std::size_t i = 0; i < factor.codes.size(); ++i) {
          EXPECT_EQ(static_cast<float>(factor.codes[i]) * factor.scales[i], factor.in_use(i)) << what;
        }
      }
      for (std::size_t i = 0; i < part.terms.size(); ++i) sum += part.terms[i];
    }
    if (explanation.function != Function::kSoftmax) {
      EXPECT_EQ(sum, explanation.result) << what;
    }
  }

  // The operands' values are the nodes' values.
  void check_operands(const Explanation& explanation, std::size_t stride) {
    const auto check_factor = [&](const Factor& factor) {
      if (!factor.line) return;
      for (std::size_t i = 0; i < factor.values.size(); i += stride) {
        const Cell operand = factor.line->at(i);
        EXPECT_EQ(factor.values[i], shown(operand)) << text(operand, session_.model());
      }
    };
    for (const Part& part : explanation.parts) std::ranges::for_each(part.factors, check_factor);
    std::ranges::for_each(explanation.context, check_factor);
    for (const Step& step : explanation.steps) {
      if (!step.cell) continue;
      EXPECT_EQ(step.value, static_cast<double>(shown(*step.cell))) << step.name;
    }
  }

  std::shared_ptr<gpt2::Model> model_;
  gpt2::Session session_;
  std::map<std::string, std::vector<float>> values_;
};

TEST_P(Provenance, EveryNodesTermsGiveTheNumberThatIsShown) {
  std::size_t explained_cells = 0;
  for (const NodeRef ref : gpt2::testing::all_nodes(config())) {
    const gpt2::NodeInfo& node = gpt2::info(ref.node);
    const std::size_t step = std::max<std::size_t>(1, columns(ref) / 9);
    for (std::size_t head = 0; head < (node.per_head ? config().head_count : 1); ++head) {
      for (const std::size_t row : {0u, 1u, 4u, 5u}) {
        for (std::size_t column = 0; column < columns(ref); column += step) {
          const Cell cell{ref, node.per_head ? std::optional(head) : std::nullopt, row, column};
          const Explanation explanation = explained(cell);
          check(explanation, text(cell, session_.model()));
          EXPECT_EQ(explanation.value, shown(cell));
          EXPECT_EQ(explanation.cell, cell);
          ++explained_cells;
        }
      }
    }
  }
  EXPECT_GT(explained_cells, 2000u);
}

TEST_P(Provenance, OperandsAreTheCellsThatTheyName) {
  for (const NodeRef ref : gpt2::testing::all_nodes(config())) {
    const std::optional<std::size_t> head =
        gpt2::info(ref.node).per_head ? std::optional<std::size_t>(2) : std::nullopt;
    check_operands(explained(Cell{ref, head, 3, columns(ref) - 1}), 5);
    check_operands(explained(Cell{ref, head, 5, 0}), 7);
  }
}

TEST_P(Provenance, HeadsAddUpToTheAttentionOutput) {
  const Explanation whole = explained("attn_out-1[4,40]");
  ASSERT_EQ(whole.parts.size(), 2u);
  ASSERT_EQ(whole.parts[0].terms.size(), config().head_count);
  const Explanation products = explained("attn_out_mm-1[4,40]");
  for (std::size_t head = 0; head < config().head_count; ++head) {
    const Explanation one = explained(whole.parts[0].factors[0].line->at(head));
    ASSERT_EQ(one.parts[0].terms.size(), config().head_dim);
    EXPECT_NEAR(one.result, whole.parts[0].terms[head], 1e-12);
    // A block of 32 holds two heads' columns: the head's are those of the whole product, element by element.
    for (std::size_t d = 0; d < config().head_dim; ++d) {
      EXPECT_EQ(one.parts[0].terms[d], products.parts[0].terms[head * config().head_dim + d]);
    }
  }
}

TEST_P(Provenance, SoftmaxIsAShareOfTheVisibleKeys) {
  const Explanation weight = explained("kq_soft_max-0[1,3,2]");
  ASSERT_EQ(weight.parts[0].terms.size(), 4u);
  double sum = 0;
  double maximum = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < 4; ++j) {
    maximum = std::max(maximum, static_cast<double>(weight.parts[0].factors[1].values[j]));
  }
  for (std::size_t j = 0; j < 4; ++j) {
    const double score = static_cast<double>(weight.parts[0].factors[0].values[j]);
    sum += std::exp(score / std::sqrt(static_cast<double>(config().head_dim)) - maximum);
  }
  EXPECT_NEAR(weight.parts[0].terms[2] / sum, static_cast<double>(weight.value), 1e-6);
  EXPECT_FALSE(weight.masked);

  const Explanation hidden = explained("kq_soft_max-0[1,3,4]");
  EXPECT_TRUE(hidden.masked);
  EXPECT_EQ(hidden.value, 0);
  EXPECT_EQ(hidden.error(), 0);
  EXPECT_TRUE(std::isinf(explained("kq_masked-0[1,3,4]").result));
  EXPECT_EQ(explained("kq_masked-0[1,3,4]").error(), 0);
}

TEST_P(Provenance, RoundsActivationsAsTheMatrixAsks) {
  const Explanation query = explained("Qcur-1[2,3,5]");
  EXPECT_EQ(text(*query.view_of, session_.model()), "wqkv_b-1[3,37]");
  const Factor& z = query.parts[0].factors[0];
  EXPECT_EQ(z.used.empty(), GetParam() == TensorType::kF32);
  EXPECT_EQ(z.codes.empty(), GetParam() != TensorType::kQ8_0);
  EXPECT_EQ(query.parts[0].factors[1].codes.empty(), GetParam() != TensorType::kQ8_0);
  EXPECT_EQ(query.parts[0].terms.size(), 64u);
  EXPECT_EQ(query.parts[1].terms.size(), 1u);  // The bias.
}

TEST_P(Provenance, EmbeddingsAreElementsOfTheFile) {
  const Explanation embedding = explained("embd[2,33]");
  EXPECT_EQ(embedding.function, Function::kStored);
  EXPECT_EQ(text(embedding.parts[0].factors[0].line->at(0), session_.model()), "token_embd.weight[267,33]");
  const auto step = [&](std::string_view name) {
    return static_cast<std::uint64_t>(std::ranges::find(embedding.steps, name, &Step::name)->value);
  };
  const gguf::TensorInfo& tensor = *session_.model().header().tensor("token_embd.weight");
  switch (GetParam()) {
    case TensorType::kQ8_0:
      EXPECT_EQ(step("scale_offset"), tensor.offset + (267 * 2 + 1) * quant::kQ8_0BlockBytes);
      EXPECT_EQ(step("offset"), step("scale_offset") + 2 + 1);
      break;
    case TensorType::kF16: EXPECT_EQ(step("offset"), tensor.offset + (267 * 64 + 33) * 2); break;
    case TensorType::kF32: EXPECT_EQ(step("offset"), tensor.offset + (267 * 64 + 33) * 4); break;
  }
}

// From a logit on, every operand is followed once per node: all nodes are passed, down to the rows of the embeddings.
TEST_P(Provenance, EveryNumberLeadsBackToTheEmbeddings) {
  std::set<std::string> seen;
  std::vector<Cell> open = {parse_cell("result_output[5,17]", session_.model(), kTokens.size())};
  while (!open.empty()) {
    const Cell cell = open.back();
    open.pop_back();
    if (!seen.insert(name(cell.source)).second) continue;
    const Explanation explanation = explained(cell);
    check(explanation, text(cell, session_.model()));
    if (explanation.view_of) open.push_back(*explanation.view_of);
    for (const Part& part : explanation.parts) {
      for (const Factor& factor : part.factors) {
        if (factor.line) open.push_back(factor.line->at(factor.values.size() / 2));
      }
    }
    for (const Step& step : explanation.steps) {
      if (step.cell) open.push_back(*step.cell);
    }
  }
  for (const std::string end : {"token_embd.weight", "position_embd.weight", "blk.0.attn_qkv.weight", "kq_soft_max-0",
                                "kqv_out-1", "norm-1#1", "ffn_gelu-0", "attn_out_mm-0", "output_norm.bias"}) {
    EXPECT_TRUE(seen.contains(end)) << end;
  }
}

TEST_P(Provenance, OfAHeadThatIsOffTheOutputIsWhatStandsInForIt) {
  session_.set_edits(std::vector<gpt2::Edit>{{.block = 1, .head = 2, .kind = gpt2::EditKind::kZero}});
  const Explanation replaced = explained("kqv-1[2,3,5]");
  EXPECT_EQ(replaced.function, gpt2::Function::kReplaced);
  EXPECT_EQ(replaced.value, 0.0F);
  check(replaced, "off");

  const Explanation other = explained("kqv-1[1,3,5]");
  EXPECT_NE(other.function, gpt2::Function::kReplaced);
  check(other, "beside it");
  check(explained("attn_out-1[3,5]"), "behind it");

  session_.set_edits(std::vector<gpt2::Edit>{{.block = 1, .head = 2, .kind = gpt2::EditKind::kMean}});
  const Explanation mean = explained("kqv-1[2,3,5]");
  EXPECT_NE(mean.value, 0.0F);
  check(mean, "the mean");
}

TEST_P(Provenance, NeedsItsStage) {
  gpt2::Session fresh(model_);
  fresh.set_tokens(kTokens);
  const Cell cell = parse_cell("kq-1[0,1,0]", session_.model(), kTokens.size());
  EXPECT_THROW(static_cast<void>(explain(fresh, cell)), Error);
}

INSTANTIATE_TEST_SUITE_P(Weights, Provenance, ::testing::Values(TensorType::kQ8_0, TensorType::kF16, TensorType::kF32),
                         [](const auto& test) { return gguf::type_name(test.param); });

}  // namespace
}  // namespace headflow::analysis
