// One figure's forward pass: tokens, residual stream, KV cache, and the trace of one block.
// It runs in bounded slices, stage by stage, and gives the same bits however it is sliced or continued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpt2/model.h"
#include "gpt2/nodes.h"
#include "gpt2/stage.h"
#include "kernels/kernels.h"

namespace headflow::gpt2 {

// How the numbers are computed; the defaults are the engine's.
struct Arithmetic {
  const kernels::Kernels* kernels;
  void (*gelu)(std::span<const float> x, std::span<float> y) noexcept;  // x and y may be the same
  [[nodiscard]] static Arithmetic standard() noexcept;
};

// A row-major matrix that grows by rows.
class Rows {
 public:
  explicit Rows(std::size_t columns = 0) : columns_(columns) {}
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t count() const noexcept { return columns_ == 0 ? 0 : values_.size() / columns_; }
  void resize(std::size_t rows) { values_.resize(rows * columns_); }
  [[nodiscard]] std::span<float> row(std::size_t r) { return {values_.data() + r * columns_, columns_}; }
  [[nodiscard]] std::span<const float> row(std::size_t r) const { return {values_.data() + r * columns_, columns_}; }
  // Rows [first, last), side by side.
  [[nodiscard]] std::span<float> rows(std::size_t first, std::size_t last) {
    return {values_.data() + first * columns_, (last - first) * columns_};
  }
  [[nodiscard]] std::span<const float> rows(std::size_t first, std::size_t last) const {
    return {values_.data() + first * columns_, (last - first) * columns_};
  }

 private:
  std::size_t columns_;
  std::vector<float> values_;
};

// What `advance` did.
struct Progress {
  bool done = false;     // The goal is reached.
  bool blocked = false;  // The model lacks weights of `stage`.
  Stage stage{};         // Where it stands: the stage that runs next, or the goal.
  std::size_t rows = 0;  // Rows of that stage that are done.
};

class Session {
 public:
  explicit Session(std::shared_ptr<const Model> model, Arithmetic arithmetic = Arithmetic::standard());
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  [[nodiscard]] const Model& model() const noexcept;

  // Replaces the tokens. What was computed for a common beginning is kept: rows do not depend on what follows.
  // Throws Error (context_overflow) for more than the context, (bad_argument) for an id outside the vocabulary.
  void set_tokens(std::span<const TokenId> tokens);
  [[nodiscard]] std::span<const TokenId> tokens() const noexcept;

  // Works towards `goal` (all its rows), for about `work` multiply-accumulates, at least one row.
  // `traced`: also record the goal's block for `read` (attention: Z_l .. R_l; rest: LN(R_l) .. F_l). One block is
  // recorded at a time; another one replaces it. For kLogits the goal is X_L: logits are computed when they are read.
  Progress advance(Stage goal, bool traced, std::uint64_t work);

  // Whether `read` can serve all rows of this node now.
  [[nodiscard]] bool readable(NodeRef ref) const;

  // Rows [first, last) of a node, whole, side by side, into `out`; `head` only for nodes that have heads.
  // Scores, probabilities and logits are computed here and nowhere kept. Throws Error (not_loaded) unless readable.
  void read(NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out) const;

  // Bytes of activations that this session holds.
  [[nodiscard]] std::uint64_t held_bytes() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headflow::gpt2
