#include "gpt2/contributions.h"

#include <cmath>

#include "quant/quant.h"

namespace headflow::gpt2 {
namespace {

struct Sum {
  double value = 0;
  double magnitude = 0;
};

// One head's products of an activation row with a stored row, both [D].
Sum head_sum(const Config& config, std::span<const float> x, std::span<const float> weights, std::size_t head) {
  Sum sum;
  for (std::size_t d = head * config.head_dim; d < (head + 1) * config.head_dim; ++d) {
    const double term = static_cast<double>(x[d]) * static_cast<double>(weights[d]);
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  return sum;
}

// Calls visit(i, stored row i as floats) for each row of W_O.
template <typename Visit>
void for_each_row(const kernels::MatrixView& matrix, Visit visit) {
  const std::size_t row_bytes = quant::row_bytes(matrix.type, matrix.columns);
  std::vector<float> weights(matrix.columns);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    quant::dequantize_row(matrix.type, std::span(matrix.data + i * row_bytes, row_bytes), weights);
    visit(i, std::span<const float>(weights));
  }
}

}  // namespace

void head_contribution(const Config& config, const LinearWeights& output, std::span<const float> concat,
                       std::size_t head, std::span<float> out) {
  const std::size_t width = config.embedding_length;
  const std::vector<float> used = quant::as_used(output.matrix.type, concat, width);
  for_each_row(output.matrix, [&](std::size_t i, std::span<const float> weights) {
    for (std::size_t at = 0; at < used.size(); at += width) {
      out[at + i] = static_cast<float>(head_sum(config, std::span(used).subspan(at, width), weights, head).value);
    }
  });
}

HeadContributions head_contributions(const Config& config, const LinearWeights& output, std::span<const float> concat) {
  const std::size_t width = config.embedding_length;
  const std::size_t heads = config.head_count;
  const std::size_t rows = concat.size() / width;
  const std::vector<float> used = quant::as_used(output.matrix.type, concat, width);
  HeadContributions result{std::vector<double>(rows * heads * width), std::vector<double>(rows * width)};
  for_each_row(output.matrix, [&](std::size_t i, std::span<const float> weights) {
    for (std::size_t t = 0; t < rows; ++t) {
      double magnitude = std::abs(static_cast<double>(output.bias[i]));
      for (std::size_t h = 0; h < heads; ++h) {
        const Sum sum = head_sum(config, std::span(used).subspan(t * width, width), weights, h);
        result.values[(t * heads + h) * width + i] = sum.value;
        magnitude += sum.magnitude;
      }
      result.magnitudes[t * width + i] = magnitude;
    }
  });
  return result;
}

}  // namespace headflow::gpt2
