// For tests and measurements: GPT-2's forward pass in float64, written from the formulas on the dequantized weights.
// It uses nothing of the engine's arithmetic but the reading of stored rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpt2/edit.h"
#include "gpt2/graph.h"
#include "gpt2/model.h"
#include "quant/quant.h"

namespace headflow::gpt2::testing {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;  // By rows.

// What differs between engines that are all right.
struct Float64Options {
  bool rounds_activations = false;  // Before each product as its matrix asks for, as ggml and the engine do.
  std::vector<Edit> edits = {};     // Heads whose output is another before Concat.
};

class Float64 {
 public:
  explicit Float64(const Model& model, Float64Options options = {}) : model_(model), options_(options) {}

  // Every node that was computed, flattened in its logical shape, by full name.
  [[nodiscard]] const std::map<std::string, Vector>& nodes() const { return nodes_; }

  void forward(const std::vector<TokenId>& tokens) {
    Matrix x = embed(tokens);
    for (std::size_t l = 0; l < model_.config().block_count; ++l) x = mlp(l, attention(l, x));
    logits(x);
  }

  Matrix embed(const std::vector<TokenId>& tokens) {
    const Matrix embeddings = stored("token_embd.weight");
    const Matrix positions = stored("position_embd.weight");
    Matrix e;
    Matrix p;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      e.push_back(embeddings[static_cast<std::size_t>(tokens[t])]);
      p.push_back(positions[t]);
    }
    keep(Node::kTokenEmbedding, 0, e);
    keep(Node::kPositionEmbedding, 0, p);
    return keep(Node::kInput, 0, sum(e, p));
  }

  // From X_l to R_l.
  Matrix attention(std::size_t l, const Matrix& x) {
    const std::size_t width = model_.config().embedding_length;
    const Matrix z = layer_norm(x, block(l) + "attn_norm", l, {Node::kNorm, Node::kNormWeighted, Node::kAttentionNorm});
    const Matrix qkv = linear(z, block(l) + "attn_qkv", l, Node::kQkvProduct, Node::kQkv);
    Matrix concat(x.size(), Vector(width));
    for (std::size_t h = 0; h < model_.config().head_count; ++h) head(l, h, qkv, concat);
    for (const Edit& edit : options_.edits) {
      if (edit.block == l) replace(edit, concat);
    }
    for (std::size_t h = 0; h < model_.config().head_count; ++h) append(Node::kHeadOutput, l, h, columns(concat, h));
    keep(Node::kConcat, l, concat);
    const Matrix a = linear(concat, block(l) + "attn_output", l, Node::kProjectionProduct, Node::kAttentionOutput);
    return keep(Node::kResidual, l, sum(x, a));
  }

