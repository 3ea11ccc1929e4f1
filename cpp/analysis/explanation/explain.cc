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

using gpt2::Node;
using gpt2::NodeRef;

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

// Builds one explanation; each function of recipes.h is one member function.
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
      node(recipe(ref_.node));
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

  // Which block's node an operand is.
  [[nodiscard]] NodeRef resolve(Node node) const {
    const bool in_block = gpt2::info(ref_.node).per_block;
    if (node == Node::kInput && !in_block) return {Node::kBlockOutput, config().block_count - 1};
    if (node == Node::kInput && ref_.block > 0) return {Node::kBlockOutput, ref_.block - 1};
    return {node, gpt2::info(node).per_block ? ref_.block : 0};
  }

  [[nodiscard]] Line line(const Operand& operand, std::size_t summed) const {
    const auto indices = [&](Index index) -> Interval {
      switch (index) {
        case Index::kRow: return one(cell_.row);
        case Index::kColumn: return one(cell_.column);
        case Index::kHead: return one(cell_.head.value_or(0));
        case Index::kSummed: return {0, summed};
        case Index::kNone: return one(0);
      }
      return {};
    };
    Line line{resolve(operand.node), std::nullopt, indices(operand.row), indices(operand.column)};
    if (gpt2::info(operand.node).per_head) line.heads = indices(operand.head);
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

  [[nodiscard]] const gpt2::TensorStore& tensor(const Recipe& recipe, std::string_view kind) const {
    if (ref_.node == Node::kLogits) return model().output_matrix();
    std::string name = gpt2::info(ref_.node).per_block ? "blk." + std::to_string(ref_.block) + "." : "";
    return *find_tensor(model(), name.append(recipe.tensor).append(kind));
  }

  [[nodiscard]] float own_value() const { return read_node(cell_line()).values.front(); }
  [[nodiscard]] Line cell_line() const {
    Line line{ref_, std::nullopt, one(cell_.row), one(cell_.column)};
    if (cell_.head) line.heads = one(*cell_.head);
    return line;
  }

  void node(const Recipe& recipe) {
    result_.function = recipe.function;
    result_.masked = gpt2::info(ref_.node).columns == gpt2::Axis::kKeys && cell_.column > cell_.row;
    switch (recipe.function) {
      case Function::kStored: embedding(); break;
      case Function::kSame: concatenated(recipe); break;
      case Function::kSum:
      case Function::kProducts: sum(recipe); break;
      case Function::kMatrix: matrix(recipe); break;
      case Function::kHeads: heads(recipe); break;
      case Function::kScaled: scaled(recipe); break;
      case Function::kMasked: masked(recipe); break;
      case Function::kSoftmax: softmax(recipe); break;
      case Function::kNormalize: normalize(recipe); break;
      case Function::kWeighted:
      case Function::kAffine: weighted(recipe); break;
      case Function::kGelu: gelu(recipe); break;
    }
    if (recipe.function != Function::kSoftmax) total();
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

  void embedding() {
    const bool token = ref_.node == Node::kTokenEmbedding;
    const std::size_t row = token ? static_cast<std::size_t>(session_.tokens()[cell_.row]) : cell_.row;
    stored(token ? model().token_embedding() : model().position_embedding(), row, cell_.column);
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

  void concatenated(const Recipe& recipe) {
    Line from = line(recipe.operands[0], 0);
    from.heads = one(cell_.column / config().head_dim);
    from.columns = one(cell_.column % config().head_dim);
    result_.parts.push_back(product({read_node(std::move(from))}));
  }

  [[nodiscard]] std::size_t summed(const Recipe& recipe) const {
    if (recipe.summed == Summed::kVisibleKeys) return cell_.row + 1;
    return columns(recipe.operands[0].node);
  }

  void sum(const Recipe& recipe) {
    const std::size_t count = recipe.summed == Summed::kNothing ? 1 : summed(recipe);
    Factor a = read_node(line(recipe.operands[0], count));
    Factor b = read_node(line(recipe.operands[1], count));
    if (recipe.function == Function::kProducts) {
      result_.parts.push_back(product({std::move(a), std::move(b)}));
    } else {
      result_.parts.push_back(product({std::move(a)}));
      result_.parts.push_back(product({std::move(b)}));
    }
  }

  // The products of an activation row with a stored row, `part` of them; as the kernel uses both.
  [[nodiscard]] Part matrix_products(const Recipe& recipe, Interval part) const {
    const gpt2::TensorStore& store = tensor(recipe, ".weight");
    Line row = line(recipe.operands[0], store.columns());
    Factor x = read_node(row);
    if (store.info().type == gguf::TensorType::kQ8_0) {
      StoredElements rounded = round_activations(x.values, part);
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

  void add_bias(const Recipe& recipe) {
    if (recipe.biased) result_.parts.push_back(product({read_tensor(tensor(recipe, ".bias"), 0, one(cell_.column))}));
  }

  void matrix(const Recipe& recipe) {
    const std::size_t head_dim = config().head_dim;
    const Interval part = cell_.head ? Interval{*cell_.head * head_dim, (*cell_.head + 1) * head_dim}
                                     : Interval{0, columns(recipe.operands[0].node)};
    result_.parts.push_back(matrix_products(recipe, part));
    add_bias(recipe);
    if (recipe.biased) step_before("product");
  }

  void heads(const Recipe& recipe) {
    const std::size_t head_dim = config().head_dim;
    const Part products = matrix_products(recipe, {0, columns(recipe.operands[0].node)});
    Part contributions{{Factor{}}, std::vector<double>(config().head_count)};
    for (std::size_t i = 0; i < products.terms.size(); ++i) {
      contributions.terms[i / head_dim] += products.terms[i];
      result_.magnitude += std::abs(products.terms[i]);
    }
    Factor& factor = contributions.factors.front();
    factor.line = Line{NodeRef{Node::kProjectionProduct, ref_.block}, Interval{0, config().head_count}, one(cell_.row),
                       one(cell_.column)};
    for (const double term : contributions.terms) factor.values.push_back(static_cast<float>(term));
    result_.parts.push_back(std::move(contributions));
    add_bias(recipe);
    result_.magnitude += std::abs(result_.parts.back().terms.front());
    step_before("product");
  }

  void scaled(const Recipe& recipe) {
    const float scale = 1.0F / std::sqrt(static_cast<float>(config().head_dim));
    result_.parts.push_back(product({read_node(line(recipe.operands[0], 0)), constant("scale", wide(scale))}));
  }

  void masked(const Recipe& recipe) {
    result_.parts.push_back(product({read_node(line(recipe.operands[0], 0))}));
    const double mask = result_.masked ? -std::numeric_limits<double>::infinity() : 0.0;
    result_.parts.push_back(product({constant("mask", mask)}));
  }

  void softmax(const Recipe& recipe) {
    const std::size_t count = summed(recipe);
    Part part{{read_node(line(recipe.operands[0], count)), read_node(line(recipe.operands[1], count))}, {}};
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

  void normalize(const Recipe& recipe) {
    const Line whole = line(recipe.operands[0], summed(recipe));
    Factor row = read_node(whole);
    const float own = row.values[cell_.column];
    step("input", wide(own), whole.at(cell_.column));
    const Moments row_moments = moments(std::move(row));
    // The kernel rounds x - mean to f32, which the constant holds.
    result_.parts.push_back(product({constant("centred", wide(own) - row_moments.mean),
                                     constant("inverse_deviation", row_moments.inverse_deviation)}));
  }

  void weighted(const Recipe& recipe) {
    Factor weight = read_tensor(tensor(recipe, ".weight"), 0, one(cell_.column));
    result_.parts.push_back(product({read_node(line(recipe.operands[0], 0)), std::move(weight)}));
    add_bias(recipe);
    if (!recipe.biased) return;
    step_before("product");
    moments(read_node(line(recipe.operands[1], columns(recipe.operands[1].node))));
  }

  void gelu(const Recipe& recipe) {
    Factor x = read_node(line(recipe.operands[0], 0));
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
