#include "analysis/heads/logit_parts.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "base/error.h"
#include "gpt2/contributions.h"
#include "kernels/functions.h"
#include "quant/quant.h"

namespace headflow::analysis {
namespace {

using gpt2::Node;
using gpt2::StageKind;

std::vector<float> read_row(const gpt2::Session& session, gpt2::NodeRef ref, std::size_t row) {
  const gpt2::Axis columns = gpt2::info(ref.node).columns;
  std::vector<float> values(gpt2::length(columns, session.model().config(), session.tokens().size()));
  session.read(ref, 0, row, row + 1, values);
  return values;
}

std::vector<double> widened(std::span<const float> values) {
  return {values.begin(), values.end()};
}

}  // namespace

const char* name(LogitSource source) noexcept {
  switch (source) {
    case LogitSource::kEmbedding: return "embedding";
    case LogitSource::kHead: return "head";
    case LogitSource::kOutputBias: return "output_bias";
    case LogitSource::kMlp: return "mlp";
    case LogitSource::kFinalNorm: return "final_norm";
    case LogitSource::kRounding: return "rounding";
  }
  return "";
}

double LogitParts::bound() const noexcept {
  constexpr double kTolerance = 1e-6;
  return kTolerance * magnitude;
}

LogitPartsOf::LogitPartsOf(gpt2::Session& run, std::size_t row, TokenId token) : run_(run), row_(row), token_(token) {
  const std::size_t rows = run.tokens().size();
  if (row >= rows) {
    throw Error(ErrorCode::kBadArgument,
                {"row of a logit", std::to_string(row), "a row below " + std::to_string(rows)});
  }
  const std::size_t vocabulary = run.model().config().vocabulary_size;
  if (token < 0 || static_cast<std::size_t>(token) >= vocabulary) {
    throw Error(ErrorCode::kBadArgument,
                {"token of a logit", std::to_string(token), "an id below " + std::to_string(vocabulary)});
  }
}

double LogitPartsOf::along(std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double term = direction_[i] * x[i];
    sum += term;
    result_.magnitude += std::abs(term);
  }
  return sum;
}

void LogitPartsOf::add(LogitSource source, std::size_t block, std::size_t head, double value) {
  result_.parts.push_back({source, block, head, value});
  result_.sum += value;
}

// With w the token's row of the output matrix, g and b the norm's weight and bias, s the inverse deviation of X_L:
// logit = sum_i w_i (g_i s (x_i - mean(x)) + b_i), which is linear in x once s is fixed.
void LogitPartsOf::begin() {
  const gpt2::Model& model = run_.model();
  const std::size_t width = model.config().embedding_length;
  const gpt2::NormWeights norm = model.output_norm();
  const gpt2::TensorStore& output = model.output_matrix();
  std::vector<float> w(width);
  output.read_row(static_cast<std::size_t>(token_), w);

  std::vector<float> x(width);
  run_.read({Node::kBlockOutput, model.config().block_count - 1}, 0, row_, row_ + 1, x);
  std::vector<float> normalized(width);
  const auto scale =
      static_cast<double>(kernels::normalize(x, model.config().layer_norm_epsilon, normalized).inverse_deviation);
  direction_.resize(width);
  double mean = 0;
  for (std::size_t i = 0; i < width; ++i) {
    direction_[i] = scale * static_cast<double>(w[i]) * static_cast<double>(norm.weight[i]);
    mean += direction_[i] / static_cast<double>(width);
  }
  for (double& d : direction_) d -= mean;

  result_.logit = static_cast<double>(read_row(run_, {Node::kLogits, 0}, row_)[static_cast<std::size_t>(token_)]);
  add(LogitSource::kEmbedding, 0, 0, along(widened(read_row(run_, {Node::kInput, 0}, row_))));

  const std::vector<float> y = read_row(run_, {Node::kFinalOutput, 0}, row_);
  const std::vector<float> used = quant::as_used(output.info().type, y, width);
  double of_bias = 0;
  double of_rounding = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const auto weight = static_cast<double>(w[i]);
    of_bias += weight * static_cast<double>(norm.bias[i]);
    of_rounding += weight * (static_cast<double>(used[i]) - static_cast<double>(y[i]));
    result_.magnitude += std::abs(weight * static_cast<double>(norm.bias[i]));
  }
  add(LogitSource::kFinalNorm, 0, 0, of_bias);
  if (output.info().type != gguf::TensorType::kF32) add(LogitSource::kRounding, 0, 0, of_rounding);
}

void LogitPartsOf::add_block(std::size_t block) {
  const gpt2::Config& config = run_.model().config();
  const std::size_t width = config.embedding_length;
  const gpt2::LinearWeights output = run_.model().attention(block).output;
  const std::vector<float> concat = read_row(run_, {Node::kConcat, block}, row_);
  const gpt2::HeadContributions heads = gpt2::head_contributions(config, output, concat);
  for (std::size_t h = 0; h < config.head_count; ++h) {
    add(LogitSource::kHead, block, h, along(std::span(heads.values).subspan(h * width, width)));
  }
  add(LogitSource::kOutputBias, block, 0, along(widened(output.bias)));
  add(LogitSource::kMlp, block, 0, along(widened(read_row(run_, {Node::kMlpOutput, block}, row_))));
}

gpt2::Progress LogitPartsOf::advance(std::uint64_t work) {
  const std::size_t blocks = run_.model().config().block_count;
  const gpt2::RowRange row{row_, row_ + 1};
  gpt2::Progress progress{.done = true};
  if (direction_.empty()) {
    progress = run_.advance(gpt2::goal_for({Node::kLogits, 0}, row), work);
    if (progress.done) begin();
  } else if (block_ < blocks) {
    progress = run_.advance(gpt2::goal_for({Node::kConcat, block_}, row), work);
    if (progress.done) progress = run_.advance(gpt2::goal_for({Node::kMlpOutput, block_}, row), work);
    if (progress.done) add_block(block_++);
  }
  progress.done = progress.done && !direction_.empty() && block_ == blocks;
  return progress;
}

}  // namespace headflow::analysis