  // From R_l to X_(l+1).
  Matrix mlp(std::size_t l, const Matrix& r) {
    const Matrix input =
        layer_norm(r, block(l) + "ffn_norm", l, {Node::kMlpNorm, Node::kMlpNormWeighted, Node::kMlpInput});
    Matrix hidden = linear(input, block(l) + "ffn_up", l, Node::kUpProduct, Node::kUp);
    for (Vector& row : hidden) {
      for (double& v : row) v = v / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v)));
    }
    keep(Node::kGelu, l, hidden);
    const Matrix f = linear(hidden, block(l) + "ffn_down", l, Node::kDownProduct, Node::kMlpOutput);
    return keep(Node::kBlockOutput, l, sum(r, f));
  }

  void logits(const Matrix& x) {
    const Matrix output =
        layer_norm(x, "output_norm", 0, {Node::kFinalNorm, Node::kFinalNormWeighted, Node::kFinalOutput});
    keep(Node::kLogits, 0, product(output, model_.tied_output() ? "token_embd.weight" : "output.weight"));
  }

  // As a product with a Q8_0 matrix uses a row: float32 codes and fp16 scales, as ggml has them.
  [[nodiscard]] static Vector rounded(const Vector& row) {
    Vector result(row.size());
    for (std::size_t first = 0; first < row.size(); first += 32) {
      float largest = 0;
      for (std::size_t i = first; i < first + 32; ++i)
        largest = std::fmax(largest, std::fabs(static_cast<float>(row[i])));
      if (largest == 0) continue;
      const float scale = quant::f16_to_f32(quant::f32_to_f16(largest / 127.0F));
      for (std::size_t i = first; i < first + 32; ++i) {
        const float code = std::nearbyint(static_cast<float>(row[i]) * (127.0F / largest));
        result[i] = static_cast<double>(code) * static_cast<double>(scale);
      }
    }
    return result;
  }

 private:
  struct NormNodes {
    Node normalized;
    Node weighted;
    Node result;
  };

  [[nodiscard]] static std::string block(std::size_t l) { return "blk." + std::to_string(l) + "."; }

  const Matrix& keep(Node node, std::size_t l, const Matrix& rows) {
    Vector& flat = nodes_[full_name({node, l})];
    flat.clear();
    for (const Vector& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    return rows;
  }

  void append(Node node, std::size_t l, std::size_t h, const Matrix& rows) {
    Vector& flat = nodes_[full_name({node, l})];
    if (h == 0) flat.clear();
    for (const Vector& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  }

  [[nodiscard]] const TensorStore& store(const std::string& name) const {
    for (const TensorStore& each : model_.tensors()) {
      if (each.info().name == name) return each;
    }
    throw std::runtime_error("no tensor " + name);
  }

  // The stored rows of a tensor.
  [[nodiscard]] Matrix stored(const std::string& name) const {
    const TensorStore& from = store(name);
    Matrix rows(from.rows());
    std::vector<float> row(from.columns());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      from.read_row(r, row);
      rows[r].assign(row.begin(), row.end());
    }
    return rows;
  }

  [[nodiscard]] static double dot(const Vector& a, const Vector& b) {
    double result = 0;
    for (std::size_t i = 0; i < a.size(); ++i) result += a[i] * b[i];
    return result;
  }

  [[nodiscard]] static Matrix sum(const Matrix& a, const Matrix& b) {
    Matrix result = a;
    for (std::size_t t = 0; t < a.size(); ++t) {
      for (std::size_t i = 0; i < a[t].size(); ++i) result[t][i] += b[t][i];
    }
    return result;
  }

  // The row as a product with a matrix of this type uses it.
  [[nodiscard]] static Vector rounded_for(gguf::TensorType type, const Vector& row) {
    if (type == gguf::TensorType::kQ8_0) return rounded(row);
    if (type != gguf::TensorType::kF16) return row;
    std::vector<float> halves(row.begin(), row.end());
    quant::round_to_f16(halves, halves);
    return {halves.begin(), halves.end()};
  }

  [[nodiscard]] Matrix product(const Matrix& x, const std::string& name) const {
    const Matrix w = stored(name);
    const gguf::TensorType type = store(name).info().type;
    Matrix y;
    for (const Vector& row : x) {
      const Vector used = options_.rounds_activations ? rounded_for(type, row) : row;
      Vector& out = y.emplace_back();
      for (const Vector& weights : w) out.push_back(dot(weights, used));
    }
    return y;
  }

  Matrix linear(const Matrix& x, const std::string& name, std::size_t l, Node multiplied, Node result) {
    const Vector b = stored(name + ".bias")[0];
    const Matrix y = keep(multiplied, l, product(x, name + ".weight"));
    return keep(result, l, sum(y, Matrix(y.size(), b)));
  }

  Matrix layer_norm(const Matrix& x, const std::string& name, std::size_t l, NormNodes names) {
    const Vector g = stored(name + ".weight")[0];
    const Vector b = stored(name + ".bias")[0];
    Matrix y = x;
    for (Vector& row : y) {
      const auto count = static_cast<double>(row.size());
      double mean = 0;
      for (const double v : row) mean += v / count;
      double variance = 0;
      for (const double v : row) variance += (v - mean) * (v - mean) / count;
      const double deviation = std::sqrt(variance + static_cast<double>(model_.config().layer_norm_epsilon));
      for (double& v : row) v = (v - mean) / deviation;
    }
    keep(names.normalized, l, y);
    for (Vector& row : y) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] *= g[i];
    }
    keep(names.weighted, l, y);
    return keep(names.result, l, sum(y, Matrix(y.size(), b)));
  }

  // The columns of one head.
  [[nodiscard]] Matrix columns(const Matrix& concat, std::size_t h) const {
    const auto head_dim = static_cast<std::ptrdiff_t>(model_.config().head_dim);
    Matrix rows;
    for (const Vector& row : concat) {
      const auto first = row.begin() + static_cast<std::ptrdiff_t>(h) * head_dim;
      rows.emplace_back(first, first + head_dim);
    }
    return rows;
  }

  void replace(const Edit& edit, Matrix& concat) const {
    const std::size_t head_dim = model_.config().head_dim;
    for (std::size_t i = edit.head * head_dim; i < (edit.head + 1) * head_dim; ++i) {
      double mean = 0;
      for (const Vector& row : concat) mean += row[i] / static_cast<double>(concat.size());
      for (Vector& row : concat) row[i] = edit.kind == EditKind::kMean ? mean : 0.0;
    }
  }

  void head(std::size_t l, std::size_t h, const Matrix& qkv, Matrix& concat) {
    const std::size_t width = model_.config().embedding_length;
    const std::size_t head_dim = model_.config().head_dim;
    const auto part = [&](std::size_t third) {
      Matrix rows;
      for (const Vector& row : qkv) {
        const auto first = row.begin() + static_cast<std::ptrdiff_t>(third * width + h * head_dim);
        rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(head_dim));
      }
      return rows;
    };
    const Matrix q = part(0);
    const Matrix k = part(1);
    const Matrix v = part(2);
    Matrix scores(q.size(), Vector(q.size()));
    Matrix p = scores;
    Matrix o(q.size(), Vector(head_dim));
    for (std::size_t t = 0; t < q.size(); ++t) {
      for (std::size_t j = 0; j < q.size(); ++j) scores[t][j] = dot(q[t], k[j]);
      double total = 0;
      for (std::size_t j = 0; j <= t; ++j) {
        p[t][j] = std::exp(scores[t][j] / std::sqrt(static_cast<double>(head_dim)));
        total += p[t][j];
      }
      for (std::size_t j = 0; j <= t; ++j) {
        p[t][j] /= total;
        for (std::size_t d = 0; d < head_dim; ++d) o[t][d] += p[t][j] * v[j][d];
      }
      std::ranges::copy(o[t], concat[t].begin() + static_cast<std::ptrdiff_t>(h * head_dim));
    }
    append(Node::kQuery, l, h, q);
    append(Node::kKey, l, h, k);
    append(Node::kValue, l, h, v);
    append(Node::kScores, l, h, scores);
    append(Node::kProbabilities, l, h, p);
  }

  const Model& model_;
  Float64Options options_;
  std::map<std::string, Vector> nodes_;
};

}  // namespace headflow::gpt2::testing
