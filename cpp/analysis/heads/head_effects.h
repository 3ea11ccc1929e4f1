// What switching a head off does to the prediction: for every head in turn, a run without it beside the run with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpt2/edit.h"
#include "gpt2/session.h"
#include "tokenizer/tokenizer.h"

namespace headflow::analysis {

struct HeadEffect {
  std::size_t block = 0;
  std::size_t head = 0;
  double after = 0;         // Probability, without the head, of the token that is likeliest with it.
  TokenId first_after = 0;  // The token that is likeliest without the head.
  double divergence = 0;    // KL(with || without) of the next token's distribution, in nats.
};

// Takes each head that the run has on, the last block's first: what lies below an edit is shared with the run.
class HeadEffects {
 public:
  // Of the last token's prediction in `run`, whose tokens and edits are kept as they are now. `kind`: what stands in a
  // head's place. Throws Error (bad_argument) for a run without tokens.
  HeadEffects(const gpt2::Session& run, gpt2::EditKind kind);

  // Works on, for about `work` multiply-accumulates. `rows` of its progress counts heads that are done.
  gpt2::Progress advance(std::uint64_t work);

  [[nodiscard]] std::size_t head_count() const noexcept { return heads_.size(); }
  // The likeliest token of the run itself, and its probability; once the first head is being tried.
  [[nodiscard]] TokenId first() const noexcept { return first_; }
  [[nodiscard]] double before() const noexcept { return before_; }
  // In the order in which they were tried.
  [[nodiscard]] std::span<const HeadEffect> effects() const noexcept { return effects_; }

 private:
  void begin_next();
  void measure(std::span<const double> without);

  gpt2::Session run_;
  std::vector<gpt2::Edit> heads_;  // To be tried.
  std::optional<gpt2::Session> without_;
  std::vector<double> log_probabilities_;  // Of the run; empty until it is done. [V]
  TokenId first_ = 0;
  double before_ = 0;
  std::vector<HeadEffect> effects_;
};

}  // namespace headflow::analysis
