// A run of a model, as a function of tokens and edits: the residual stream and KV cache of every block, and the inner
// tensors of the blocks looked at last. It is computed in bounded slices, stage by stage, with the same bits however it
// is sliced, continued or recomputed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "gpt2/arithmetic.h"
#include "gpt2/edit.h"
#include "gpt2/goal.h"
#include "gpt2/graph.h"
#include "gpt2/model.h"
#include "gpt2/shared_rows.h"
#include "gpt2/stage.h"

namespace headflow::gpt2 {

// What `advance` did.
struct Progress {
  bool done = false;     // The goal is reached.
  bool blocked = false;  // The model lacks weights of `stage`.
  Stage stage{};         // Where it stands: the stage that runs next, or the goal's.
  std::size_t rows = 0;  // Rows of that stage that are done.
};

class Session {
 public:
  // Bytes of inner tensors that are kept: one block's attention for GPT-2 small's whole context, and some more.
  static constexpr std::uint64_t kInnerBudget = 64 << 20;

  explicit Session(std::shared_ptr<const Model> model, Arithmetic arithmetic = {},
                   std::uint64_t inner_budget = kInnerBudget);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Another session at the same point. Residual stream and KV cache are shared, not copied; inner tensors are left out.
  [[nodiscard]] Session fork() const;

  [[nodiscard]] const Model& model() const noexcept;
  [[nodiscard]] std::span<const TokenId> tokens() const noexcept;
  // In ascending order.
  [[nodiscard]] std::span<const Edit> edits() const noexcept;

  // Replaces the tokens. What was computed for a common beginning is kept: rows do not depend on what follows, unless
  // an edit takes a mean; from its block on all is computed anew. Throws Error (context_overflow) for more than the
  // context, (bad_argument) for an id outside the vocabulary.
  void set_tokens(std::span<const TokenId> tokens);
  // Replaces the edits. What lies before the first block whose edits are others is kept.
  // Throws Error (bad_argument) for a block or head that the model does not have, or one that is named twice.
  void set_edits(std::span<const Edit> edits);

  // Works towards `goal`, for about `work` multiply-accumulates, at least one row.
  // For kLogits the goal is X_L: logits are computed when they are read.
  Progress advance(const Goal& goal, std::uint64_t work);

  // Whether these rows of a node can be read now.
  [[nodiscard]] bool readable(NodeRef ref, RowRange rows) const;
  // Rows [first, last) of a node, whole, side by side, into `out`; `head` only for nodes that have heads.
  // Scores, probabilities, contributions and logits are computed here and nowhere kept.
  // Throws Error (not_loaded) unless readable, (bad_weights) where a number is not finite, which names it.
  void read(NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out) const;

  // The final norm's nodes and the logits as they would be if the model ended after `depth` blocks: of X_depth.
  [[nodiscard]] bool lens_readable(std::size_t depth, RowRange rows) const;
  void read_lens(std::size_t depth, Node node, std::size_t first, std::size_t last, std::span<float> out) const;

  // Bytes of activations that this session holds, what it shares with others included.
  [[nodiscard]] std::uint64_t held_bytes() const;
  // Adds what it holds: of several sessions together, what they share counts once.
  void add_to(Storage& storage) const;

  struct State;  // See session_state.h.

 private:
  explicit Session(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace headflow::gpt2
