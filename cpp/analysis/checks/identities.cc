#include "analysis/checks/identities.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "gpt2/contributions.h"

namespace headflow::analysis {
namespace {

using gpt2::Node;

// One rounding to float moves a result by at most this much of itself.
constexpr double kRounding = 0x1p-24;

struct Description {
  std::string_view name;
  std::string_view statement;
  bool counts_bits;
};

// In the order of the enumeration.
constexpr std::array<Description, kIdentityCount> kDescriptions = {{
    {"softmax_sum", "Every row of attention weights sums to 1", false},
    {"masked_zero", "Every attention weight above the diagonal is exactly 0", false},
    {"head_output", "Every head's output is its weights times its values", false},
    {"concat", "Concat is the heads' outputs side by side", true},
    {"contributions", "The attention output is the sum of the heads' contributions and the bias", false},
    {"residual", "The block's output is its input plus attention output plus MLP output", false},
    {"causality", "Another token in the middle leaves every row before it as it was", true},
    {"continuation", "Continuing from the KV cache gives the same numbers as computing afresh", true},
}};

const Description& describe(Identity identity) noexcept {
  return kDescriptions[static_cast<std::size_t>(identity)];
}

Measurement& of(Measurements& found, Identity identity) {
  return found[static_cast<std::size_t>(identity)];
}

// |difference| as a part of the sum of |terms|.
double relative(double difference, double magnitude) {
  return difference == 0 ? 0 : std::abs(difference) / magnitude;
}

std::size_t columns_of(const Run& run, Node node) {
  return gpt2::length(gpt2::info(node).columns, run.model.config(), run.tokens);
}

std::vector<float> values(const Run& run, gpt2::NodeRef ref, Interval rows, std::size_t head = 0) {
  std::vector<float> out(rows.size() * columns_of(run, ref.node));
  run.read(ref, head, rows.first, rows.last, out);
  return out;
}

// One query's weights, over all keys.
void measure_weights(std::span<const float> p, std::size_t query, Measurements& found) {
  double sum = 0;
  for (const float weight : p.first(query + 1)) sum += static_cast<double>(weight);
  of(found, Identity::kSoftmaxSum).add(std::abs(sum - 1));
  for (const float weight : p.subspan(query + 1)) {
    of(found, Identity::kMaskedZero).add(std::abs(static_cast<double>(weight)));
  }
}

// One query's output against the weighted sum of the values [T, D_h].
void measure_output(std::span<const float> p, std::span<const float> v, std::span<const float> o, Measurement& found) {
  for (std::size_t d = 0; d < o.size(); ++d) {
    double sum = 0;
    double magnitude = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double term = static_cast<double>(p[j]) * static_cast<double>(v[j * o.size() + d]);
      sum += term;
      magnitude += std::abs(term);
    }
    found.add(relative(static_cast<double>(o[d]) - sum, magnitude));
  }
}

// The nodes of a block whose rows depend on no later token, and that are kept: all but scores and views.
bool kept_by_row(const gpt2::NodeInfo& node) {
  return node.per_block && !node.per_head;
}

}  // namespace

std::string_view name(Identity identity) noexcept {
  return describe(identity).name;
}

std::string_view statement(Identity identity) noexcept {
  return describe(identity).statement;
}

bool counts_bits(Identity identity) noexcept {
  return describe(identity).counts_bits;
}

void Measurement::add_bits(float a, float b) noexcept {
  ++compared;
  if (std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b)) error += 1;
}

double bound(Identity identity, const gpt2::Model& model, std::size_t block, std::size_t tokens) {
  switch (identity) {
    // Each weight is rounded as a product with 1 / sum, which is rounded itself; doubled, for room.
    case Identity::kSoftmaxSum: return 4 * kRounding;
    // A product and a sum for each key.
    case Identity::kHeadOutput: return static_cast<double>(tokens + 1) * kRounding;
    case Identity::kContributions: {
      // Partial sums as kernels.h says: 4 over blocks of 32, or 16 over elements. Then at most four sums that join
      // them, the bias, and two roundings of each term.
      const auto width = static_cast<double>(model.config().embedding_length);
      const bool blocks = model.attention(block).output.matrix.type == gguf::TensorType::kQ8_0;
      return (width / (blocks ? 4 * 32 : 16) + 7) * kRounding;
    }
    // Two sums, each of at most all |terms|; one more, for room.
    case Identity::kResidual: return 3 * kRounding;
    case Identity::kMaskedZero:
    case Identity::kConcat:
    case Identity::kCausality:
    case Identity::kContinuation: return 0;
  }
  return 0;
}

