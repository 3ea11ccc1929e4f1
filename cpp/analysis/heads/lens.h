// The logit lens: what would come next if the model ended after each of its blocks (nostalgebraist, 2020): the final
// norm and the output matrix applied to X_0 .. X_L.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/sampling/next_token.h"
#include "gpt2/session.h"

namespace headflow::analysis {

struct LensLayer {
  std::size_t depth = 0;  // Blocks before it: 0 after the embeddings.
  std::vector<NextToken> likeliest;
  std::size_t rank = 0;    // Of the token that is likeliest after the last block: 1 is first.
  double probability = 0;  // Of that token.
};

class Lens {
 public:
  // After row `row` of `run`, with the `count` likeliest tokens of each layer. `run` must outlive this, with the same
  // tokens and edits.
  Lens(gpt2::Session& run, std::size_t row, std::size_t count);

  gpt2::Progress advance(std::uint64_t work);
  // From the embeddings to the last block, once it is done.
  [[nodiscard]] const std::vector<LensLayer>& layers() const noexcept { return layers_; }

 private:
  void add_layer(std::size_t depth);

  gpt2::Session& run_;
  std::size_t row_;
  std::size_t count_;
  std::size_t left_;  // Depths still to come: from the last block to the embeddings.
  TokenId final_ = 0;
  std::vector<LensLayer> layers_;
};

}  // namespace headflow::analysis
