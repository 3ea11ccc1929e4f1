#include "gpt2/graph_json.h"

#include <nlohmann/json.hpp>

namespace headflow::gpt2 {
namespace {

nlohmann::ordered_json symbols(std::span<const Axis> axes, const Config& config) {
  auto list = nlohmann::ordered_json::array();
  for (const Axis axis : axes) list.push_back(symbol(axis, config));
  return list;
}

nlohmann::ordered_json lengths(std::span<const Axis> axes, const Config& config, std::size_t tokens) {
  auto list = nlohmann::ordered_json::array();
  for (const Axis axis : axes) list.push_back(length(axis, config, tokens));
  return list;
}

}  // namespace

nlohmann::ordered_json to_json(NodeRef ref, const Config& config, std::size_t tokens) {
  const NodeInfo& node = info(ref.node);
  const std::vector<Axis> logical = logical_axes(node);
  const std::vector<Axis> ggml = ggml_axes(node);
  nlohmann::ordered_json json = {
      {"symbol", node.symbol},
      {"axes", symbols(logical, config)},
      {"shape", lengths(logical, config, tokens)},
      {"ggml_axes", symbols(ggml, config)},
      {"ggml_shape", lengths(ggml, config, tokens)},
      {"ours", node.ours},
  };
  if (node.view) {
    const std::size_t offset = node.view->offset_in_widths * config.embedding_length;
    json["view"] = {
        {"base", full_name({node.view->base, ref.block})},
        {"offset_elements", offset},
        {"offset_bytes", offset * sizeof(float)},
        {"strides_bytes",
         {sizeof(float), config.head_dim * sizeof(float), 3 * config.embedding_length * sizeof(float)}},
    };
  }
  return json;
}

}  // namespace headflow::gpt2
