#include "analysis/checks/golden.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace headflow::analysis {
namespace {

using Json = nlohmann::ordered_json;
using gpt2::Node;

constexpr std::array<std::pair<std::string_view, Node>, 3> kInputs = {
    {{"embd", Node::kTokenEmbedding}, {"pos_embd", Node::kPositionEmbedding}, {"inpL", Node::kInput}}};

constexpr std::array<std::pair<std::string_view, Node>, 6> kHeadNodes = {{{"kq", Node::kScores},
                                                                          {"softmax", Node::kProbabilities},
                                                                          {"Q", Node::kQuery},
                                                                          {"K", Node::kKey},
                                                                          {"V", Node::kValue},
                                                                          {"O", Node::kHeadOutput}}};

[[noreturn]] void refuse(const std::string& key, std::string got, std::string expected) {
  throw Error(ErrorCode::kMalformed, {"golden \"" + key + '"', std::move(got), std::move(expected)});
}

// Takes `word` and the number after it from the front of `text`, where they are there.
std::optional<std::size_t> take_number(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  std::size_t number = 0;
  const std::string_view rest = text.substr(word.size());
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (failure != std::errc{}) return std::nullopt;
  text = rest.substr(static_cast<std::size_t>(end - rest.data()));
  return number;
}

std::vector<KnownElement> elements(const std::string& key, const Json& row, std::size_t columns) {
  const bool gap = row.is_array() && std::ranges::find(row, Json("...")) != row.end();
  if (!row.is_array() || row.size() > columns + (gap ? 1 : 0)) {
    refuse(key, row.is_array() ? "a row of " + std::to_string(row.size()) : std::string(row.type_name()),
           "a row of at most " + std::to_string(columns) + " numbers");
  }
  std::vector<KnownElement> known;
  bool skipped = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].is_number()) {
      known.push_back({skipped ? columns - (row.size() - i) : i, row[i].get<double>()});
    } else if (row[i] == "..." && !skipped) {
      skipped = true;
    } else {
      refuse(key, row[i].type_name(), "a number, or one \"...\"");
    }
  }
  return known;
}

std::size_t columns_of(Node node, const gpt2::Config& config, std::size_t tokens) {
  return gpt2::length(gpt2::info(node).columns, config, tokens);
}

void append_rows(const std::string& key, const Json& rows, KnownRow from, std::size_t columns, std::size_t tokens,
                 std::vector<KnownRow>& out) {
  if (!rows.is_array() || from.row + rows.size() > tokens) {
    refuse(key, std::to_string(rows.size()) + " rows", "at most " + std::to_string(tokens));
  }
  for (const Json& row : rows) {
    from.elements = elements(key, row, columns);
    out.push_back(from);
    ++from.row;
  }
}

// "softmax head 0", "V head 0, first 3", "O head 0 query 1, first 3"
void append_head(const std::string& key, const Json& value, std::size_t block, const gpt2::Config& config,
                 std::size_t tokens, std::vector<KnownRow>& out) {
  const auto* const found = std::ranges::find_if(
      kHeadNodes, [&](const auto& node) { return key.starts_with(std::string(node.first) + ' '); });
  if (found == kHeadNodes.end()) refuse(key, "no such node", "kq, softmax, Q, K, V or O of a head");
  std::string_view rest = std::string_view(key).substr(found->first.size());
  const std::optional<std::size_t> head = take_number(rest, " head ");
  if (!head || *head >= config.head_count) refuse(key, "no such head", "\"" + std::string(found->first) + " head 0\"");
  const std::optional<std::size_t> query = take_number(rest, " query ");
  const std::optional<std::size_t> first = take_number(rest, ", first ");
  if (!rest.empty()) refuse(key, std::string(rest), "\" query N\" or \", first N\"");
  const KnownRow from{{found->second, block}, *head, query.value_or(0), {}};
  const std::size_t columns = columns_of(found->second, config, tokens);
  const Json rows = query ? Json::array({value}) : value;
  const std::size_t before = out.size();
  append_rows(key, rows, from, columns, tokens, out);
  for (std::size_t i = before; first && i < out.size(); ++i) {
    if (out[i].elements.size() != *first) refuse(key, "rows of other lengths", std::to_string(*first) + " numbers");
  }
}

}  // namespace

std::vector<KnownRow> known_rows(const Json& prompt, const gpt2::Config& config, std::size_t tokens) {
  std::vector<KnownRow> rows;
  for (const auto& [name, node] : kInputs) {
    const std::string key(name);
    if (!prompt.contains(key)) continue;
    append_rows(key, prompt.at(key), {{node, 0}, 0, 0, {}}, columns_of(node, config, tokens), tokens, rows);
  }
  for (const auto& [key, values] : prompt.items()) {
    std::string_view rest = key;
    const std::optional<std::size_t> block = take_number(rest, "block ");
    if (!block) continue;
    if (*block >= config.block_count || !rest.empty()) refuse(key, "no such block", "\"block 0\"");
    if (!values.is_object()) refuse(key, values.type_name(), "an object of rows");
    for (const auto& [name, value] : values.items()) append_head(name, value, *block, config, tokens, rows);
  }
  return rows;
}

bool is_row_key(std::string_view key) {
  const auto is_key = [key](const auto& input) {
    return input.first == key;
  };
  return key.starts_with("block ") || std::ranges::any_of(kInputs, is_key);
}

}  // namespace headflow::analysis
