// What a session holds. Private to session.cc (computing) and session_read.cc (reading).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gpt2/activations.h"
#include "gpt2/arithmetic.h"
#include "gpt2/model.h"
#include "gpt2/session.h"

namespace headflow::gpt2 {

// The named activations of one block, for all rows as far as they were recorded.
struct Trace {
  std::size_t block;
  BlockActivations activations;
  std::size_t attention_rows = 0;
  std::size_t rest_rows = 0;
};

struct Session::State {
  State(std::shared_ptr<const Model> model_in, Arithmetic arithmetic_in)
      : model(std::move(model_in)), arithmetic(arithmetic_in), scratch(model->config()) {
    const std::size_t width = model->config().embedding_length;
    residual.assign(model->config().block_count + 1, Rows(width));
    cache.assign(model->config().block_count, {Rows(width), Rows(width)});
    rows_done.assign(2 * model->config().block_count + 1, 0);
  }

  [[nodiscard]] const Config& config() const noexcept { return model->config(); }
  [[nodiscard]] std::size_t& done(Stage stage) { return rows_done[stage.order(config().block_count)]; }
  [[nodiscard]] std::size_t done(Stage stage) const { return rows_done[stage.order(config().block_count)]; }

  std::shared_ptr<const Model> model;
  Arithmetic arithmetic;
  std::vector<TokenId> tokens;
  // X_0 .. X_L, [T, D] each. Between the two stages of block l, a row of X_(l+1) holds R_l.
  std::vector<Rows> residual;
  std::vector<KeyValues> cache;        // One per block.
  std::vector<std::size_t> rows_done;  // By Stage::order, logits excepted.
  std::optional<Trace> trace;
  BlockActivations scratch;  // Of the slice at hand, where it is not traced.
};

}  // namespace headflow::gpt2
