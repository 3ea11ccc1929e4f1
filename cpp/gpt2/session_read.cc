// Reading a session's nodes: what is held is copied, what is not held is computed here.

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.h"
#include "gpt2/block.h"
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

// Q, K and V of a head: columns of the fused result.
std::span<const float> view_row(const Session::State& state, const ViewInfo& view, std::size_t head, std::size_t t) {
  const Config& config = state.config();
  const std::span<const float> row = state.trace->activations.rows(view.base, t, t + 1);
  return row.subspan(view.offset_in_widths * config.embedding_length + head * config.head_dim, config.head_dim);
}

// One query's scores with every key, at the step that `node` names; keys after the query are computed too, then masked.
void read_scores(const Session::State& state, Node node, std::size_t head, std::size_t t, std::span<float> out) {
  const Config& config = state.config();
  const std::span<const float> q = view_row(state, *info(Node::kQuery).view, head, t);
  const std::span<float> visible = out.first(t + 1);
  const bool full = node == Node::kScores || node == Node::kScoresScaled;
  const std::span<float> computed = full ? out : visible;
  raw_scores(config, state.arithmetic, q, state.cache[state.trace->block].keys, head, computed);
  if (node == Node::kScores) return;
  scale_scores(config, computed);
  if (full) return;
  if (node == Node::kProbabilities) kernels::softmax(visible, visible);
  std::ranges::fill(out.subspan(t + 1), node == Node::kProbabilities ? 0.0F : -std::numeric_limits<float>::infinity());
}

void read_heads(const Session::State& state, Node node, Request request, std::span<float> out) {
  const NodeInfo& description = info(node);
  const std::size_t columns = length(description.columns, state.config(), state.tokens.size());
  const std::size_t head_dim = state.config().head_dim;
  for (std::size_t t = request.first; t < request.last; ++t) {
    const std::span<float> row = out.subspan((t - request.first) * columns, columns);
    if (description.view) {
      std::ranges::copy(view_row(state, *description.view, request.head, t), row.begin());
    } else if (node == Node::kHeadOutput) {
      const std::span<const float> concat = state.trace->activations.rows(Node::kConcat, t, t + 1);
      std::ranges::copy(concat.subspan(request.head * head_dim, head_dim), row.begin());
    } else {
      read_scores(state, node, request.head, t, row);
    }
  }
}

void read_output(const Session::State& state, Node node, Request request, std::span<float> out) {
  const Config& config = state.config();
  const std::size_t count = request.last - request.first;
  std::vector<float> normalized(count * config.embedding_length);
  std::vector<float> weighted(normalized.size());
  std::vector<float> result(normalized.size());
  layer_norm(state.model->output_norm(), config.layer_norm_epsilon,
             state.residual.back().rows(request.first, request.last), normalized, weighted, result);
  if (node == Node::kFinalNorm) std::ranges::copy(normalized, out.begin());
  if (node == Node::kFinalNormWeighted) std::ranges::copy(weighted, out.begin());
  if (node == Node::kFinalOutput) std::ranges::copy(result, out.begin());
  if (node == Node::kLogits) Products(state.arithmetic).multiply(state.model->output_matrix(), result, count, out);
}

}  // namespace

bool Session::readable(NodeRef ref) const {
  const State& state = *state_;
  const std::size_t rows = state.tokens.size();
  const NodeInfo& description = info(ref.node);
  if (ref.block >= state.config().block_count) return false;
  switch (description.stage) {
    case StageKind::kEmbed: return state.done({StageKind::kEmbed, 0}) == rows;
    case StageKind::kAttention:
      return state.trace && state.trace->block == ref.block && state.trace->attention_rows == rows;
    case StageKind::kMlp:
      if (ref.node == Node::kBlockOutput) return state.done({StageKind::kMlp, ref.block}) == rows;
      return state.trace && state.trace->block == ref.block && state.trace->rest_rows == rows;
    case StageKind::kLogits: return state.rows_done.back() == rows && state.model->has({StageKind::kLogits, 0}, {});
  }
  return false;
}

void Session::read(NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out) const {
  const State& state = *state_;
  const Config& config = state.config();
  const NodeInfo& description = info(ref.node);
  const std::size_t rows = state.tokens.size();
  const std::size_t columns = length(description.columns, config, rows);
  if (!readable(ref)) {
    throw Error(ErrorCode::kNotLoaded, {"node " + full_name(ref), "a stage that has not run for all tokens",
                                        "all rows of it", "Run the stage first"});
  }
  if (first > last || last > rows || (description.per_head && head >= config.head_count) ||
      out.size() != (last - first) * columns) {
    throw Error(ErrorCode::kBadArgument, {"node " + full_name(ref),
                                          "head " + std::to_string(head) + ", rows " + std::to_string(first) + " to " +
                                              std::to_string(last) + ", room for " + std::to_string(out.size()),
                                          std::to_string(config.head_count) + " heads, " + std::to_string(rows) +
                                              " rows of " + std::to_string(columns)});
  }
  if (first == last) return;

  const Request request{head, first, last};
  if (description.per_head) {
    read_heads(state, ref.node, request, out);
  } else if (BlockActivations::holds(ref.node)) {
    std::ranges::copy(state.trace->activations.rows(ref.node, first, last), out.begin());
  } else if (description.stage == StageKind::kLogits) {
    read_output(state, ref.node, request, out);
  } else if (ref.node == Node::kTokenEmbedding || ref.node == Node::kPositionEmbedding) {
    read_embeddings(state, ref.node, request, out);
  } else {
    const std::size_t l = ref.node == Node::kInput ? 0 : ref.block + 1;
    std::ranges::copy(state.residual[l].rows(first, last), out.begin());
  }
}

}  // namespace headflow::gpt2
