// Reading a session's nodes: what is held is copied, what is not held is computed here.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "gpt2/block.h"
#include "gpt2/contributions.h"
#include "gpt2/session.h"
#include "gpt2/session_state.h"
#include "kernels/functions.h"

namespace headflow::gpt2 {
namespace {

// Which rows and, where the node has heads, which head.
struct Request {
  std::size_t head;
  std::size_t first;
  std::size_t last;
};

void read_embeddings(const Session::State& state, Node node, Request request, std::span<float> out) {
  const std::size_t width = state.config().embedding_length;
  for (std::size_t t = request.first; t < request.last; ++t) {
    const std::span<float> row = out.subspan((t - request.first) * width, width);
    if (node == Node::kTokenEmbedding) {
      state.model->token_embedding().read_row(static_cast<std::size_t>(state.tokens[t]), row);
    } else {
      state.model->position_embedding().read_row(t, row);
    }
  }
}

// A row of a node that is kept with its block's inner tensors.
std::span<const float> inner_row(const Session::State& state, NodeRef ref, std::size_t t) {
  const InnerPage& page = *state.inner.find({info(ref.node).stage, ref.block}, t);
  return page.activations.rows(ref.node, t - page.first, t - page.first + 1);
}

// Q, K and V of a head: columns of the fused result.
std::span<const float> view_row(const Session::State& state, const ViewInfo& view, std::size_t block, std::size_t head,
                                std::size_t t) {
  const Config& config = state.config();
  const std::span<const float> row = inner_row(state, {view.base, block}, t);
  return row.subspan(view.offset_in_widths * config.embedding_length + head * config.head_dim, config.head_dim);
}

// One query's scores with every key, at the step that `node` names; keys after the query are computed too, then masked.
void read_scores(const Session::State& state, NodeRef ref, std::size_t head, std::size_t t, std::span<float> out) {
  const Config& config = state.config();
  const Node node = ref.node;
  const std::span<const float> q = view_row(state, *info(Node::kQuery).view, ref.block, head, t);
  const std::span<float> visible = out.first(t + 1);
  const bool full = node == Node::kScores || node == Node::kScoresScaled;
  const std::span<float> computed = full ? out : visible;
  raw_scores(config, state.arithmetic, q, state.blocks[ref.block].cache.keys, head, computed);
  if (node == Node::kScores) return;
  scale_scores(config, computed);
  if (full) return;
  if (node == Node::kProbabilities) kernels::softmax(visible, visible);
  std::ranges::fill(out.subspan(t + 1), node == Node::kProbabilities ? 0.0F : -std::numeric_limits<float>::infinity());
}

void read_heads(const Session::State& state, NodeRef ref, Request request, std::span<float> out) {
  const NodeInfo& description = info(ref.node);
  const std::size_t columns = length(description.columns, state.config(), state.tokens.size());
  const std::size_t head_dim = state.config().head_dim;
  for (std::size_t t = request.first; t < request.last; ++t) {
    const std::span<float> row = out.subspan((t - request.first) * columns, columns);
    if (description.view) {
      std::ranges::copy(view_row(state, *description.view, ref.block, request.head, t), row.begin());
    } else if (ref.node == Node::kHeadContribution) {
      const std::span<const float> concat = inner_row(state, {Node::kConcat, ref.block}, t);
      head_contribution(state.config(), state.model->attention(ref.block).output, concat, request.head, row);
    } else if (ref.node == Node::kHeadOutput) {
      const std::span<const float> concat = inner_row(state, {Node::kConcat, ref.block}, t);
      std::ranges::copy(concat.subspan(request.head * head_dim, head_dim), row.begin());
    } else {
      read_scores(state, ref, request.head, t, row);
    }
  }
}

// The final norm of X_depth, or its logits.
void read_output(const Session::State& state, std::size_t depth, Node node, RowRange rows, std::span<float> out) {
  const Config& config = state.config();
  std::vector<float> x(rows.size() * config.embedding_length);
  state.copy_residual(depth, rows, x);
  std::vector<float> normalized(x.size());
  std::vector<float> weighted(x.size());
  std::vector<float> result(x.size());
  layer_norm(state.model->output_norm(), config.layer_norm_epsilon, x, normalized, weighted, result);
  if (node == Node::kFinalNorm) std::ranges::copy(normalized, out.begin());
  if (node == Node::kFinalNormWeighted) std::ranges::copy(weighted, out.begin());
  if (node == Node::kFinalOutput) std::ranges::copy(result, out.begin());
  if (node == Node::kLogits)
    Products(state.arithmetic).multiply(state.model->output_matrix(), result, rows.size(), out);
}

// Weights that are finite can still make numbers that are not. None of them leaves the session: throws Error
// (bad_weights) for the first. Masked scores are minus infinity by design. `out`: rows from `first` on.
void require_finite(NodeRef ref, Request request, std::span<const float> out) {
  const auto is_wrong = [&](float value) {
    return !std::isfinite(value) && !(ref.node == Node::kScoresMasked && value < 0);
  };
  const auto found = std::ranges::find_if(out, is_wrong);
  if (found == out.end()) return;
  const auto index = static_cast<std::size_t>(found - out.begin());
  const std::size_t columns = out.size() / (request.last - request.first);
  throw Error(
      ErrorCode::kBadWeights,
      {"node " + full_name(ref) + (info(ref.node).per_head ? ", head " + std::to_string(request.head) : "") + ", row " +
           std::to_string(request.first + index / columns) + ", column " + std::to_string(index % columns),
       std::isnan(*found) ? "not a number" : "infinity", "a finite number",
       "The weights are so large that products with them overflow: the file is damaged"});
}

// Throws Error (bad_argument) where the rows are not the session's, or `out` has not room for just them.
void check_request(const Session::State& state, NodeRef ref, Request request, std::size_t room) {
  const NodeInfo& description = info(ref.node);
  const std::size_t rows = state.tokens.size();
  const std::size_t columns = length(description.columns, state.config(), rows);
  const std::size_t heads = description.per_head ? state.config().head_count : request.head + 1;
  if (request.first <= request.last && request.last <= rows && request.head < heads &&
      room == (request.last - request.first) * columns) {
    return;
  }
  throw Error(ErrorCode::kBadArgument,
              {"node " + full_name(ref),
               "head " + std::to_string(request.head) + ", rows " + std::to_string(request.first) + " to " +
                   std::to_string(request.last) + ", room for " + std::to_string(room),
               std::to_string(heads) + " heads, " + std::to_string(rows) + " rows of " + std::to_string(columns)});
}

}  // namespace

bool Session::readable(NodeRef ref, RowRange rows) const {
  const State& state = *state_;
  const Stage stage{info(ref.node).stage, ref.block};
  if (ref.block >= state.config().block_count) return false;
  if (is_inner(ref.node)) {
    // Raw scores are of all keys, those after the query too.
    const bool all_keys = info(ref.node).columns == Axis::kKeys;
    if (all_keys && state.blocks[ref.block].cache.keys.size() < state.tokens.size()) return false;
    return state.inner.first_missing(stage, rows) == rows.last;
  }
  if (stage.kind == StageKind::kLogits) return lens_readable(state.blocks.size(), rows);
  if (ref.node == Node::kBlockOutput) return state.has_residual(ref.block + 1, rows);
  return state.has_residual(0, rows);
}

void Session::read(NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out) const {
  const State& state = *state_;
  if (!readable(ref, {first, std::min(std::max(first, last), state.tokens.size())})) {
    throw Error(ErrorCode::kNotLoaded,
                {"node " + full_name(ref), "rows that have not been computed for reading",
                 "rows " + std::to_string(first) + " to " + std::to_string(last), "Run the stage first"});
  }
  const Request request{head, first, last};
  check_request(state, ref, request, out.size());
  if (first == last) return;

  const NodeInfo& description = info(ref.node);
  if (description.per_head) {
    read_heads(state, ref, request, out);
  } else if (is_inner(ref.node)) {
    const std::size_t columns = out.size() / (last - first);
    for (std::size_t t = first; t < last; ++t) {
      std::ranges::copy(inner_row(state, ref, t), out.subspan((t - first) * columns).begin());
    }
  } else if (description.stage == StageKind::kLogits) {
    read_output(state, state.blocks.size(), ref.node, {first, last}, out);
  } else if (ref.node == Node::kTokenEmbedding || ref.node == Node::kPositionEmbedding) {
    read_embeddings(state, ref.node, request, out);
  } else {
    state.copy_residual(ref.node == Node::kInput ? 0 : ref.block + 1, {first, last}, out);
  }
  require_finite(ref, request, out);
}

bool Session::lens_readable(std::size_t depth, RowRange rows) const {
  const State& state = *state_;
  return depth <= state.blocks.size() && state.has_residual(depth, rows) &&
         state.model->has({StageKind::kLogits, 0}, {});
}

void Session::read_lens(std::size_t depth, Node node, std::size_t first, std::size_t last, std::span<float> out) const {
  const State& state = *state_;
  const NodeRef ref{node, 0};
  if (info(node).stage != StageKind::kLogits) {
    throw Error(ErrorCode::kBadArgument, {"lens", "node " + full_name(ref), "a node of the final norm, or the logits"});
  }
  if (!lens_readable(depth, {first, std::min(std::max(first, last), state.tokens.size())})) {
    throw Error(
        ErrorCode::kNotLoaded,
        {"lens after " + std::to_string(depth) + " blocks", "rows that have not been computed",
         "rows " + std::to_string(first) + " to " + std::to_string(last), "Run the blocks and load the output first"});
  }
  check_request(state, ref, {0, first, last}, out.size());
  if (first == last) return;
  read_output(state, depth, node, {first, last}, out);
  require_finite(ref, {0, first, last}, out);
}

std::uint64_t Session::held_bytes() const {
  Storage storage;
  add_to(storage);
  return total_bytes(storage);
}

void Session::add_to(Storage& storage) const {
  const State& state = *state_;
  state.embeddings.add_to(storage);
  for (const BlockState& block : state.blocks) block.add_to(storage);
  storage[&state] = state.scratch.bytes() + state.inner.bytes();
}

}  // namespace headflow::gpt2
