#include "gpt2/session.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "gpt2/session_state.h"

namespace headflow::gpt2 {
namespace {

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

constexpr std::size_t page_start(std::size_t row) noexcept {
  return row / InnerPages::kPageRows * InnerPages::kPageRows;
}

// How many of the rows [first, end) a slice takes: what the work affords, and no more than the page that holds `first`.
std::size_t slice_rows(const Config& config, StageKind kind, std::size_t first, std::size_t end, std::uint64_t work) {
  const std::size_t page_end = page_start(first) + InnerPages::kPageRows;
  const std::uint64_t affordable = work / row_work(config, kind, first);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(affordable, 1, std::min(end, page_end) - first));
}

// One slice of a stage of one block: where it lies, and which of its results are kept.
struct Task {
  std::size_t block;
  std::size_t first;
  std::size_t count;
  bool appends;      // The residual stream goes on with it; else it is computed anew.
  bool keeps_inner;  // For reading.
};

void run_embed(Session::State& state, std::size_t first, std::size_t count) {
  const std::size_t width = state.config().embedding_length;
  std::vector<float> row(width);
  std::vector<float> position(width);
  for (std::size_t t = first; t < first + count; ++t) {
    state.model->token_embedding().read_row(static_cast<std::size_t>(state.tokens[t]), row);
    state.model->position_embedding().read_row(t, position);
    for (std::size_t i = 0; i < width; ++i) row[i] += position[i];
    state.embeddings.append(row);
  }
}

// Where a slice's inner tensors are computed: in a page, or in the scratch.
struct Room {
  BlockActivations& activations;
  Slice slice;
  InnerPage* page = nullptr;

