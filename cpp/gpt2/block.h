// One transformer block, for a slice of rows: pre-norm attention, then the pre-norm MLP.
// They fill the named activations in the order of graph.h; formulas in the literature's symbols.
#pragma once

#include <cstddef>
#include <span>

#include "gpt2/activations.h"
#include "gpt2/arithmetic.h"
#include "gpt2/config.h"
#include "gpt2/model.h"
#include "gpt2/shared_rows.h"

namespace headflow::gpt2 {

// The keys and values of one block, [T, D] each; head h has columns h*D_h ...
struct KeyValues {
  SharedRows keys;
  SharedRows values;
};

// Where a slice lies: rows [first, first + count) of the prompt, kept from row `at` of the activations on.
struct Slice {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t at = 0;
};

// The attention in three steps, each from what the one before has left in `out`. `x`: X_l, [count, D].
// Z = LN(X); [Q K V] = Z W_QKV + b_QKV.
void project_qkv(const Config& config, const AttentionWeights& weights, const Arithmetic& arithmetic, Slice slice,
                 std::span<const float> x, BlockActivations& out);
// The same for K and V alone, where no output is wanted of the rows.
void project_key_values(const Config& config, const AttentionWeights& weights, const Arithmetic& arithmetic,
                        Slice slice, std::span<const float> x, BlockActivations& out);
// Adds K and V of the slice's rows that the cache does not have yet; those before the slice must be there.
void append_key_values(const Config& config, Slice slice, const BlockActivations& from, KeyValues& cache);
// P_h = softmax(Q_h K_h^T / sqrt(D_h) + M); O_h = P_h V_h, side by side in O_cat.
void attend(const Config& config, const Arithmetic& arithmetic, Slice slice, const KeyValues& cache,
            BlockActivations& out);
// A = O_cat W_O + b_O; R = X + A.
void project_output(const Config& config, const AttentionWeights& weights, const Arithmetic& arithmetic, Slice slice,
                    std::span<const float> x, BlockActivations& out);

// F = GELU(LN(R) W_up + b_up) W_down + b_down. `r`: [count, D].
void mlp(const Config& config, const MlpWeights& weights, const Arithmetic& arithmetic, Slice slice,
         std::span<const float> r, BlockActivations& out);

// LN(x) * weight + bias for rows x [n, D], in the three steps that ggml takes.
void layer_norm(const NormWeights& weights, float epsilon, std::span<const float> x, std::span<float> normalized,
                std::span<float> weighted, std::span<float> out);

// The scores q . k_j of one query and head with keys [0, n): out[j], n = out.size(). `q`: the head's D_h elements.
void raw_scores(const Config& config, const Arithmetic& arithmetic, std::span<const float> q, const SharedRows& keys,
                std::size_t head, std::span<float> out);

// scores / sqrt(D_h), as a product with the rounded 1 / sqrt(D_h). In place.
void scale_scores(const Config& config, std::span<float> scores);

}  // namespace headflow::gpt2
