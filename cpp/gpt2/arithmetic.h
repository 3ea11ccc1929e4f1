// How the numbers are computed: which kernels, which GELU. Every session has one.
#pragma once

#include <span>
#include <vector>

#include "gpt2/model.h"
#include "kernels/functions.h"
#include "kernels/kernels.h"
#include "quant/quant.h"

namespace headflow::gpt2 {

// The defaults are the engine's; tests put others in their place, for instance a GELU that rounds as ggml's table does.
struct Arithmetic {
  const kernels::Kernels* kernels = &kernels::best();
  void (*gelu)(std::span<const float> x, std::span<float> y) noexcept = &kernels::gelu;
};

// Products with stored matrices. Keeps the rounded activations of the last one, so that its storage is reused.
class Products {
 public:
  explicit Products(const Arithmetic& arithmetic) : kernels_(arithmetic.kernels) {}

  // out[t, r] = sum_i W[r, i] x[t, i] for `tokens` rows x [tokens, W.columns]; row t of `out` starts at t * out_stride.
  // Activations are rounded as ggml rounds them: to Q8_0 before a product with a Q8_0 matrix, to fp16 before one with
  // an F16 matrix (throws Error where one is beyond fp16's range), and never else.
  void multiply(const kernels::MatrixView& w, std::span<const float> x, std::size_t tokens, float* out,
                std::size_t out_stride);

  // The same for a matrix in pages of rows, which share one rounding of the activations. out: [tokens, rows].
  void multiply(const TensorStore& w, std::span<const float> x, std::size_t tokens, std::span<float> out);

 private:
  void round(gguf::TensorType type, std::span<const float> x, std::size_t tokens, std::size_t columns);
  void multiply_rounded(const kernels::MatrixView& w, std::span<const float> x, std::size_t tokens, float* out,
                        std::size_t out_stride) const;

  const kernels::Kernels* kernels_;
  quant::QuantizedRows rounded_;
  std::vector<float> halves_;  // fp16 values
};

}  // namespace headflow::gpt2
