#include "gpt2/session_state.h"

#include <algorithm>
#include <utility>

namespace headflow::gpt2 {

void BlockState::append_output(std::span<const float> rows) {
  output_.append(rows);
  if (mlp_rows() < attention_rows()) return;
  residual_.truncate(0);
  residual_first_ = mlp_rows();
}

void BlockState::start_at(std::size_t first) {
  const bool nothing = attention_rows() == first_row_;
  if (first >= first_row_ && !nothing) return;
  truncate_output(0);
  first_row_ = first;
  residual_first_ = first;
}

void BlockState::truncate_output(std::size_t rows) {
  if (rows <= first_row_) rows = first_row_ = 0;
  const std::size_t known = std::min(rows, attention_rows());
  output_.truncate(rows - first_row_);
  if (known < residual_first_) {
    residual_.truncate(0);
    residual_first_ = known;
  } else {
    residual_.truncate(known - residual_first_);
  }
}

void BlockState::add_to(Storage& storage) const {
  cache.keys.add_to(storage);
  cache.values.add_to(storage);
  output_.add_to(storage);
  residual_.add_to(storage);
}

Session::State::State(std::shared_ptr<const Model> model_in, Arithmetic arithmetic_in, std::uint64_t inner_budget_in)
    : model(std::move(model_in)),
      arithmetic(arithmetic_in),
      inner_budget(inner_budget_in),
      embeddings(model->config().embedding_length),
      blocks(model->config().block_count, BlockState(model->config().embedding_length)),
      inner(inner_budget),
      scratch(model->config()) {}

std::unique_ptr<Session::State> Session::State::fork() const {
  auto copy = std::make_unique<State>(model, arithmetic, inner_budget);
  copy->tokens = tokens;
  copy->edits = edits;
  copy->embeddings = embeddings;
  copy->blocks = blocks;
  return copy;
}

std::size_t Session::State::done(Stage stage) const {
  switch (stage.kind) {
    case StageKind::kEmbed: return embeddings.size();
    case StageKind::kAttention: return blocks[stage.block].attention_rows();
    case StageKind::kMlp: return blocks[stage.block].mlp_rows();
    case StageKind::kLogits: break;
  }
  return blocks.back().mlp_rows();
}

bool Session::State::has_residual(std::size_t depth, RowRange rows) const {
  if (depth == 0) return embeddings.size() >= rows.last;
  const BlockState& block = blocks[depth - 1];
  return rows.empty() || (block.first_row() <= rows.first && block.mlp_rows() >= rows.last);
}

void Session::State::copy_residual(std::size_t depth, RowRange rows, std::span<float> out) const {
  if (depth == 0) {
    embeddings.copy(rows.first, rows.last, out);
  } else {
    blocks[depth - 1].copy_output(rows.first, rows.last, out);
  }
}

void Session::State::keep(std::size_t common, std::span<const Edit> before, bool other_tokens) {
  std::size_t valid = common;  // Rows of the block's input, then of its output.
  embeddings.truncate(valid);
  for (std::size_t l = 0; l < blocks.size(); ++l) {
    BlockState& block = blocks[l];
    block.cache.keys.truncate(valid);
    block.cache.values.truncate(valid);
    const std::span<const Edit> now = edits_of(edits, l);
    const bool other_edits = !std::ranges::equal(now, edits_of(before, l));
    if (other_tokens || other_edits || valid < block.sums.rows) block.sums = {};
    if (other_edits || (other_tokens && std::ranges::any_of(now, needs_all_rows))) valid = 0;
    block.truncate_output(valid);
    inner.truncate({StageKind::kAttention, l}, valid);
    inner.truncate({StageKind::kMlp, l}, valid);
  }
}

}  // namespace headflow::gpt2
