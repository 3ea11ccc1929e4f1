#include "gpt2/session.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "gpt2/block.h"
#include "gpt2/session_state.h"

namespace headflow::gpt2 {
namespace {

// Rows per slice at most: enough for the kernels' tiles, few enough that scratch stays small.
constexpr std::size_t kLargestSlice = 64;

// About how many multiply-accumulates a row at `position` takes.
std::uint64_t row_work(const Config& config, StageKind kind, std::size_t position) {
  const std::uint64_t width = config.embedding_length;
  switch (kind) {
    case StageKind::kEmbed: return width;
    case StageKind::kAttention: return width * (4 * width + 2 * (position + 1));
    case StageKind::kMlp: return 2 * width * config.feed_forward_length;
    case StageKind::kLogits: return width * config.vocabulary_size;
  }
  return width;
}

std::size_t slice_rows(const Config& config, StageKind kind, std::size_t first, std::size_t remaining,
                       std::uint64_t work) {
  const std::uint64_t affordable = work / row_work(config, kind, first);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::min<std::uint64_t>(affordable, kLargestSlice)), 1,
                                 remaining);
}

void run_embed(Session::State& state, std::size_t first, std::size_t count) {
  const std::size_t width = state.config().embedding_length;
  Rows& x = state.residual.front();
  std::vector<float> position(width);
  for (std::size_t t = first; t < first + count; ++t) {
    const std::span<float> row = x.rows(t, t + 1);
    state.model->token_embedding().read_row(static_cast<std::size_t>(state.tokens[t]), row);
    state.model->position_embedding().read_row(t, position);
    for (std::size_t i = 0; i < width; ++i) row[i] += position[i];
  }
}

// Computes a slice of attention. `recorded` only fills the trace again; X_(l+1) is then already past R_l.
void run_attention(Session::State& state, std::size_t l, std::size_t first, std::size_t count, bool recorded) {
  const bool traced = state.trace && state.trace->block == l && state.trace->attention_rows == first;
  BlockActivations& out = traced ? state.trace->activations : state.scratch;
  const Slice slice{first, count, traced ? first : 0};
  out.reserve(StageKind::kAttention, traced ? state.tokens.size() : count);
  attention(state.config(), state.model->attention(l), state.arithmetic, slice,
            state.residual[l].rows(first, first + count), state.cache[l], out);
  if (traced) state.trace->attention_rows += count;
  if (recorded) return;
  std::ranges::copy(out.rows(Node::kResidual, slice.at, slice.at + count),
                    state.residual[l + 1].rows(first, first + count).begin());
}

void run_rest(Session::State& state, std::size_t l, std::size_t first, std::size_t count, bool recorded) {
  const bool traced = state.trace && state.trace->block == l && state.trace->rest_rows == first &&
                      state.trace->attention_rows >= first + count;
  BlockActivations& out = traced ? state.trace->activations : state.scratch;
  const Slice slice{first, count, traced ? first : 0};
  out.reserve(StageKind::kMlp, traced ? state.tokens.size() : count);
  const std::span<float> x = state.residual[l + 1].rows(first, first + count);
  const std::span<const float> r =
      traced ? std::as_const(state.trace->activations).rows(Node::kResidual, first, first + count) : x;
  mlp(state.config(), state.model->mlp(l), state.arithmetic, slice, r, out);
  if (traced) state.trace->rest_rows += count;
  if (recorded) return;
  const std::span<const float> f = out.rows(Node::kMlpOutput, slice.at, slice.at + count);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = f[i] + x[i];
}

// Runs rows of a stage; rows before `first` are done.
void run(Session::State& state, Stage stage, std::size_t first, std::size_t count, bool recorded) {
  const std::size_t rows = state.tokens.size();
  switch (stage.kind) {
    case StageKind::kEmbed:
      state.residual.front().resize(rows);
      run_embed(state, first, count);
      break;
    case StageKind::kAttention:
      state.cache[stage.block].keys.resize(rows);
      state.cache[stage.block].values.resize(rows);
      state.residual[stage.block + 1].resize(rows);
      run_attention(state, stage.block, first, count, recorded);
      break;
    case StageKind::kMlp: run_rest(state, stage.block, first, count, recorded); break;
    case StageKind::kLogits: break;
  }
}

