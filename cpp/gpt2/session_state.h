// What a session holds. Private to session.cc (computing) and session_read.cc (reading).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gpt2/activations.h"
#include "gpt2/arithmetic.h"
#include "gpt2/block.h"
#include "gpt2/edit.h"
#include "gpt2/inner_pages.h"
#include "gpt2/model.h"
#include "gpt2/session.h"
#include "gpt2/shared_rows.h"

namespace headflow::gpt2 {

// The sum of O_cat over rows, in ascending order: the heads' means, once it is over all.
struct HeadSums {
  std::vector<double> values;  // [D]
  std::size_t rows = 0;
};

// What is kept of one block. Its input is the output of the block before.
class BlockState {
 public:
  explicit BlockState(std::size_t width)
      : cache{SharedRows(width), SharedRows(width)}, output_(width), residual_(width) {}

  // Rows of X_(l+1) stand from this one on: 0, but in the last block where only the logits of later rows were wanted.
  [[nodiscard]] std::size_t first_row() const noexcept { return first_row_; }
  // Rows up to which R_l is known, or has become X_(l+1) already.
  [[nodiscard]] std::size_t attention_rows() const noexcept { return residual_first_ + residual_.size(); }
  // Rows up to which X_(l+1) is known.
  [[nodiscard]] std::size_t mlp_rows() const noexcept { return first_row_ + output_.size(); }
  // Rows from `first` on will be wanted: where there are none, those before are left out; where they were, all goes.
  void start_at(std::size_t first);

  // R_l, [n, D], of the rows after attention_rows().
  void append_residual(std::span<const float> rows) { residual_.append(rows); }
  // Whether R_l of these rows is held: it is, until the MLP has run for all rows that it waits with.
  [[nodiscard]] bool holds_residual(std::size_t first, std::size_t last) const noexcept {
    return first >= residual_first_ && last <= attention_rows();
  }
  void copy_residual(std::size_t first, std::size_t last, std::span<float> out) const {
    residual_.copy(first - residual_first_, last - residual_first_, out);
  }
  // X_(l+1), [n, D], of the rows after mlp_rows().
  void append_output(std::span<const float> rows);

  void copy_output(std::size_t first, std::size_t last, std::span<float> out) const {
    output_.copy(first - first_row_, last - first_row_, out);
  }

  // Forgets what is computed from the block's input and its edits: all but K and V, from `rows` on.
  void truncate_output(std::size_t rows);
  void add_to(Storage& storage) const;

  KeyValues cache;
  HeadSums sums;  // Where an edit takes a mean.

 private:
  SharedRows output_;  // X_(l+1) of the rows from first_row_ on.
  std::size_t first_row_ = 0;
  SharedRows residual_;  // R_l of the rows from residual_first_ on.
  std::size_t residual_first_ = 0;
};

struct Session::State {
  State(std::shared_ptr<const Model> model_in, Arithmetic arithmetic_in, std::uint64_t inner_budget_in);
  // Shares residual stream and KV cache.
  [[nodiscard]] std::unique_ptr<State> fork() const;

  [[nodiscard]] const Config& config() const noexcept { return model->config(); }
  // Whether X_depth, the embeddings or the output of block depth - 1, is there for these rows; and a copy of them.
  [[nodiscard]] bool has_residual(std::size_t depth, RowRange rows) const;
  void copy_residual(std::size_t depth, RowRange rows, std::span<float> out) const;
  // Rows of a stage that are done.
  [[nodiscard]] std::size_t done(Stage stage) const;
  // Of X_0 the first `common` rows stay. `before`: the edits until now; `other_tokens`: the tokens are others.
  void keep(std::size_t common, std::span<const Edit> before, bool other_tokens);

  std::shared_ptr<const Model> model;
  Arithmetic arithmetic;
  std::uint64_t inner_budget;
  std::vector<TokenId> tokens;
  std::vector<Edit> edits;  // Ascending.
  SharedRows embeddings;    // X_0
  std::vector<BlockState> blocks;
  InnerPages inner;
  BlockActivations scratch;  // Of the slice at hand, where its inner tensors are not kept.
};

}  // namespace headflow::gpt2
