#include "analysis/heads/lens.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/sampling/distribution.h"
#include "base/error.h"

namespace headflow::analysis {

Lens::Lens(gpt2::Session& run, std::size_t row, std::size_t count)
    : run_(run), row_(row), count_(count), left_(run.model().config().block_count + 1) {
  if (row < run.tokens().size()) return;
  throw Error(ErrorCode::kBadArgument,
              {"row of a lens", std::to_string(row), "a row below " + std::to_string(run.tokens().size())});
}

void Lens::add_layer(std::size_t depth) {
  std::vector<float> logits(run_.model().config().vocabulary_size);
  run_.read_lens(depth, gpt2::Node::kLogits, row_, row_ + 1, logits);
  LensLayer layer{.depth = depth, .likeliest = likeliest(logits, std::max<std::size_t>(count_, 1))};
  if (layers_.empty()) final_ = layer.likeliest.front().id;
  layer.likeliest.resize(std::min(count_, layer.likeliest.size()));
  const auto final_index = static_cast<std::size_t>(final_);
  const float own = logits[final_index];
  layer.rank = 1;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] > own || (logits[i] == own && i < final_index)) ++layer.rank;
  }
  layer.probability = std::exp(log_probabilities(logits)[final_index]);
  layers_.insert(layers_.begin(), std::move(layer));
}

gpt2::Progress Lens::advance(std::uint64_t work) {
  gpt2::Progress progress{.done = true};
  if (layers_.empty()) progress = run_.advance(gpt2::goal_for({gpt2::Node::kLogits, 0}, {row_, row_ + 1}), work);
  if (progress.done && left_ > 0) add_layer(--left_);
  progress.done = progress.done && left_ == 0;
  return progress;
}

}  // namespace headflow::analysis
