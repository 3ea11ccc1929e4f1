// What each head adds to the attention output: A_l = sum over h of O_h W_O^(h), plus b_O. The same product as the
// engine's, taken apart by head, with the operands that the kernel used and sums in double.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpt2/config.h"
#include "gpt2/model.h"

namespace headflow::gpt2 {

// The node attn_contrib of one head, for rows of O_cat [rows, D], into out [rows, D]. Each row is rounded whole, as
// before the product with W_O (a Q8_0 block may lie across the border of two heads); head h then reads elements
// h D_h .. of it and of each stored row of W_O.
void head_contribution(const Config& config, const LinearWeights& output, std::span<const float> concat,
                       std::size_t head, std::span<float> out);

struct HeadContributions {
  std::vector<double> values;      // [rows, H, D]
  std::vector<double> magnitudes;  // [rows, D]: the sum of |term| over all D products of A[t, i], and |b_O|.
};

// All heads of rows of O_cat [rows, D], before they are rounded to float.
[[nodiscard]] HeadContributions head_contributions(const Config& config, const LinearWeights& output,
                                                   std::span<const float> concat);

}  // namespace headflow::gpt2