void measure_heads(const Run& run, Interval rows, Measurements& found) {
  const gpt2::Config& config = run.model.config();
  const std::size_t head_dim = config.head_dim;
  const std::vector<float> concat = values(run, {Node::kConcat, run.block}, rows);
  for (std::size_t head = 0; head < config.head_count; ++head) {
    const std::vector<float> p = values(run, {Node::kProbabilities, run.block}, rows, head);
    const std::vector<float> v = values(run, {Node::kValue, run.block}, {0, rows.last}, head);
    const std::vector<float> o = values(run, {Node::kHeadOutput, run.block}, rows, head);
    const bool on = std::ranges::find(run.edits, head, &gpt2::Edit::head) == run.edits.end();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::size_t query = rows.first + r;
      const auto weights = std::span(p).subspan(r * run.tokens, run.tokens);
      const auto output = std::span(o).subspan(r * head_dim, head_dim);
      measure_weights(weights, query, found);
      if (on) measure_output(weights.first(query + 1), v, output, of(found, Identity::kHeadOutput));
      for (std::size_t d = 0; d < head_dim; ++d) {
        of(found, Identity::kConcat).add_bits(output[d], concat[r * config.embedding_length + head * head_dim + d]);
      }
    }
  }
}

void measure_contributions(const Run& run, Interval rows, Measurements& found) {
  const gpt2::Config& config = run.model.config();
  const std::size_t width = config.embedding_length;
  const gpt2::LinearWeights output = run.model.attention(run.block).output;
  const gpt2::HeadContributions parts =
      gpt2::head_contributions(config, output, values(run, {Node::kConcat, run.block}, rows));
  const std::vector<float> a = values(run, {Node::kAttentionOutput, run.block}, rows);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    for (std::size_t i = 0; i < width; ++i) {
      double sum = static_cast<double>(output.bias[i]);
      for (std::size_t h = 0; h < config.head_count; ++h) sum += parts.values[(t * config.head_count + h) * width + i];
      of(found, Identity::kContributions)
          .add(relative(static_cast<double>(a[t * width + i]) - sum, parts.magnitudes[t * width + i]));
    }
  }
}

void measure_residual(const Run& run, Interval rows, Measurements& found) {
  const gpt2::NodeRef input =
      run.block == 0 ? gpt2::NodeRef{Node::kInput, 0} : gpt2::NodeRef{Node::kBlockOutput, run.block - 1};
  const std::vector<float> x = values(run, input, rows);
  const std::vector<float> a = values(run, {Node::kAttentionOutput, run.block}, rows);
  const std::vector<float> f = values(run, {Node::kMlpOutput, run.block}, rows);
  const std::vector<float> y = values(run, {Node::kBlockOutput, run.block}, rows);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::array<double, 3> terms = {static_cast<double>(x[i]), static_cast<double>(a[i]),
                                         static_cast<double>(f[i])};
    const double difference = static_cast<double>(y[i]) - (terms[0] + terms[1] + terms[2]);
    of(found, Identity::kResidual)
        .add(relative(difference, std::abs(terms[0]) + std::abs(terms[1]) + std::abs(terms[2])));
  }
}

void measure_same_bits(const Run& run, const ReadNode& other, Interval rows, Measurement& found) {
  for (const gpt2::NodeInfo& node : gpt2::nodes()) {
    if (!kept_by_row(node)) continue;
    const gpt2::NodeRef ref{node.node, run.block};
    const std::vector<float> a = values(run, ref, rows);
    std::vector<float> b(a.size());
    other(ref, 0, rows.first, rows.last, b);
    for (std::size_t i = 0; i < a.size(); ++i) found.add_bits(a[i], b[i]);
  }
}

std::uint64_t heads_row_work(const gpt2::Config& config, std::size_t tokens) noexcept {
  // Reading the values again for every row of a band is less than the scores.
  return std::uint64_t{3} * tokens * config.embedding_length;
}

std::uint64_t contributions_row_work(const gpt2::Config& config) noexcept {
  return std::uint64_t{2} * config.embedding_length * config.embedding_length;
}

std::uint64_t bits_row_work(const gpt2::Config& config) noexcept {
  return std::uint64_t{24} * config.embedding_length;
}

}  // namespace headflow::analysis