  // They are computed.
  void fill() const {
    if (page != nullptr) page->filled = std::max(page->filled, slice.at + slice.count);
  }
};

Room room_for(Session::State& state, Stage stage, const Task& task) {
  // A page is filled from its beginning, without gaps.
  const std::size_t at = task.first % InnerPages::kPageRows;
  if (task.keeps_inner && (at == 0 || state.inner.find(stage, task.first - 1) != nullptr)) {
    InnerPage& page = state.inner.page_for(stage, task.first, state.tokens.size(), state.config());
    return {page.activations, {task.first, task.count, at}, &page};
  }
  state.scratch.reserve(stage.kind, task.count);
  return {state.scratch, {task.first, task.count, 0}};
}

std::vector<float> block_input(const Session::State& state, const Task& task) {
  std::vector<float> x(task.count * state.config().embedding_length);
  state.copy_residual(task.block, {task.first, task.first + task.count}, x);
  return x;
}

// Z .. O_cat, before edits.
void run_heads(Session::State& state, const Task& task, std::span<const float> x, const AttentionWeights& weights,
               const Room& room) {
  KeyValues& cache = state.blocks[task.block].cache;
  project_qkv(state.config(), weights, state.arithmetic, room.slice, x, room.activations);
  append_key_values(state.config(), room.slice, room.activations, cache);
  attend(state.config(), state.arithmetic, room.slice, cache, room.activations);
}

// K and V alone, of rows whose output nobody wants.
void run_key_values(Session::State& state, const Task& task) {
  const Room room = room_for(state, {StageKind::kAttention, task.block}, task);
  project_key_values(state.config(), state.model->attention(task.block), state.arithmetic, room.slice,
                     block_input(state, task), room.activations);
  append_key_values(state.config(), room.slice, room.activations, state.blocks[task.block].cache);
}

// Puts what the block's edits say in the place of their heads' outputs.
void apply_edits(const Session::State& state, const Task& task, const Room& room) {
  const std::size_t width = state.config().embedding_length;
  const std::size_t head_dim = state.config().head_dim;
  const HeadSums& sums = state.blocks[task.block].sums;
  for (const Edit& edit : edits_of(state.edits, task.block)) {
    std::vector<float> replacement(head_dim);
    if (edit.kind == EditKind::kMean) {
      for (std::size_t d = 0; d < head_dim; ++d) {
        replacement[d] = static_cast<float>(sums.values[edit.head * head_dim + d] / static_cast<double>(sums.rows));
      }
    }
    const std::span<float> concat = room.activations.rows(Node::kConcat, room.slice.at, room.slice.at + task.count);
    for (std::size_t t = 0; t < task.count; ++t) {
      std::ranges::copy(replacement, concat.subspan(t * width + edit.head * head_dim, head_dim).begin());
    }
  }
}

// Before an edit that takes a mean: O_cat of all rows, of which only the sum is kept.
void sum_heads(Session::State& state, const Task& task) {
  HeadSums& sums = state.blocks[task.block].sums;
  const std::size_t width = state.config().embedding_length;
  sums.values.resize(width);
  const Room room = room_for(state, {StageKind::kAttention, task.block}, task);
  run_heads(state, task, block_input(state, task), state.model->attention(task.block), room);
  for (std::size_t t = 0; t < task.count; ++t) {
    const std::span<const float> row = room.activations.rows(Node::kConcat, room.slice.at + t, room.slice.at + t + 1);
    for (std::size_t i = 0; i < width; ++i) sums.values[i] += static_cast<double>(row[i]);
  }
  sums.rows += task.count;
}

void run_attention(Session::State& state, const Task& task) {
  const Room room = room_for(state, {StageKind::kAttention, task.block}, task);
  const AttentionWeights weights = state.model->attention(task.block);
  const std::vector<float> x = block_input(state, task);
  run_heads(state, task, x, weights, room);
  apply_edits(state, task, room);
  project_output(state.config(), weights, state.arithmetic, room.slice, x, room.activations);
  room.fill();
  if (!task.appends) return;
  const std::size_t at = room.slice.at;
  state.blocks[task.block].append_residual(room.activations.rows(Node::kResidual, at, at + task.count));
}

// R_l of a slice: as it is held, else from the attention computed anew.
std::vector<float> mlp_input(Session::State& state, const Task& task) {
  const std::size_t width = state.config().embedding_length;
  std::vector<float> r(task.count * width);
  const BlockState& block = state.blocks[task.block];
  if (block.holds_residual(task.first, task.first + task.count)) {
    block.copy_residual(task.first, task.first + task.count, r);
    return r;
  }
  const InnerPage* const page = state.inner.find({StageKind::kAttention, task.block}, task.first);
  if (page != nullptr && page->holds(task.first + task.count - 1)) {
    const std::size_t at = task.first - page->first;
    std::ranges::copy(page->activations.rows(Node::kResidual, at, at + task.count), r.begin());
    return r;
  }
  run_attention(state, {task.block, task.first, task.count, false, false});
  std::ranges::copy(state.scratch.rows(Node::kResidual, 0, task.count), r.begin());
  return r;
}

void run_mlp(Session::State& state, const Task& task) {
  std::vector<float> r = mlp_input(state, task);
  const Room room = room_for(state, {StageKind::kMlp, task.block}, task);
  mlp(state.config(), state.model->mlp(task.block), state.arithmetic, room.slice, r, room.activations);
  room.fill();
  if (!task.appends) return;
  const std::span<const float> f = room.activations.rows(Node::kMlpOutput, room.slice.at, room.slice.at + task.count);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = f[i] + r[i];
  state.blocks[task.block].append_output(r);
}

void run(Session::State& state, Stage stage, const Task& task) {
  switch (stage.kind) {
    case StageKind::kEmbed: run_embed(state, task.first, task.count); break;
    case StageKind::kAttention: run_attention(state, task); break;
    case StageKind::kMlp: run_mlp(state, task); break;
    case StageKind::kLogits: break;
  }
}

Stage stage_at(std::size_t order) {
  if (order == 0) return {StageKind::kEmbed, 0};
  return {order % 2 == 1 ? StageKind::kAttention : StageKind::kMlp, (order - 1) / 2};
}

void check_block(std::size_t block, const Config& config) {
  if (block < config.block_count) return;
  throw Error(ErrorCode::kBadArgument,
              {"block", std::to_string(block), "a block below " + std::to_string(config.block_count)});
}

}  // namespace

Session::Session(std::shared_ptr<const Model> model, Arithmetic arithmetic, std::uint64_t inner_budget)
    : state_(std::make_unique<State>(std::move(model), arithmetic, inner_budget)) {}
Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Session Session::fork() const {
  return Session(state_->fork());
}

