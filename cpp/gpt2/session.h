// One figure's forward pass: tokens, residual stream, KV cache, and the trace of one block.
// It runs in bounded slices, stage by stage, and gives the same bits however it is sliced or continued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpt2/arithmetic.h"
#include "gpt2/model.h"
#include "gpt2/nodes.h"
#include "gpt2/stage.h"

namespace headflow::gpt2 {

// What `advance` did.
struct Progress {
  bool done = false;     // The goal is reached.
  bool blocked = false;  // The model lacks weights of `stage`.
  Stage stage{};         // Where it stands: the stage that runs next, or the goal.
  std::size_t rows = 0;  // Rows of that stage that are done.
};

class Session {
 public:
  explicit Session(std::shared_ptr<const Model> model, Arithmetic arithmetic = {});
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

  struct State;  // See session_state.h.

 private:
  std::unique_ptr<State> state_;
};

}  // namespace headflow::gpt2
