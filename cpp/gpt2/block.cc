#include "gpt2/block.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/functions.h"

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

void raw_scores(const Config& config, const Arithmetic& arithmetic, std::span<const float> q, const Rows& keys,
                std::size_t head, std::span<float> out) {
  for (std::size_t j = 0; j < out.size(); ++j) {
    const float* const key = keys.rows(j, j + 1).data() + head * config.head_dim;
    out[j] = arithmetic.kernels->dot(q.data(), key, config.head_dim);
  }
}

void scale_scores(const Config& config, std::span<float> scores) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(config.head_dim));
  for (float& score : scores) score *= scale;
}

void attention(const Config& config, const AttentionWeights& weights, const Arithmetic& arithmetic, Slice slice,
               std::span<const float> x, KeyValues& cache, BlockActivations& out) {
  const std::size_t width = config.embedding_length;
  const std::size_t head_dim = config.head_dim;
  const auto rows = [&](Node node) {
    return out.rows(node, slice.at, slice.at + slice.count);
  };
  Products products(arithmetic);

  // Z = LN(X)
  const std::span<float> z = rows(Node::kAttentionNorm);
  layer_norm(weights.norm, config.layer_norm_epsilon, x, rows(Node::kNorm), rows(Node::kNormWeighted), z);

  // [Q K V] = Z W_QKV + b_QKV, one product; Q, K and V are the three thirds of each row.
  const std::span<float> product = rows(Node::kQkvProduct);
  const std::span<float> qkv = rows(Node::kQkv);
  products.multiply(weights.qkv.matrix, z, slice.count, product.data(), 3 * width);
  add_bias(product, weights.qkv.bias, qkv);
  for (std::size_t t = 0; t < slice.count; ++t) {
    const std::span<const float> row = qkv.subspan(t * 3 * width, 3 * width);
    const std::size_t position = slice.first + t;
    std::ranges::copy(row.subspan(width, width), cache.keys.rows(position, position + 1).begin());
    std::ranges::copy(row.subspan(2 * width, width), cache.values.rows(position, position + 1).begin());
  }

  // O_h = softmax(Q_h K_h^T / sqrt(D_h)) V_h over the keys up to the query itself; heads side by side in a row.
  const std::span<float> concat = rows(Node::kConcat);
  std::ranges::fill(concat, 0.0F);
  std::vector<float> scores(slice.first + slice.count);
  for (std::size_t t = 0; t < slice.count; ++t) {
    const std::span<float> visible(scores.data(), slice.first + t + 1);
    for (std::size_t head = 0; head < config.head_count; ++head) {
      raw_scores(config, arithmetic, qkv.subspan(t * 3 * width + head * head_dim, head_dim), cache.keys, head, visible);
      scale_scores(config, visible);
      kernels::softmax(visible, visible);
      float* const o = concat.data() + t * width + head * head_dim;
      for (std::size_t j = 0; j < visible.size(); ++j) {
        const float* const value = cache.values.rows(j, j + 1).data() + head * head_dim;
        arithmetic.kernels->add_scaled(visible[j], value, o, head_dim);
      }
    }
  }

  // A = Concat(O_h) W_O + b_O;  R = X + A
  const std::span<float> projected = rows(Node::kProjectionProduct);
  const std::span<float> a = rows(Node::kAttentionOutput);
  products.multiply(weights.output.matrix, concat, slice.count, projected.data(), width);
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
