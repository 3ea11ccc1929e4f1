#include "analysis/heads/head_effects.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/sampling/distribution.h"
#include "base/error.h"

namespace headflow::analysis {
namespace {

gpt2::Goal last_logits(const gpt2::Session& session) {
  const std::size_t rows = session.tokens().size();
  return gpt2::goal_for({gpt2::Node::kLogits, 0}, {rows - 1, rows});
}

// log P of every token after the last one.
std::vector<double> next_log_probabilities(const gpt2::Session& session) {
  const std::size_t rows = session.tokens().size();
  std::vector<float> logits(session.model().config().vocabulary_size);
  session.read({gpt2::Node::kLogits, 0}, 0, rows - 1, rows, logits);
  return log_probabilities(logits);
}

TokenId likeliest_of(std::span<const double> log_probabilities) {
  return static_cast<TokenId>(std::ranges::max_element(log_probabilities) - log_probabilities.begin());
}

}  // namespace

HeadEffects::HeadEffects(const gpt2::Session& run, gpt2::EditKind kind) : run_(run.fork()) {
  if (run.tokens().empty()) {
    throw Error(ErrorCode::kBadArgument, {"tokens of a run whose heads are tried", "none", "at least one"});
  }
  const gpt2::Config& config = run.model().config();
  for (std::size_t l = config.block_count; l-- > 0;) {
    for (std::size_t h = 0; h < config.head_count; ++h) {
      const auto is_off = [&](const gpt2::Edit& edit) {
        return edit.block == l && edit.head == h;
      };
      if (std::ranges::none_of(run.edits(), is_off)) heads_.push_back({l, h, kind});
    }
  }
}

void HeadEffects::begin_next() {
  std::vector<gpt2::Edit> edits(run_.edits().begin(), run_.edits().end());
  edits.push_back(heads_[effects_.size()]);
  without_.emplace(run_.fork());
  without_->set_edits(edits);
}

void HeadEffects::measure(std::span<const double> without) {
  const gpt2::Edit& head = heads_[effects_.size()];
  double divergence = 0;
  for (std::size_t i = 0; i < without.size(); ++i) {
    divergence += std::exp(log_probabilities_[i]) * (log_probabilities_[i] - without[i]);
  }
  effects_.push_back({.block = head.block,
                      .head = head.head,
                      .after = std::exp(without[static_cast<std::size_t>(first_)]),
                      .first_after = likeliest_of(without),
                      .divergence = std::max(0.0, divergence)});
}

gpt2::Progress HeadEffects::advance(std::uint64_t work) {
  const bool own = log_probabilities_.empty();
  if (!own && effects_.size() == heads_.size()) return {.done = true, .rows = effects_.size()};
  if (!own && !without_) begin_next();
  gpt2::Session& session = own ? run_ : *without_;
  gpt2::Progress progress = session.advance(last_logits(session), work);
  if (progress.done && own) {
    log_probabilities_ = next_log_probabilities(session);
    first_ = likeliest_of(log_probabilities_);
    before_ = std::exp(log_probabilities_[static_cast<std::size_t>(first_)]);
  } else if (progress.done) {
    measure(next_log_probabilities(session));
    without_.reset();
  }
  progress.done = !log_probabilities_.empty() && effects_.size() == heads_.size();
  progress.rows = effects_.size();
  return progress;
}

}  // namespace headflow::analysis
