#include "analysis/explanation/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "analysis/explanation/stored.h"
#include "kernels/functions.h"

namespace headflow::analysis {
namespace {

using gpt2::Index;
using gpt2::Node;
using gpt2::NodeInfo;
using gpt2::NodeRef;
using gpt2::Operand;
using gpt2::Weight;

double wide(float value) {
  return static_cast<double>(value);
}
Interval one(std::size_t index) {
  return {index, index + 1};
}

Factor constant(std::string_view name, double value) {
  Factor factor;
  factor.constant = name;
  factor.values = {static_cast<float>(value)};
  return factor;
}

// The terms are the products of the factors.
Part product(std::vector<Factor> factors) {
  Part part{std::move(factors), {}};
  for (std::size_t i = 0; i < part.factors.front().values.size(); ++i) {
    double term = 1;
    for (const Factor& factor : part.factors) term *= wide(factor.in_use(i));
    part.terms.push_back(term);
  }
  return part;
}

// Builds one explanation; each function of graph.h is one member function.
class Explainer {
 public:
  Explainer(const gpt2::Session& session, const Cell& cell) : session_(session), cell_(cell) {
    if (const auto* ref = std::get_if<NodeRef>(&cell.source)) ref_ = *ref;
  }

  Explanation finish() {
    result_.cell = cell_;
    if (const auto* tensor = std::get_if<std::string>(&cell_.source)) {
      result_.function = Function::kStored;
      stored(*find_tensor(model(), *tensor), cell_.row, cell_.column);
      total();
      result_.value = result_.parts.front().factors.front().values.front();
    } else if (const auto& view = gpt2::info(ref_.node).view) {
      result_ = explain(session_, viewed(*view));
      result_.view_of = std::exchange(result_.cell, cell_);
    } else {
      node(gpt2::info(ref_.node));
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const gpt2::Model& model() const { return session_.model(); }
  [[nodiscard]] const gpt2::Config& config() const { return model().config(); }
  [[nodiscard]] std::size_t columns(Node node) const {
    return gpt2::length(gpt2::info(node).columns, config(), session_.tokens().size());
  }

  // The cell of the fused result that a cell of Q, K or V is.
  [[nodiscard]] Cell viewed(const gpt2::ViewInfo& view) const {
    const gpt2::Config& sizes = config();
    const std::size_t first = view.offset_in_widths * sizes.embedding_length + cell_.head.value_or(0) * sizes.head_dim;
    return {NodeRef{view.base, ref_.block}, std::nullopt, cell_.row, first + cell_.column};
  }

  // What an operand's index stands for, of an axis that has `length` elements.
  [[nodiscard]] Interval indices(Index index, std::size_t length) const {
    const std::size_t head = cell_.head.value_or(0);
    const std::size_t head_dim = config().head_dim;
    switch (index) {
      case Index::kNone: return one(0);
      case Index::kHead: return one(head);
      case Index::kRow: return one(cell_.row);
      case Index::kColumn: return one(cell_.column);
      case Index::kTokenId: return one(static_cast<std::size_t>(session_.tokens()[cell_.row]));
      case Index::kAll: return {0, length};
      case Index::kVisibleKeys: return {0, cell_.row + 1};
      case Index::kHeadColumns: return {head * head_dim, (head + 1) * head_dim};
      case Index::kViewColumn: return one(viewed(*gpt2::info(ref_.node).view).column);
      case Index::kHeadOfColumn: return one(cell_.column / head_dim);
      case Index::kColumnOfHead: return one(cell_.column % head_dim);
    }
    return {};
  }

  // The cells of an operand that is a node.
  [[nodiscard]] Line line(const Operand& operand) const {
    const Node node = std::get<Node>(operand.source);
    Line line{gpt2::operand_ref(ref_, node, config()), std::nullopt, indices(operand.row, session_.tokens().size()),
              indices(operand.column, columns(node))};
    if (gpt2::info(node).per_head) line.heads = indices(operand.head, config().head_count);
    return line;
  }

  [[nodiscard]] Factor read_node(Line line) const {
    Factor factor;
    factor.values.resize(line.size());
    const Region region{std::get<NodeRef>(line.source), line.heads ? line.heads->first : 0, line.rows, line.columns};
    read(session_, region, factor.values);
    factor.line = std::move(line);
    return factor;
  }

  [[nodiscard]] Factor read_tensor(const gpt2::TensorStore& store, std::size_t row, Interval columns) const {
    StoredElements elements = read_stored(store, row, columns);
    Factor factor;
    factor.line = Line{store.info().name, std::nullopt, one(row), columns};
    factor.values = std::move(elements.values);
    factor.codes = std::move(elements.codes);
    factor.scales = std::move(elements.scales);
    return factor;
  }

  [[nodiscard]] const gpt2::TensorStore& tensor(const Operand& operand) const {
    return model().tensor(std::get<Weight>(operand.source), ref_.block);
  }

  // The elements of an operand that is a tensor of the file.
  [[nodiscard]] Factor read_weight(const Operand& operand) const {
    const gpt2::TensorStore& store = tensor(operand);
    return read_tensor(store, indices(operand.row, store.rows()).first, indices(operand.column, store.columns()));
  }

  [[nodiscard]] float own_value() const { return read_node(cell_line()).values.front(); }
  [[nodiscard]] Line cell_line() const {
    Line line{ref_, std::nullopt, one(cell_.row), one(cell_.column)};
    if (cell_.head) line.heads = one(*cell_.head);
    return line;
  }

  // Whether the cell is of the output of a head that is switched off.
  [[nodiscard]] bool is_off() const {
    const auto edits = gpt2::edits_of(session_.edits(), ref_.block);
    return ref_.node == Node::kHeadOutput && std::ranges::find(edits, cell_.head, &gpt2::Edit::head) != edits.end();
  }

  void node(const NodeInfo& node) {
    result_.function = is_off() ? Function::kReplaced : node.function;
    result_.masked = node.columns == gpt2::Axis::kKeys && cell_.column > cell_.row;
    switch (result_.function) {
      case Function::kStored: embedding(node.operands[0]); break;
      case Function::kSame: result_.parts.push_back(product({read_node(line(node.operands[0]))})); break;
      case Function::kSum:
      case Function::kProducts: sum(node); break;
      case Function::kMatrix: matrix(node); break;
      case Function::kHeads: heads(node); break;
      case Function::kScaled: scaled(node); break;
      case Function::kMasked: masked(node); break;
      case Function::kSoftmax: softmax(node); break;
      case Function::kNormalize: normalize(node); break;
      case Function::kWeighted:
      case Function::kAffine: weighted(node); break;
      case Function::kGelu: gelu(node); break;
      case Function::kReplaced: result_.parts.push_back(product({constant("replacement", wide(own_value()))})); break;
    }
    if (node.function != Function::kSoftmax) total();
    const bool contribution = ref_.node == Node::kProjectionProduct && cell_.head;
    result_.value = contribution ? static_cast<float>(result_.result) : own_value();
  }

  // The sum of all terms, and of their magnitudes unless those are known in finer parts.
  void total() {
    double magnitude = 0;
    for (const Part& part : result_.parts) {
      for (const double term : part.terms) {
        result_.result += term;
        magnitude += std::abs(term);
      }
    }
    if (result_.magnitude == 0) result_.magnitude = magnitude;
  }

  void step(std::string_view name, double value, std::optional<Cell> cell = std::nullopt) {
    result_.steps.push_back({name, value, std::move(cell)});
  }

  // The node before this one, which is the same without its bias.
  void step_before(std::string_view name) {
    Line before = cell_line();
    before.source = NodeRef{static_cast<Node>(static_cast<std::size_t>(ref_.node) - 1), ref_.block};
    step(name, wide(read_node(before).values.front()), before.at(0));
  }

  // --- the functions ---

  void embedding(const Operand& operand) {
    const gpt2::TensorStore& store = tensor(operand);
    stored(store, indices(operand.row, store.rows()).first, cell_.column);
  }

  void stored(const gpt2::TensorStore& store, std::size_t row, std::size_t column) {
    result_.parts.push_back(product({read_tensor(store, row, one(column))}));
    const Factor& element = result_.parts.front().factors.front();
    const StoredPlace place = place_of(store, row, column);
    if (!element.codes.empty()) {
      step("code", element.codes.front());
      step("scale", wide(element.scales.front()));
      step("scale_offset", static_cast<double>(place.scale_offset));
    }
    step("offset", static_cast<double>(place.offset));
  }

  void sum(const NodeInfo& node) {
    Factor a = read_node(line(node.operands[0]));
    Factor b = read_node(line(node.operands[1]));
    if (node.function == Function::kProducts) {
      result_.parts.push_back(product({std::move(a), std::move(b)}));
    } else {
      result_.parts.push_back(product({std::move(a)}));
      result_.parts.push_back(product({std::move(b)}));
    }
  }

  // The products of an activation row with a stored row of `matrix`, `part` of them; as the kernel uses both.
  [[nodiscard]] Part matrix_products(const Operand& x_operand, const Operand& matrix, Interval part) const {
    const gpt2::TensorStore& store = tensor(matrix);
    Line row = line(x_operand);
    row.columns = {0, store.columns()};
    Factor x = read_node(row);
    const gguf::TensorType type = store.info().type;
    if (type != gguf::TensorType::kF32) {
      StoredElements rounded = round_activations(type, x.values, part);
      x.used = std::move(rounded.values);
      x.codes = std::move(rounded.codes);
      x.scales = std::move(rounded.scales);
    }
    const auto kept = std::span(x.values).subspan(part.first, part.size());
    x.values = std::vector(kept.begin(), kept.end());
    row.columns = part;
    x.line = std::move(row);
    return product({std::move(x), read_tensor(store, cell_.column, part)});
  }

  // What has no bias comes without a third operand.
  void matrix(const NodeInfo& node) {
    const std::size_t head_dim = config().head_dim;
    const Interval part = cell_.head ? Interval{*cell_.head * head_dim, (*cell_.head + 1) * head_dim}
                                     : Interval{0, tensor(node.operands[1]).columns()};
    result_.parts.push_back(matrix_products(node.operands[0], node.operands[1], part));
    if (node.operands.size() < 3) return;
    result_.parts.push_back(product({read_weight(node.operands[2])}));
    step_before("product");
  }

  void heads(const NodeInfo& node) {
    const std::size_t head_dim = config().head_dim;
    const gpt2::Operands& products_of = gpt2::info(Node::kProjectionProduct).operands;
    const Part products = matrix_products(products_of[0], products_of[1], {0, config().embedding_length});
    Part contributions{{Factor{}}, std::vector<double>(config().head_count)};
    for (std::size_t i = 0; i < products.terms.size(); ++i) {
      contributions.terms[i / head_dim] += products.terms[i];
      result_.magnitude += std::abs(products.terms[i]);
    }
    Factor& factor = contributions.factors.front();
    factor.line = line(node.operands[0]);
    factor.line->source = NodeRef{Node::kProjectionProduct, ref_.block};
    for (const double term : contributions.terms) factor.values.push_back(static_cast<float>(term));
    result_.parts.push_back(std::move(contributions));
    result_.parts.push_back(product({read_weight(node.operands[1])}));
    result_.magnitude += std::abs(result_.parts.back().terms.front());
    step_before("product");
  }

  void scaled(const NodeInfo& node) {
    const float scale = 1.0F / std::sqrt(static_cast<float>(config().head_dim));
    result_.parts.push_back(product({read_node(line(node.operands[0])), constant("scale", wide(scale))}));
  }

  void masked(const NodeInfo& node) {
    result_.parts.push_back(product({read_node(line(node.operands[0]))}));
    const double mask = result_.masked ? -std::numeric_limits<double>::infinity() : 0.0;
    result_.parts.push_back(product({constant("mask", mask)}));
  }

  void softmax(const NodeInfo& node) {
    Part part{{read_node(line(node.operands[0])), read_node(line(node.operands[1]))}, {}};
    const std::vector<float>& scores = part.factors.back().values;
    const float maximum = std::ranges::max(scores);
    double sum = 0;
    for (const float score : scores) {
      part.terms.push_back(wide(kernels::exp(score - maximum)));
      sum += part.terms.back();
    }
    const double own = result_.masked ? 0.0 : part.terms[cell_.column];
    step("maximum", wide(maximum));
    step("exponential", own);
    step("sum", sum);
    result_.result = own / sum;
    result_.magnitude = result_.result;
    result_.parts.push_back(std::move(part));
  }

  // Mean, variance and 1 / sqrt(variance + epsilon) of a row.
  struct Moments {
    double mean;
    double inverse_deviation;
  };
  Moments moments(Factor row) {
    std::vector<float> centred(row.values.size());
    const kernels::Moments moments = kernels::normalize(row.values, config().layer_norm_epsilon, centred);
    double squares = 0;
    for (const float x : row.values) squares += wide((x - moments.mean) * (x - moments.mean));
    step("mean", wide(moments.mean));
    step("variance", wide(static_cast<float>(squares / static_cast<double>(row.values.size()))));
    step("epsilon", wide(config().layer_norm_epsilon));
    step("inverse_deviation", wide(moments.inverse_deviation));
    result_.context.push_back(std::move(row));
    return {wide(moments.mean), wide(moments.inverse_deviation)};
  }

  void normalize(const NodeInfo& node) {
    const Line whole = line(node.operands[0]);
    Factor row = read_node(whole);
    const float own = row.values[cell_.column];
    step("input", wide(own), whole.at(cell_.column));
    const Moments row_moments = moments(std::move(row));
    // The kernel rounds x - mean to f32, which the constant holds.
    result_.parts.push_back(product({constant("centred", wide(own) - row_moments.mean),
                                     constant("inverse_deviation", row_moments.inverse_deviation)}));
  }

  void weighted(const NodeInfo& node) {
    const Operand& normalized = node.operands[0];
    result_.parts.push_back(product({read_node(line(normalized)), read_weight(node.operands[1])}));
    if (node.function != Function::kAffine) return;
    result_.parts.push_back(product({read_weight(node.operands[2])}));
    step_before("product");
    // The row that mean and variance are of is what the normalized row was made from.
    moments(read_node(line(gpt2::info(std::get<Node>(normalized.source)).operands[0])));
  }

  void gelu(const NodeInfo& node) {
    Factor x = read_node(line(node.operands[0]));
    const double value = wide(x.values.front());
    const double u = std::sqrt(2 / std::numbers::pi) * (value + 0.044715 * value * value * value);
    step("argument", u);
    step("tanh", std::tanh(u));
    Part tanh_part = product({x, constant("half", 0.5), constant("tanh", std::tanh(u))});
    tanh_part.terms.front() = value * 0.5 * std::tanh(u);
    result_.parts.push_back(product({std::move(x), constant("half", 0.5)}));
    result_.parts.push_back(std::move(tanh_part));
  }

  const gpt2::Session& session_;
  Cell cell_;
  NodeRef ref_;
  Explanation result_;
};

}  // namespace

double Explanation::error() const noexcept {
  const double shown = wide(value);
  return result == shown ? 0.0 : std::abs(result - shown);  // Infinities are equal, and have no difference.
}

std::vector<gpt2::Goal> goals_behind(const gpt2::Model& model, std::span<const TokenId> tokens, const Cell& cell) {
  using gpt2::StageKind;
  const auto of_block = [&](StageKind kind, std::size_t block) {
    const gpt2::RowRange rows{0, tokens.size()};
    std::vector<gpt2::Goal> goals{{{StageKind::kAttention, block}, rows}};
    if (kind == StageKind::kMlp) goals.push_back({{StageKind::kMlp, block}, rows});
    return goals;
  };
  if (const auto* ref = std::get_if<NodeRef>(&cell.source)) {
    const StageKind kind = gpt2::info(ref->node).stage;
    if (gpt2::info(ref->node).per_block) return of_block(kind, ref->block);
    return {{{kind, 0}}};
  }
  const std::string_view name = std::get<std::string>(cell.source);
  for (std::size_t l = 0; l < model.config().block_count; ++l) {
    const std::string block = "blk." + std::to_string(l) + ".";
    if (name.starts_with(block + "attn_")) return of_block(StageKind::kAttention, l);
    if (name.starts_with(block)) return of_block(StageKind::kMlp, l);
  }
  const bool token_row = name == model.token_embedding().info().name &&
                         std::ranges::find(tokens, static_cast<TokenId>(cell.row)) != tokens.end();
  const bool position_row = name == model.position_embedding().info().name && cell.row < tokens.size();
  return {{{token_row || position_row ? StageKind::kEmbed : StageKind::kLogits, 0}}};
}

Explanation explain(const gpt2::Session& session, const Cell& cell) {
  return Explainer(session, cell).finish();
}

}  // namespace headflow::analysis
