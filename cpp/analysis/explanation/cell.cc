#include "analysis/explanation/cell.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/error.h"

namespace headflow::analysis {
namespace {

using gpt2::Node;
using gpt2::NodeRef;

[[noreturn]] void refuse(std::string_view text, std::string got, std::string expected) {
  throw Error(ErrorCode::kBadArgument, {"cell " + std::string(text), std::move(got), std::move(expected)});
}

std::vector<std::size_t> parse_indices(std::string_view text, std::string_view list) {
  std::vector<std::size_t> indices;
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view digits = list.substr(0, comma);
    std::size_t index = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (failure != std::errc{} || end != digits.data() + digits.size()) {
      refuse(text, "no index at \"" + std::string(digits) + "\"", "numbers separated by commas");
    }
    indices.push_back(index);
    if (comma == list.size()) return indices;
    list.remove_prefix(comma + 1);
  }
}

// The shapes that a cell of `source` may be indexed with, the usual one first.
std::vector<std::vector<std::size_t>> shapes(const Source& source, const gpt2::Model& model, std::size_t tokens) {
  const gpt2::Config& config = model.config();
  if (const auto* ref = std::get_if<NodeRef>(&source)) {
    std::vector<std::size_t> shape;
    for (const gpt2::Axis axis : gpt2::logical_axes(gpt2::info(ref->node))) {
      shape.push_back(gpt2::length(axis, config, tokens));
    }
    if (ref->node != Node::kProjectionProduct) return {shape};
    return {shape, {config.head_count, shape[0], shape[1]}};
  }
  const gpt2::TensorStore& store = *find_tensor(model, std::get<std::string>(source));
  if (store.rows() == 1) return {{store.columns()}};
  return {{store.rows(), store.columns()}};
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t length : shape) text += (text.empty() ? "[" : ", ") + std::to_string(length);
  return text + "]";
}

}  // namespace

std::size_t Line::size() const noexcept {
  return (heads ? heads->size() : 1) * rows.size() * columns.size();
}

Cell Line::at(std::size_t index) const noexcept {
  Cell cell{source, std::nullopt, rows.first, columns.first};
  if (heads) cell.head = heads->first + (heads->size() > 1 ? index : 0);
  if (rows.size() > 1) cell.row += index;
  if (columns.size() > 1) cell.column += index;
  return cell;
}

std::string name(const Source& source) {
  if (const auto* ref = std::get_if<NodeRef>(&source)) return gpt2::full_name(*ref);
  return std::get<std::string>(source);
}

const gpt2::TensorStore* find_tensor(const gpt2::Model& model, std::string_view name) {
  const auto tensors = model.tensors();
  const auto found = std::ranges::find(
      tensors, name, [](const gpt2::TensorStore& store) -> std::string_view { return store.info().name; });
  return found == tensors.end() ? nullptr : &*found;
}

std::string text(const Cell& cell, const gpt2::Model& model) {
  std::string result = name(cell.source) + "[";
  if (cell.head) result += std::to_string(*cell.head) + ",";
  const auto* tensor = std::get_if<std::string>(&cell.source);
  const gpt2::TensorStore* store = tensor == nullptr ? nullptr : find_tensor(model, *tensor);
  if (store == nullptr || store->rows() > 1) result += std::to_string(cell.row) + ",";
  return result + std::to_string(cell.column) + "]";
}

Cell parse_cell(std::string_view text, const gpt2::Model& model, std::size_t tokens) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos || !text.ends_with(']')) {
    refuse(text, "no indices", "a name and indices, such as kq_soft_max-0[0,1,0]");
  }
  const std::string_view name = text.substr(0, bracket);
  const auto indices = parse_indices(text, text.substr(bracket + 1, text.size() - bracket - 2));

  Source source = std::string(name);
  if (find_tensor(model, name) == nullptr) source = gpt2::parse_node(name, model.config());
  std::string expected;
  for (const std::vector<std::size_t>& shape : shapes(source, model, tokens)) {
    if (std::ranges::equal(indices, shape, std::ranges::less{})) {
      const std::size_t count = indices.size();
      return {std::move(source), count == 3 ? std::optional(indices[0]) : std::nullopt,
              count >= 2 ? indices[count - 2] : 0, indices[count - 1]};
    }
    expected += (expected.empty() ? "indices within " : " or ") + shape_text(shape);
  }
  refuse(text, std::to_string(indices.size()) + " indices, or one too large", expected);
}

}  // namespace headflow::analysis
