#include "analysis/checks/block_checks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"

namespace headflow::analysis {
namespace {

// A token other than this one whose embedding is there.
std::optional<TokenId> another(const gpt2::Model& model, std::span<const TokenId> tokens, TokenId than) {
  const auto found = std::ranges::find_if(tokens, [&](TokenId id) { return id != than; });
  if (found != tokens.end()) return *found;
  for (std::size_t i = 0; i < model.config().vocabulary_size; ++i) {
    const auto id = static_cast<TokenId>(i);
    if (id != than && model.has({gpt2::StageKind::kEmbed, 0}, std::span(&id, 1))) return id;
  }
  return std::nullopt;
}

}  // namespace

BlockChecks::BlockChecks(std::shared_ptr<const gpt2::Model> model, std::span<const TokenId> tokens, std::size_t block,
                         std::span<const gpt2::Edit> edits)
    : model_(std::move(model)),
      tokens_(tokens.begin(), tokens.end()),
      block_(block),
      edits_(edits.begin(), edits.end()),
      changed_(tokens.size() / 2),
      other_(model_) {
  other_.set_edits(edits);
  if (tokens.empty()) {
    throw Error(ErrorCode::kBadArgument, {"tokens to check", "none", "at least one", "Enter a prompt"});
  }
}

void BlockChecks::start_phase(Phase phase) {
  phase_ = phase;
  row_ = 0;
  if (phase == Phase::kCausality) {
    std::vector<TokenId> changed = tokens_;
    if (const std::optional<TokenId> id = another(*model_, tokens_, tokens_[changed_])) {
      changed[changed_] = *id;
    } else {
      changed.resize(changed_);  // The only embedding that is there: leave out what follows instead.
    }
    other_.set_tokens(changed);
  }
  if (phase == Phase::kContinuation) other_.set_tokens(tokens_);
}

Interval BlockChecks::take(std::size_t end, std::uint64_t work, std::uint64_t row_work) {
  const std::uint64_t rows = std::clamp<std::uint64_t>(work / row_work, 1, std::max<std::size_t>(end - row_, 1));
  const std::size_t first = row_;
  row_ = std::min(end, first + static_cast<std::size_t>(rows));
  return {first, row_};
}

void BlockChecks::finish_rows(std::size_t end) {
  if (row_ < end) return;
  const auto mean_below = [&](const gpt2::Edit& edit) {
    return edit.block <= block_ && gpt2::needs_all_rows(edit);
  };
  const bool rows_alone = std::ranges::none_of(edits_, mean_below);
  const auto next = static_cast<Phase>(static_cast<std::uint8_t>(phase_) + 1);
  start_phase(next == Phase::kCausality && !rows_alone ? Phase::kDone : next);
}

void BlockChecks::compare(const Run& run, std::size_t end, std::uint64_t work, Measurement& found) {
  // Inner tensors of both stages, one after the other.
  const gpt2::RowRange rows{0, tokens_.size()};
  gpt2::Progress progress = other_.advance({{gpt2::StageKind::kAttention, block_}, rows}, work);
  if (progress.done) progress = other_.advance({{gpt2::StageKind::kMlp, block_}, rows}, work);
  if (progress.blocked) {
    throw Error(ErrorCode::kNotLoaded, {"weights for the second run", "some that are not there",
                                        "all up to block " + std::to_string(block_), "Run the block first"});
  }
  if (!progress.done) return;
  measure_same_bits(run, reader(other_), take(end, work, bits_row_work(model_->config())), found);
  finish_rows(end);
}

bool BlockChecks::advance(const ReadNode& read, std::uint64_t work) {
  const Run run{*model_, block_, tokens_.size(), read, gpt2::edits_of(edits_, block_)};
  const gpt2::Config& config = model_->config();
  const std::size_t rows = tokens_.size();
  const auto found = [&](Identity identity) -> Measurement& {
    return found_[static_cast<std::size_t>(identity)];
  };
  switch (phase_) {
    case Phase::kHeads:
      measure_heads(run, take(rows, work, heads_row_work(config, rows)), found_);
      finish_rows(rows);
      break;
    case Phase::kContributions:
      measure_contributions(run, take(rows, work, contributions_row_work(config)), found_);
      finish_rows(rows);
      break;
    case Phase::kResidual:
      measure_residual(run, take(rows, work, bits_row_work(config)), found_);
      finish_rows(rows);
      break;
    case Phase::kCausality: compare(run, changed_, work, found(Identity::kCausality)); break;
    case Phase::kContinuation: compare(run, rows, work, found(Identity::kContinuation)); break;
    case Phase::kDone: break;
  }
  return phase_ == Phase::kDone;
}

std::vector<Check> BlockChecks::results() const {
  std::vector<Check> checks;
  for (std::size_t i = 0; i < kIdentityCount; ++i) {
    const auto identity = static_cast<Identity>(i);
    checks.push_back({identity, found_[i].error, bound(identity, *model_, block_, tokens_.size()), found_[i].compared});
  }
  return checks;
}

ReadNode reader(const gpt2::Session& session) {
  return [&session](gpt2::NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out) {
    session.read(ref, head, first, last, out);
  };
}

}  // namespace headflow::analysis
