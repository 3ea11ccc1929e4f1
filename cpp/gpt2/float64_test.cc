// The engine against a float64 forward pass written here from the formulas, on the dequantized weights and with
// activations that are never rounded. The distance is that of Q8_0 activation rounding.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "gpt2/testing/fixture.h"
#include "quant/quant.h"

namespace headflow::gpt2 {
namespace {

using testing::Dump;
using testing::largest_difference;
using testing::mini_model;
using testing::node_values;
using testing::relative_rms;

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;  // By rows.

// The stored rows of a tensor as doubles.
Matrix stored(const Model& model, const std::string& name) {
  for (const TensorStore& store : model.tensors()) {
    if (store.info().name != name) continue;
    Matrix rows(store.rows());
    std::vector<float> row(store.columns());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      store.read_row(r, row);
      rows[r].assign(row.begin(), row.end());
    }
    return rows;
  }
  throw std::runtime_error("no tensor " + name);
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Reference {
  const Model& model;
  std::map<std::string, Vector> nodes = {};  // Flattened in logical shape.

  void keep(const std::string& name, const Matrix& rows) {
    Vector& flat = nodes[name];
    for (const Vector& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  }

  [[nodiscard]] Matrix linear(const Matrix& x, const std::string& name) const {
    const Matrix w = stored(model, name + ".weight");
    const Vector b = stored(model, name + ".bias")[0];
    Matrix y;
    for (const Vector& row : x) {
      Vector out = b;
      for (std::size_t r = 0; r < w.size(); ++r) out[r] += dot(w[r], row);
      y.push_back(out);
    }
    return y;
  }

  [[nodiscard]] Matrix layer_norm(const Matrix& x, const std::string& name) const {
    const Vector g = stored(model, name + ".weight")[0];
    const Vector b = stored(model, name + ".bias")[0];
    Matrix y = x;
    for (Vector& row : y) {
      double mean = 0;
      for (const double v : row) mean += v / static_cast<double>(row.size());
      double variance = 0;
      for (const double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = (row[i] - mean) / std::sqrt(variance + static_cast<double>(model.config().layer_norm_epsilon)) * g[i] + b[i];
      }
    }
    return y;
  }

  void forward(const std::vector<TokenId>& tokens) {
    const Config& config = model.config();
    const std::size_t heads = config.head_count;
    const std::size_t head_dim = config.head_dim;
    const std::size_t width = config.embedding_length;
    const Matrix embeddings = stored(model, "token_embd.weight");
    const Matrix positions = stored(model, "position_embd.weight");
    Matrix x;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      Vector row = embeddings[static_cast<std::size_t>(tokens[t])];
      for (std::size_t i = 0; i < width; ++i) row[i] += positions[t][i];
      x.push_back(row);
    }
    for (std::size_t l = 0; l < config.block_count; ++l) {
      const std::string block = "blk." + std::to_string(l) + ".";
      const std::string suffix = "-" + std::to_string(l);
      const Matrix qkv = linear(layer_norm(x, block + "attn_norm"), block + "attn_qkv");
      keep("wqkv_b" + suffix, qkv);
      Matrix concat(x.size(), Vector(width));
      for (std::size_t h = 0; h < heads; ++h) {
        const auto part = [&](std::size_t t, std::size_t third) {
          const auto first = qkv[t].begin() + static_cast<std::ptrdiff_t>(third * width + h * head_dim);
          return Vector(first, first + static_cast<std::ptrdiff_t>(head_dim));
        };
        for (std::size_t t = 0; t < x.size(); ++t) {
          Vector p(x.size());
          double sum = 0;
          for (std::size_t j = 0; j <= t; ++j) {
            p[j] = std::exp(dot(part(t, 0), part(j, 1)) / std::sqrt(static_cast<double>(head_dim)));
            sum += p[j];
          }
          for (std::size_t j = 0; j <= t; ++j) {
            p[j] /= sum;
            const Vector v = part(j, 2);
            for (std::size_t d = 0; d < head_dim; ++d) concat[t][h * head_dim + d] += p[j] * v[d];
          }
          nodes["kq_soft_max" + suffix].insert(nodes["kq_soft_max" + suffix].end(), p.begin(), p.end());
        }
      }
      const auto add_to_x = [&](const Matrix& update) {
        for (std::size_t t = 0; t < x.size(); ++t) {
          for (std::size_t i = 0; i < width; ++i) x[t][i] += update[t][i];
        }
      };
      add_to_x(linear(concat, block + "attn_output"));
      Matrix hidden = linear(layer_norm(x, block + "ffn_norm"), block + "ffn_up");
      for (Vector& row : hidden) {
        for (double& v : row) v = v / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v)));
      }
      add_to_x(linear(hidden, block + "ffn_down"));
      keep("l_out" + suffix, x);
    }
    const Matrix output = layer_norm(x, "output_norm");
    Matrix logits;
    for (const Vector& row : output) {
      Vector out;
      for (const Vector& embedding : embeddings) out.push_back(dot(embedding, row));
      logits.push_back(out);
    }
    keep("result_output", logits);
  }
};

TEST(Float64, DistanceIsThatOfActivationRounding) {
  for (const char* folder : {"how", "cat"}) {
    const Dump dump(folder);
    const auto model = mini_model();
    Reference reference{*model};
    reference.forward(dump.tokens);
    Session session(model);
    session.set_tokens(dump.tokens);
    for (const auto& [name, expected] : reference.nodes) {
      const NodeRef ref = parse_node(name, model->config());
      const std::vector<float> values = node_values(session, ref);
      ASSERT_EQ(values.size(), expected.size()) << name;
      if (ref.node == Node::kProbabilities) {
        EXPECT_LE(largest_difference(values, expected), 2e-2) << name;
      } else {
        EXPECT_LE(relative_rms(values, expected), 2e-2) << name;
        EXPECT_GT(relative_rms(values, expected), 1e-6) << name << ": rounded activations must show";
      }
    }
  }
}

}  // namespace
}  // namespace headflow::gpt2
