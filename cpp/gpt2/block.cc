#include "gpt2/block.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/functions.h"
#include "quant/quant.h"

namespace headflow::gpt2 {
namespace {

// y = a + b, element by element.
void add(std::span<const float> a, std::span<const float> b, std::span<float> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = a[i] + b[i];
}

// Adds the bias [n] to every row of x [rows, n].
void add_bias(std::span<const float> x, std::span<const float> bias, std::span<float> y) {
  for (std::size_t row = 0; row < x.size(); row += bias.size()) {
    add(x.subspan(row, bias.size()), bias, y.subspan(row, bias.size()));
  }
}

}  // namespace

void layer_norm(const NormWeights& weights, float epsilon, std::span<const float> x, std::span<float> normalized,
                std::span<float> weighted, std::span<float> out) {
  const std::size_t width = weights.weight.size();
  for (std::size_t row = 0; row < x.size(); row += width) {
    kernels::normalize(x.subspan(row, width), epsilon, normalized.subspan(row, width));
    for (std::size_t i = 0; i < width; ++i) weighted[row + i] = normalized[row + i] * weights.weight[i];
  }
  add_bias(weighted, weights.bias, out);
}

void raw_scores(const Config& config, const Arithmetic& arithmetic, std::span<const float> q, const SharedRows& keys,
                std::size_t head, std::span<float> out) {
  for (std::size_t j = 0; j < out.size();) {
    const std::span<const float> run = keys.run(j, out.size() - j);
    for (std::size_t at = head * config.head_dim; at < run.size(); at += keys.columns(), ++j) {
      out[j] = arithmetic.kernels->dot(q.data(), run.data() + at, config.head_dim);
    }
  }
}

void scale_scores(const Config& config, std::span<float> scores) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(config.head_dim));
  for (float& score : scores) score *= scale;
}

void project_qkv(const Config& config, const AttentionWeights& weights, const Arithmetic& arithmetic, Slice slice,
                 std::span<const float> x, BlockActivations& out) {
  const auto rows = [&](Node node) {
    return out.rows(node, slice.at, slice.at + slice.count);
  };
  const std::span<float> z = rows(Node::kAttentionNorm);
  layer_norm(weights.norm, config.layer_norm_epsilon, x, rows(Node::kNorm), rows(Node::kNormWeighted), z);

  // One product; Q, K and V are the three thirds of each row.
  const std::span<float> product = rows(Node::kQkvProduct);
  Products(arithmetic).multiply(weights.qkv.matrix, z, slice.count, product.data(), 3 * config.embedding_length);
  add_bias(product, weights.qkv.bias, rows(Node::kQkv));
}

void project_key_values(const Config& config, const AttentionWeights& weights, const Arithmetic& arithmetic,
                        Slice slice, std::span<const float> x, BlockActivations& out) {
  const std::size_t width = config.embedding_length;
  const auto rows = [&](Node node) {
    return out.rows(node, slice.at, slice.at + slice.count);
  };
  const std::span<float> z = rows(Node::kAttentionNorm);
  layer_norm(weights.norm, config.layer_norm_epsilon, x, rows(Node::kNorm), rows(Node::kNormWeighted), z);

  // The last two thirds of the matrix's rows.
  kernels::MatrixView matrix = weights.qkv.matrix;
  matrix.data += width * quant::row_bytes(matrix.type, matrix.columns);
  matrix.rows -= width;
  const std::span<float> product = rows(Node::kQkvProduct);
  const std::span<float> qkv = rows(Node::kQkv);
  Products(arithmetic).multiply(matrix, z, slice.count, product.data() + width, 3 * width);
  const std::span<const float> bias = std::span(weights.qkv.bias).subspan(width);
  for (std::size_t first = width; first < product.size(); first += 3 * width) {
    add(product.subspan(first, 2 * width), bias, qkv.subspan(first, 2 * width));
  }
}

void append_key_values(const Config& config, Slice slice, const BlockActivations& from, KeyValues& cache) {
  const std::size_t width = config.embedding_length;
  for (std::size_t t = cache.keys.size(); t < slice.first + slice.count; ++t) {
    const std::size_t at = slice.at + t - slice.first;
    const std::span<const float> row = from.rows(Node::kQkv, at, at + 1);
    cache.keys.append(row.subspan(width, width));
    cache.values.append(row.subspan(2 * width, width));
  }
}

void attend(const Config& config, const Arithmetic& arithmetic, Slice slice, const KeyValues& cache,
            BlockActivations& out) {
  const std::size_t width = config.embedding_length;
  const std::size_t head_dim = config.head_dim;
  const std::span<const float> qkv = out.rows(Node::kQkv, slice.at, slice.at + slice.count);
  const std::span<float> concat = out.rows(Node::kConcat, slice.at, slice.at + slice.count);
  std::ranges::fill(concat, 0.0F);
  std::vector<float> scores(slice.first + slice.count);
  for (std::size_t t = 0; t < slice.count; ++t) {
    // The keys up to the query itself: causality is the loop's bound.
    const std::span<float> visible(scores.data(), slice.first + t + 1);
    for (std::size_t head = 0; head < config.head_count; ++head) {
      raw_scores(config, arithmetic, qkv.subspan(t * 3 * width + head * head_dim, head_dim), cache.keys, head, visible);
      scale_scores(config, visible);
      kernels::softmax(visible, visible);
      float* const o = concat.data() + t * width + head * head_dim;
      for (std::size_t j = 0; j < visible.size();) {
        const std::span<const float> run = cache.values.run(j, visible.size() - j);
        for (std::size_t at = head * head_dim; at < run.size(); at += width, ++j) {
          arithmetic.kernels->add_scaled(visible[j], run.data() + at, o, head_dim);
        }
      }
    }
  }
}

void project_output(const Config& config, const AttentionWeights& weights, const Arithmetic& arithmetic, Slice slice,
                    std::span<const float> x, BlockActivations& out) {
  const auto rows = [&](Node node) {
    return out.rows(node, slice.at, slice.at + slice.count);
  };
  const std::span<float> projected = rows(Node::kProjectionProduct);
  const std::span<float> a = rows(Node::kAttentionOutput);
  Products(arithmetic)
      .multiply(weights.output.matrix, rows(Node::kConcat), slice.count, projected.data(), config.embedding_length);
  add_bias(projected, weights.output.bias, a);
  add(a, x, rows(Node::kResidual));
}

void mlp(const Config& config, const MlpWeights& weights, const Arithmetic& arithmetic, Slice slice,
         std::span<const float> r, BlockActivations& out) {
  const auto rows = [&](Node node) {
    return out.rows(node, slice.at, slice.at + slice.count);
  };
  Products products(arithmetic);

  const std::span<float> input = rows(Node::kMlpInput);
  layer_norm(weights.norm, config.layer_norm_epsilon, r, rows(Node::kMlpNorm), rows(Node::kMlpNormWeighted), input);

  // GELU(LN(R) W_up + b_up)
  const std::span<float> up_product = rows(Node::kUpProduct);
  const std::span<float> up = rows(Node::kUp);
  const std::span<float> gelu = rows(Node::kGelu);
  products.multiply(weights.up.matrix, input, slice.count, up_product.data(), config.feed_forward_length);
  add_bias(up_product, weights.up.bias, up);
  arithmetic.gelu(up, gelu);

  // F = ... W_down + b_down
  const std::span<float> down_product = rows(Node::kDownProduct);
  products.multiply(weights.down.matrix, gelu, slice.count, down_product.data(), config.embedding_length);
  add_bias(down_product, weights.down.bias, rows(Node::kMlpOutput));
}

}  // namespace headflow::gpt2
