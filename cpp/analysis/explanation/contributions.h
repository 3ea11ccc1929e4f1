// What each head adds to the attention output: A_l = sum over h of O_h W_O^(h), plus b_O. The same product as the
// engine's, taken apart by head, with the operands that the kernel used and sums in double.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gguf/header.h"
#include "gpt2/config.h"
#include "gpt2/model.h"

namespace headflow::analysis {

// Activation rows [rows, columns] as a product with a matrix of this type uses them: for Q8_0 code x scale, rounded by
// blocks of 32 of the whole row (a block may lie across the border of two heads); else as they are.
[[nodiscard]] std::vector<float> as_used(gguf::TensorType type, std::span<const float> x, std::size_t columns);

struct HeadContributions {
  std::vector<double> values;      // [rows, H, D]
  std::vector<double> magnitudes;  // [rows, D]: the sum of |term| over all D products of A[t, i], and |b_O|.
};

// `concat`: O_cat, [rows, D]. Head h reads elements h D_h .. of each stored row of W_O.
[[nodiscard]] HeadContributions head_contributions(const gpt2::Config& config, const gpt2::LinearWeights& output,
                                                   std::span<const float> concat);

}  // namespace headflow::analysis