Stage stage_at(std::size_t order) {
  if (order == 0) return {StageKind::kEmbed, 0};
  return {order % 2 == 1 ? StageKind::kAttention : StageKind::kMlp, (order - 1) / 2};
}

}  // namespace

Session::Session(std::shared_ptr<const Model> model, Arithmetic arithmetic)
    : state_(std::make_unique<State>(std::move(model), arithmetic)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const Model& Session::model() const noexcept {
  return *state_->model;
}
std::span<const TokenId> Session::tokens() const noexcept {
  return state_->tokens;
}

void Session::set_tokens(std::span<const TokenId> tokens) {
  const Config& config = state_->config();
  if (tokens.size() > config.context_length) {
    throw Error(ErrorCode::kContextOverflow,
                {"prompt", std::to_string(tokens.size()) + " tokens",
                 "at most " + std::to_string(config.context_length), "Shorten the prompt"});
  }
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (tokens[t] < 0 || static_cast<std::size_t>(tokens[t]) >= config.vocabulary_size) {
      throw Error(ErrorCode::kBadArgument, {"token " + std::to_string(t), "id " + std::to_string(tokens[t]),
                                            "an id from 0 to " + std::to_string(config.vocabulary_size - 1)});
    }
  }
  const auto [difference, unused] = std::ranges::mismatch(state_->tokens, tokens);
  const auto common = static_cast<std::size_t>(difference - state_->tokens.begin());
  state_->tokens.assign(tokens.begin(), tokens.end());
  for (std::size_t& rows : state_->rows_done) rows = std::min(rows, common);
  if (state_->trace) {
    state_->trace->attention_rows = std::min(state_->trace->attention_rows, common);
    state_->trace->rest_rows = std::min(state_->trace->rest_rows, common);
  }
}

Progress Session::advance(Stage goal, bool traced, std::uint64_t work) {
  const Config& config = state_->config();
  const std::size_t rows = state_->tokens.size();
  const std::size_t blocks = config.block_count;
  if ((goal.kind == StageKind::kAttention || goal.kind == StageKind::kMlp) && goal.block >= blocks) {
    throw Error(ErrorCode::kBadArgument,
                {"block", std::to_string(goal.block), "a block below " + std::to_string(blocks)});
  }
  const bool recording = traced && (goal.kind == StageKind::kAttention || goal.kind == StageKind::kMlp);
  if (recording && (!state_->trace || state_->trace->block != goal.block)) {
    state_->trace.emplace(Trace{goal.block, BlockActivations(config)});
  }

  // One slice of `stage`, which has `done` rows; afterwards `done` is more.
  const auto slice = [&](Stage stage, std::size_t done, bool recorded) -> Progress {
    if (!state_->model->has(stage, state_->tokens)) return {false, true, stage, done};
    const std::size_t count = slice_rows(config, stage.kind, done, rows - done, work);
    run(*state_, stage, done, count, recorded);
    return {false, false, stage, done + count};
  };

  for (std::size_t order = 0; order <= std::min(goal.order(blocks), 2 * blocks); ++order) {
    std::size_t& done = state_->rows_done[order];
    if (done >= rows) continue;
    const Progress progress = slice(stage_at(order), done, false);
    done = progress.rows;
    return progress;
  }
  if (recording && state_->trace->attention_rows < rows) {
    return slice({StageKind::kAttention, goal.block}, state_->trace->attention_rows, true);
  }
  if (recording && goal.kind == StageKind::kMlp && state_->trace->rest_rows < rows) {
    return slice(goal, state_->trace->rest_rows, true);
  }
  const bool blocked = goal.kind == StageKind::kLogits && !state_->model->has(goal, {});
  return {!blocked, blocked, goal, rows};
}

std::uint64_t Session::held_bytes() const noexcept {
  std::uint64_t bytes = state_->scratch.bytes();
  for (const Rows& rows : state_->residual) bytes += rows.bytes();
  for (const KeyValues& cache : state_->cache) bytes += cache.keys.bytes() + cache.values.bytes();
  if (state_->trace) bytes += state_->trace->activations.bytes();
  return bytes;
}

}  // namespace headflow::gpt2
