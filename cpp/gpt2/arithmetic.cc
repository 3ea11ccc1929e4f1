#include "gpt2/arithmetic.h"

namespace headflow::gpt2 {

void Products::round(gguf::TensorType type, std::span<const float> x, std::size_t tokens, std::size_t columns) {
  if (type == gguf::TensorType::kQ8_0) quant::quantize_activations(x, tokens, columns, rounded_);
  if (type == gguf::TensorType::kF16) {
    halves_.resize(x.size());
    quant::round_to_f16(x, halves_);
  }
}

void Products::multiply_rounded(const kernels::MatrixView& w, std::span<const float> x, std::size_t tokens, float* out,
                                std::size_t out_stride) const {
  if (w.type == gguf::TensorType::kQ8_0) {
    kernels_->matmul_q8_0(w, rounded_, out, out_stride);
  } else {
    const float* const used = w.type == gguf::TensorType::kF16 ? halves_.data() : x.data();
    kernels_->matmul_float(w, used, tokens, out, out_stride);
  }
}

void Products::multiply(const kernels::MatrixView& w, std::span<const float> x, std::size_t tokens, float* out,
                        std::size_t out_stride) {
  round(w.type, x, tokens, w.columns);
  multiply_rounded(w, x, tokens, out, out_stride);
}

void Products::multiply(const TensorStore& w, std::span<const float> x, std::size_t tokens, std::span<float> out) {
  round(w.info().type, x, tokens, w.columns());
  for (std::size_t page = 0; page < w.page_count(); ++page) {
    multiply_rounded(w.page(page), x, tokens, out.data() + page * w.rows_per_page(), w.rows());
  }
}

}  // namespace headflow::gpt2
