// For tests and measurements: the engine's stages fed with what llama.cpp fed its own with, and ggml's GELU.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpt2/block.h"
#include "gpt2/testing/fixture.h"
#include "kernels/functions.h"
#include "quant/quant.h"

namespace headflow::gpt2::testing {

using NodeValues = std::map<std::string, std::vector<float>>;  // By full name, in logical shape.

// GELU as ggml's table has it: input and output rounded to fp16, the tanh form in float32 between.
inline void gelu_through_f16(std::span<const float> x, std::span<float> y) noexcept {
  const auto half = [](float value) {
    return quant::f16_to_f32(quant::f32_to_f16(value));
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float v = half(x[i]);
    const float u = 0.79788456080286535587989211986876F * v * (1.0F + 0.044715F * v * v);
    y[i] = half(0.5F * v * (1.0F + static_cast<float>(std::tanh(static_cast<double>(u)))));
  }
}

// What llama.cpp's dump has as the input of a block, and of its MLP.
inline std::vector<float> block_input(const Dump& dump, std::size_t l) {
  return dump.array(l == 0 ? NodeRef{Node::kInput, 0} : NodeRef{Node::kBlockOutput, l - 1}).values;
}

inline std::vector<float> sum(std::span<const float> a, std::span<const float> b) {
  std::vector<float> result(a.begin(), a.end());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += b[i % b.size()];
  return result;
}

// The nodes of the heads, which activations do not hold, of one block.
inline void add_heads(const Config& config, std::size_t l, std::size_t tokens, const BlockActivations& activations,
                      const KeyValues& cache, NodeValues& out) {
  const Arithmetic arithmetic;
  const auto append = [&](Node node, std::span<const float> values) {
    std::vector<float>& all = out[full_name({node, l})];
    all.insert(all.end(), values.begin(), values.end());
  };
  for (std::size_t head = 0; head < config.head_count; ++head) {
    for (std::size_t t = 0; t < tokens; ++t) {
      const std::span<const float> qkv = activations.rows(Node::kQkv, t, t + 1);
      for (const Node node : {Node::kQuery, Node::kKey, Node::kValue}) {
        const std::size_t first = info(node).view->offset_in_widths * config.embedding_length + head * config.head_dim;
        append(node, qkv.subspan(first, config.head_dim));
      }
      std::vector<float> scores(tokens);
      raw_scores(config, arithmetic, qkv.subspan(head * config.head_dim, config.head_dim), cache.keys, head, scores);
      append(Node::kScores, scores);
      scale_scores(config, scores);
      const auto visible = std::span(scores).first(t + 1);
      kernels::softmax(visible, visible);
      std::ranges::fill(std::span(scores).subspan(t + 1), 0.0F);
      append(Node::kProbabilities, scores);
      append(Node::kHeadOutput,
             activations.rows(Node::kConcat, t, t + 1).subspan(head * config.head_dim, config.head_dim));
    }
  }
}

// Every node of every block, each stage fed with llama.cpp's input to it: X_l to attention, R_l to the MLP, X_L to the
// logits. `its_gelu`: the product after GELU is fed with llama.cpp's GELU too, which rounds to fp16.
inline NodeValues engine_stages(const Model& model, const Dump& dump, bool its_gelu) {
  const Config& config = model.config();
  const std::size_t tokens = dump.tokens.size();
  NodeValues out;
  for (std::size_t l = 0; l < config.block_count; ++l) {
    BlockActivations activations(config);
    activations.reserve(StageKind::kAttention, tokens);
    activations.reserve(StageKind::kMlp, tokens);
    KeyValues cache{SharedRows(config.embedding_length), SharedRows(config.embedding_length)};
    const std::vector<float> r = dump.array({Node::kResidual, l}).values;
    const AttentionWeights attention = model.attention(l);
    const Slice slice{0, tokens, 0};
    const std::vector<float> x = block_input(dump, l);
    project_qkv(config, attention, {}, slice, x, activations);
    append_key_values(config, slice, activations, cache);
    attend(config, {}, slice, cache, activations);
    project_output(config, attention, {}, slice, x, activations);
    const MlpWeights weights = model.mlp(l);
    mlp(config, weights, {}, slice, r, activations);
    for (const NodeInfo& node : nodes()) {
      if (!node.per_block || !BlockActivations::holds(node.node)) continue;
      const auto rows = std::as_const(activations).rows(node.node, 0, tokens);
      out[full_name({node.node, l})].assign(rows.begin(), rows.end());
    }
    add_heads(config, l, tokens, activations, cache, out);
    std::vector<float>& down = out[full_name({Node::kDownProduct, l})];
    std::vector<float>& f = out[full_name({Node::kMlpOutput, l})];
    if (its_gelu) {
      Products(Arithmetic{})
          .multiply(weights.down.matrix, dump.array({Node::kGelu, l}).values, tokens, down.data(),
                    config.embedding_length);
      f = sum(down, weights.down.bias);
    }
    out[full_name({Node::kBlockOutput, l})] = sum(f, r);
  }
  const std::vector<float> x = block_input(dump, config.block_count);
  std::vector<float>& normalized = out[full_name({Node::kFinalNorm, 0})] = x;
  std::vector<float>& weighted = out[full_name({Node::kFinalNormWeighted, 0})] = x;
  std::vector<float>& result = out[full_name({Node::kFinalOutput, 0})] = x;
  layer_norm(model.output_norm(), config.layer_norm_epsilon, x, normalized, weighted, result);
  std::vector<float>& logits = out[full_name({Node::kLogits, 0})];
  logits.resize(tokens * config.vocabulary_size);
  Products(Arithmetic{}).multiply(model.output_matrix(), result, tokens, logits);
  return out;
}

}  // namespace headflow::gpt2::testing
