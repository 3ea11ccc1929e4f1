// The arithmetic of the engine behind one contract, with interchangeable implementations that give the same bits.
//
// Floats are added in one documented order, so that every implementation, tile size and machine agrees:
//  * Q8_0 products: per block of 32 the integer sum is exact;
//    term_b = float(isum_b) * (weight_scale_b * activation_scale_b);
//    four partial sums s_j += term_b for b % 4 == j, in ascending b, each from +0; result (s_0 + s_1) + (s_2 + s_3).
//  * F32 and F16 products and dot(): sixteen partial sums p_j += a_i * b_i for i % 16 == j, ascending i, each from +0;
//    then q_j = (p_j + p_{j+4}) + (p_{j+8} + p_{j+12}) for j < 4; result (q_0 + q_1) + (q_2 + q_3).
//  * add_scaled(): y_i += a * x_i, one rounding for the product and one for the sum (never fused).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gguf/header.h"
#include "quant/quant.h"

namespace headflow::kernels {

// A stored matrix: `rows` outputs (each one stored row) of `columns` inputs. Any alignment. Its values and scales are
// finite (quant::first_not_finite).
struct MatrixView {
  gguf::TensorType type = gguf::TensorType::kF32;
  const std::byte* data = nullptr;  // rows * row_bytes(type, columns) bytes
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// One implementation. All functions are pure, allocate nothing, and take any row count from 0 up.
struct Kernels {
  std::string_view name;  // "scalar", "simd128"

  // out[t * out_stride + r] = sum_i W[r, i] x[t, i] for t < x.rows, r < w.rows. w.type == Q8_0; x.columns == w.columns.
  // Several tokens share each load of a weight block.
  void (*matmul_q8_0)(const MatrixView& w, const quant::QuantizedRows& x, float* out, std::size_t out_stride);
  // The same for F32 and F16 matrices and activations `x` [tokens, w.columns] that are not rounded.
  void (*matmul_float)(const MatrixView& w, const float* x, std::size_t tokens, float* out, std::size_t out_stride);
  // sum_i a_i b_i
  float (*dot)(const float* a, const float* b, std::size_t n);
  // y_i += a * x_i
  void (*add_scaled)(float a, const float* x, float* y, std::size_t n);
};

// The plain C++ twin.
[[nodiscard]] const Kernels& scalar() noexcept;

// WebAssembly SIMD128 intrinsics; natively through SIMDe. Only where HEADFLOW_HAS_SIMD128 is defined to 1.
[[nodiscard]] const Kernels& simd128() noexcept;

// Every implementation in this build, for tests and benchmarks.
[[nodiscard]] std::span<const Kernels* const> all() noexcept;

// The fastest of them.
[[nodiscard]] const Kernels& best() noexcept;

}  // namespace headflow::kernels