const Model& Session::model() const noexcept {
  return *state_->model;
}
std::span<const TokenId> Session::tokens() const noexcept {
  return state_->tokens;
}
std::span<const Edit> Session::edits() const noexcept {
  return state_->edits;
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
  const bool others = common < state_->tokens.size() || common < tokens.size();
  state_->tokens.assign(tokens.begin(), tokens.end());
  state_->keep(common, state_->edits, others);
}

void Session::set_edits(std::span<const Edit> edits) {
  const Config& config = state_->config();
  std::vector<Edit> sorted(edits.begin(), edits.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    check_block(sorted[i].block, config);
    const std::string where = "edit of block " + std::to_string(sorted[i].block);
    const std::string head = "head " + std::to_string(sorted[i].head);
    if (sorted[i].head >= config.head_count) {
      throw Error(ErrorCode::kBadArgument, {where, head, "a head below " + std::to_string(config.head_count)});
    }
    if (i > 0 && sorted[i].block == sorted[i - 1].block && sorted[i].head == sorted[i - 1].head) {
      throw Error(ErrorCode::kBadArgument, {where, head + " twice", "each head once"});
    }
  }
  const std::vector<Edit> before = std::exchange(state_->edits, std::move(sorted));
  state_->keep(state_->tokens.size(), before, false);
}

Progress Session::advance(const Goal& goal, std::uint64_t work) {
  State& state = *state_;
  const Config& config = state.config();
  const std::size_t rows = state.tokens.size();
  const bool in_block = goal.stage.kind == StageKind::kAttention || goal.stage.kind == StageKind::kMlp;
  if (in_block) check_block(goal.stage.block, config);
  const RowRange inner = in_block ? RowRange{goal.rows.first, std::min(goal.rows.last, rows)} : RowRange{};
  if (!inner.empty()) state.inner.want(goal.stage, inner);

  // One slice of a stage whose rows before `first` are done.
  const auto slice = [&](Stage stage, std::size_t first, std::size_t end, bool appends) -> Progress {
    if (!state.model->has(stage, state.tokens)) return {false, true, stage, first};
    const std::size_t count = slice_rows(config, stage.kind, first, end, work);
    const bool kept = stage == goal.stage && !inner.empty() && first < inner.last && first >= page_start(inner.first);
    run(state, stage, {stage.block, first, count, appends, kept});
    return {false, false, stage, first + count};
  };

  const std::size_t last_block = config.block_count - 1;
  if (goal.stage.order(config.block_count) >= Stage{StageKind::kAttention, last_block}.order(config.block_count)) {
    const bool of_logits = goal.stage.kind == StageKind::kLogits && !goal.rows.empty();
    state.blocks[last_block].start_at(of_logits ? std::min(goal.rows.first, rows) : 0);
  }

  const std::size_t last = std::min(goal.stage.order(config.block_count), 2 * config.block_count);
  for (std::size_t order = 0; order <= last; ++order) {
    const Stage stage = stage_at(order);
    const std::size_t done = state.done(stage);
    if (done >= rows) continue;
    const bool sums =
        stage.kind == StageKind::kAttention && std::ranges::any_of(edits_of(state.edits, stage.block), needs_all_rows);
    const std::size_t keys = stage.kind == StageKind::kAttention ? state.blocks[stage.block].cache.keys.size() : done;
    if (!sums && keys < done) {
      if (!state.model->has(stage, state.tokens)) return {false, true, stage, done};
      run_key_values(state, {stage.block, keys, slice_rows(config, stage.kind, keys, done, work), false, false});
      return {false, false, stage, done};
    }
    const std::size_t summed = sums ? state.blocks[stage.block].sums.rows : rows;
    if (summed == rows) return slice(stage, done, rows, true);
    if (!state.model->has(stage, state.tokens)) return {false, true, stage, done};
    sum_heads(state, {stage.block, summed, slice_rows(config, stage.kind, summed, rows, work), false, false});
    return {false, false, stage, done};
  }
  if (!inner.empty()) {
    const std::size_t missing = state.inner.first_missing(goal.stage, inner);
    if (missing < inner.last) {
      // A page is filled from its beginning.
      const RowRange of_page{page_start(missing), missing + 1};
      return slice(goal.stage, state.inner.first_missing(goal.stage, of_page), rows, false);
    }
  }
  const bool blocked = goal.stage.kind == StageKind::kLogits && !state.model->has(goal.stage, {});
  return {!blocked, blocked, goal.stage, rows};
}

}  // namespace headflow::gpt2
