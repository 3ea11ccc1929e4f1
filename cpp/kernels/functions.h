// Functions applied to whole rows: layer norm, softmax, GELU. One source for every build, so the same bits everywhere.
#pragma once

#include <cstddef>
#include <span>

namespace headflow::kernels {

// e^x, the engine's own: less than 1 ulp from the exact value and never falling, over all floats; 0 below -104 and for
// -infinity; +infinity above 88.73; NaN for NaN.
[[nodiscard]] float exp(float x) noexcept;

// GELU in GPT-2's tanh form, x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) (Hendrycks and Gimpel, 2016),
// computed as x / (1 + e^(-2u)) with u the argument of tanh, which is the same function: within 6e-7 of it on [-8, 8].
// x and y may be the same.
void gelu(std::span<const float> x, std::span<float> y) noexcept;

struct Moments {
  float mean = 0;
  float inverse_deviation = 0;  // 1 / sqrt(variance + epsilon), the variance over all elements (biased).
};

// (x - mean) * inverse_deviation, without weight and bias (Ba, Kiros and Hinton, 2016). Sums in double, ascending,
// as ggml does: mean and y_i = x_i - mean in float; the variance from the squares of those, each rounded to float.
// At least one element. x and y may not overlap.
Moments normalize(std::span<const float> x, float epsilon, std::span<float> y) noexcept;

struct SoftmaxTerms {
  float maximum = 0;  // of the scores
  double sum = 0;     // of e^(s_j - maximum), ascending j
};

// p_j = e^(s_j - max) * (1 / sum), the inverse rounded to float, over all of `scores`. Scores of -infinity give exactly
// 0. At least one score must be finite. scores and p may be the same.
SoftmaxTerms softmax(std::span<const float> scores, std::span<float> p) noexcept;

}  // namespace headflow::kernels
