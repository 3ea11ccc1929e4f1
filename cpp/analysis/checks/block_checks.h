// All identities of one block on one run, in bounded slices: what the page's checks panel and `headflow verify` show.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analysis/checks/identities.h"
#include "gpt2/model.h"
#include "gpt2/session.h"

namespace headflow::analysis {

class BlockChecks {
 public:
  // For a run of these tokens and edits, whose nodes of `block` can all be read. Throws Error (bad_argument) without
  // tokens. Where an edit at or below the block takes a mean, a row depends on those after it: causality and
  // continuation are then not measured.
  BlockChecks(std::shared_ptr<const gpt2::Model> model, std::span<const TokenId> tokens, std::size_t block,
              std::span<const gpt2::Edit> edits = {});

  // Works on, for about `work` multiply-accumulates; true once all is measured. `read`: the run's nodes.
  // A second session computes the tokens with another one in the middle, and then continues with the right ones from
  // its KV cache: the two runs that the run is compared with.
  bool advance(const ReadNode& read, std::uint64_t work);

  // In the order of the enumeration; what was not measured yet has compared nothing.
  [[nodiscard]] std::vector<Check> results() const;

 private:
  enum class Phase : std::uint8_t { kHeads, kContributions, kResidual, kCausality, kContinuation, kDone };

  // The next rows of `end` that about `work` affords.
  [[nodiscard]] Interval take(std::size_t end, std::uint64_t work, std::uint64_t row_work);
  // Goes to the next phase once `end` rows are done.
  void finish_rows(std::size_t end);
  // Computes the second session's rows, then compares them up to `end`.
  void compare(const Run& run, std::size_t end, std::uint64_t work, Measurement& found);
  void start_phase(Phase phase);

  std::shared_ptr<const gpt2::Model> model_;
  std::vector<TokenId> tokens_;
  std::size_t block_;
  std::vector<gpt2::Edit> edits_;
  std::size_t changed_;  // The token that is another one in the second session.
  gpt2::Session other_;
  Phase phase_ = Phase::kHeads;
  std::size_t row_ = 0;  // Rows of the phase that are done.
  Measurements found_;
};

// A session's reader, for as long as the session lives.
[[nodiscard]] ReadNode reader(const gpt2::Session& session);

}  // namespace headflow::analysis
