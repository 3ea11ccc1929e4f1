#include "analysis/explanation/contributions.h"

#include <cmath>

#include "quant/quant.h"

namespace headflow::analysis {

std::vector<float> as_used(gguf::TensorType type, std::span<const float> x, std::size_t columns) {
  std::vector<float> used(x.begin(), x.end());
  if (type != gguf::TensorType::kQ8_0) return used;
  quant::QuantizedRows rounded;
  quant::quantize_activations(x, x.size() / columns, columns, rounded);
  for (std::size_t i = 0; i < used.size(); ++i) {
    used[i] = static_cast<float>(rounded.codes[i]) * rounded.scales[i / quant::kBlockSize];  // 7 bits by 11: exact.
  }
  return used;
}

HeadContributions head_contributions(const gpt2::Config& config, const gpt2::LinearWeights& output,
                                     std::span<const float> concat) {
  const std::size_t width = config.embedding_length;
  const std::size_t heads = config.head_count;
  const std::size_t rows = concat.size() / width;
  const std::size_t row_bytes = quant::row_bytes(output.matrix.type, width);
  const std::vector<float> used = as_used(output.matrix.type, concat, width);
  HeadContributions result{std::vector<double>(rows * heads * width), std::vector<double>(rows * width)};
  std::vector<float> weights(width);
  for (std::size_t i = 0; i < width; ++i) {
    quant::dequantize_row(output.matrix.type, std::span(output.matrix.data + i * row_bytes, row_bytes), weights);
    for (std::size_t t = 0; t < rows; ++t) {
      double magnitude = std::abs(static_cast<double>(output.bias[i]));
      for (std::size_t h = 0; h < heads; ++h) {
        double sum = 0;
        for (std::size_t d = h * config.head_dim; d < (h + 1) * config.head_dim; ++d) {
          const double term = static_cast<double>(used[t * width + d]) * static_cast<double>(weights[d]);
          sum += term;
          magnitude += std::abs(term);
        }
        result.values[(t * heads + h) * width + i] = sum;
      }
      result.magnitudes[t * width + i] = magnitude;
    }
  }
  return result;
}

}  // namespace headflow::analysis
