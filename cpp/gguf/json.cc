#include "gguf/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace headflow::gguf {
namespace {

using nlohmann::ordered_json;

// A float32 as the shortest decimal number that is nearest to it: 0.1, not 0.10000000149011612.
double shortest(float value) {
  std::array<char, 32> digits{};
  std::to_chars(digits.data(), digits.data() + digits.size() - 1, value);
  return std::strtod(digits.data(), nullptr);
}

ordered_json number_json(double value, ValueType type) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return type == ValueType::kFloat32 ? shortest(static_cast<float>(value)) : value;
}

// Writes values, and remembers whether an array was cut.
class ValueWriter {
 public:
  explicit ValueWriter(std::size_t longest_array) : longest_array_(longest_array) {}

  ordered_json write(const Value& value) {
    return std::visit(
        [&]<typename Data>(const Data& data) -> ordered_json {
          if constexpr (std::is_same_v<Data, Array>) {
            return write(data);
          } else if constexpr (std::is_same_v<Data, double>) {
            return number_json(data, value.type);
          } else {
            return data;
          }
        },
        value.data);
  }
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  ordered_json write(const Array& array) {
    auto list = ordered_json::array();
    const std::size_t length = std::min(array.size(), longest_array_);
    cut_ = cut_ || length < array.size();
    std::visit(
        [&]<typename Element>(const std::vector<Element>& elements) {
          for (std::size_t i = 0; i < length; ++i) {
            if constexpr (std::is_same_v<Element, std::byte>) {
              list.push_back(write(array.number(i)));
            } else if constexpr (std::is_same_v<Element, Value>) {
              list.push_back(write(elements[i]));
            } else {
              list.push_back(elements[i]);
            }
          }
        },
        array.elements);
    return list;
  }

  std::size_t longest_array_;
  bool cut_ = false;
};

ordered_json entry_json(const Value& value, std::size_t longest_array) {
  ordered_json json = {{"type", type_name(value.type)}};
  const auto* const array = std::get_if<Array>(&value.data);
  if (array != nullptr) json["element_type"] = type_name(array->element_type);
  ValueWriter writer(longest_array);
  json["value"] = writer.write(value);
  if (array != nullptr && array->size() > longest_array) json["length"] = array->size();
  if (writer.cut()) json["cut"] = true;
  return json;
}

// JSON text, indented as nlohmann's dump(2) does, of which arrays are written element by element.
class Stream {
 public:
  explicit Stream(std::ostream& out) : out_(out) {}

  void open(char bracket) {
    out_ << bracket;
    depth_.push_back(true);
  }
  void close(char bracket) {
    const bool empty = depth_.back();
    depth_.pop_back();
    if (!empty) indent();
    out_ << bracket;
  }
  // What precedes an element of an array.
  void element() {
    if (!depth_.back()) out_ << ',';
    depth_.back() = false;
    indent();
  }
  void key(const std::string& name) {
    element();
    out_ << text(name) << ": ";
  }
  void value(const ordered_json& json) { out_ << text(json); }

 private:
  static std::string text(const ordered_json& json) {
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  void indent() { out_ << '\n' << std::string(2 * depth_.size(), ' '); }

  std::ostream& out_;
  std::vector<bool> depth_;  // Of each bracket that is open, whether nothing was written in it.
};

void stream(const Value& value, Stream& out);

void stream(const Array& array, Stream& out) {
  ValueWriter scalar(std::numeric_limits<std::size_t>::max());
  out.open('[');
  for (std::size_t i = 0; i < array.size(); ++i) {
    out.element();
    if (const auto* const nested = std::get_if<std::vector<Value>>(&array.elements)) {
      stream((*nested)[i], out);
    } else if (const auto* const strings = std::get_if<std::vector<std::string>>(&array.elements)) {
      out.value((*strings)[i]);
    } else {
      out.value(scalar.write(array.number(i)));
    }
  }
  out.close(']');
}

void stream(const Value& value, Stream& out) {
  if (const auto* const array = std::get_if<Array>(&value.data)) return stream(*array, out);
  out.value(ValueWriter(std::numeric_limits<std::size_t>::max()).write(value));
}

ordered_json tensor_json(const TensorInfo& tensor) {
  return {{"shape", tensor.shape}, {"type", type_name(tensor.type)}, {"offset", tensor.offset}, {"size", tensor.size}};
}

// Adds a member whose name is new: the object is a list, and looking for the name would take as long as it is.
void append(ordered_json& object, const std::string& name, ordered_json value) {
  object.get_ref<ordered_json::object_t&>().emplace_back(name, std::move(value));
}

}  // namespace

ordered_json to_json(const Header& header, std::size_t longest_array) {
  auto metadata = ordered_json::object();
  for (const MetadataEntry& entry : header.metadata)
    append(metadata, entry.key, entry_json(entry.value, longest_array));
  auto tensors = ordered_json::object();
  for (const TensorInfo& tensor : header.tensors) {
    append(tensors, tensor.name, tensor_json(tensor));
  }
  return {{"version", header.version},
          {"alignment", header.alignment},
          {"data_offset", header.data_offset},
          {"metadata", std::move(metadata)},
          {"tensors", std::move(tensors)}};
}

void write_json(const Header& header, std::ostream& out) {
  Stream json(out);
  json.open('{');
  json.key("version");
  json.value(header.version);
  json.key("alignment");
  json.value(header.alignment);
  json.key("data_offset");
  json.value(header.data_offset);
  json.key("metadata");
  json.open('{');
  for (const MetadataEntry& entry : header.metadata) {
    json.key(entry.key);
    json.open('{');
    json.key("type");
    json.value(type_name(entry.value.type));
    if (const auto* const array = std::get_if<Array>(&entry.value.data)) {
      json.key("element_type");
      json.value(type_name(array->element_type));
    }
    json.key("value");
    stream(entry.value, json);
    json.close('}');
  }
  json.close('}');
  json.key("tensors");
  json.open('{');
  for (const TensorInfo& tensor : header.tensors) {
    json.key(tensor.name);
    json.open('{');
    const ordered_json description = tensor_json(tensor);
    for (const auto& [key, value] : description.items()) {
      json.key(key);
      if (!value.is_array()) {
        json.value(value);
        continue;
      }
      json.open('[');
      for (const ordered_json& length : value) {
        json.element();
        json.value(length);
      }
      json.close(']');
    }
    json.close('}');
  }
  json.close('}');
  json.close('}');
  out << '\n';
}

}  // namespace headflow::gguf
