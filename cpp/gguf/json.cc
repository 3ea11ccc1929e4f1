#include "gguf/json.h"

#include <nlohmann/json.hpp>

namespace headflow::gguf {
namespace {

nlohmann::ordered_json value_json(const Value& value, std::size_t longest_array);

nlohmann::ordered_json array_json(const Array& array, std::size_t longest_array) {
  auto list = nlohmann::ordered_json::array();
  std::visit(
      [&](const auto& elements) {
        for (std::size_t i = 0; i < std::min(elements.size(), longest_array); ++i) {
          if constexpr (std::is_same_v<std::decay_t<decltype(elements[i])>, Value>) {
            list.push_back(value_json(elements[i], longest_array));
          } else if (array.element_type == ValueType::kBool) {
            list.push_back(elements[i] != decltype(elements[i]){});
          } else {
            list.push_back(elements[i]);
          }
        }
      },
      array.elements);
  return list;
}

nlohmann::ordered_json value_json(const Value& value, std::size_t longest_array) {
  if (const auto* const array = std::get_if<Array>(&value.data)) return array_json(*array, longest_array);
  return std::visit(
      [](const auto& scalar) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(scalar)>, Array>) {
          return nullptr;
        } else {
          return scalar;
        }
      },
      value.data);
}

}  // namespace

nlohmann::ordered_json to_json(const Header& header, std::size_t longest_array) {
  auto metadata = nlohmann::ordered_json::object();
  for (const MetadataEntry& entry : header.metadata) {
    nlohmann::ordered_json json = {{"type", type_name(entry.value.type)}, {"value", value_json(entry.value, longest_array)}};
    if (const auto* const array = std::get_if<Array>(&entry.value.data)) {
      json["element_type"] = type_name(array->element_type);
      if (array->size() > longest_array) {
        json["length"] = array->size();
        json["cut"] = true;
      }
    }
    metadata[entry.key] = std::move(json);
  }
  auto tensors = nlohmann::ordered_json::object();
  for (const TensorInfo& tensor : header.tensors) {
    tensors[tensor.name] = {
        {"shape", tensor.shape}, {"type", type_name(tensor.type)}, {"offset", tensor.offset}, {"size", tensor.size}};
  }
  return {{"version", header.version},         {"alignment", header.alignment}, {"data_offset", header.data_offset},
          {"metadata", std::move(metadata)}, {"tensors", std::move(tensors)}};
}

}  // namespace headflow::gguf
