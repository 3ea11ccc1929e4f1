// The Q8_0 product with WebAssembly's SIMD instructions, as Kernels::matmul_q8_0 describes it.
#pragma once

#include "kernels/kernels.h"

namespace headflow::kernels {

void matmul_q8_0_simd128(const MatrixView& w, const quant::QuantizedRows& x, float* out, std::size_t out_stride);

}  // namespace headflow::kernels
