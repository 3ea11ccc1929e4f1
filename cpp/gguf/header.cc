#include "gguf/header.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "gguf/number.h"
#include "gguf/printable.h"

namespace headflow::gguf {
namespace {

constexpr std::array<std::string_view, 13> kValueTypeNames = {"uint8",  "int8",    "uint16", "int16",  "uint32",
                                                              "int32",  "float32", "bool",   "string", "array",
                                                              "uint64", "int64",   "float64"};

const MetadataEntry& require(const Header& header, std::string_view key) {
  const auto found = std::ranges::find(header.metadata, key, &MetadataEntry::key);
  if (found == header.metadata.end()) {
    throw Error(ErrorCode::kMissingKey, {"metadata " + printable(key), "no such key in the file", "a value"});
  }
  return *found;
}

std::string describe(const Value& value) {
  std::string text(type_name(value.type));
  if (const auto* const array = std::get_if<Array>(&value.data)) {
    return text + " of " + std::string(type_name(array->element_type));
  }
  if (const auto* const number = std::get_if<std::int64_t>(&value.data)) text += ' ' + std::to_string(*number);
  return text;
}

[[noreturn]] void refuse(const MetadataEntry& entry, std::string expected) {
  throw Error(ErrorCode::kMalformed,
              {at("metadata " + printable(entry.key), entry.offset), describe(entry.value), std::move(expected)});
}

}  // namespace

std::size_t Array::size() const {
  const std::size_t count = std::visit([](const auto& list) { return list.size(); }, elements);
  return std::holds_alternative<std::vector<std::byte>>(elements) ? count / number_size(element_type) : count;
}

Value Array::number(std::size_t index) const {
  const std::size_t size = number_size(element_type);
  return number_from(element_type, std::span(std::get<std::vector<std::byte>>(elements)).subspan(index * size, size));
}

std::string_view type_name(ValueType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kValueTypeNames.size() ? kValueTypeNames[index] : "unknown";
}

const Value* Header::find(std::string_view key) const {
  const auto found = std::ranges::find(metadata, key, &MetadataEntry::key);
  return found == metadata.end() ? nullptr : &found->value;
}

const TensorInfo* Header::tensor(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &TensorInfo::name);
  return found == tensors.end() ? nullptr : &*found;
}

std::uint64_t Header::unsigned_integer(std::string_view key) const {
  const MetadataEntry& entry = require(*this, key);
  if (const auto* const value = std::get_if<std::uint64_t>(&entry.value.data)) return *value;
  if (const auto* const value = std::get_if<std::int64_t>(&entry.value.data); value != nullptr && *value >= 0) {
    return static_cast<std::uint64_t>(*value);
  }
  refuse(entry, "an integer of 0 or more");
}

double Header::number(std::string_view key) const {
  const MetadataEntry& entry = require(*this, key);
  if (const auto* const value = std::get_if<double>(&entry.value.data)) return *value;
  if (const auto* const value = std::get_if<std::uint64_t>(&entry.value.data)) return static_cast<double>(*value);
  if (const auto* const value = std::get_if<std::int64_t>(&entry.value.data)) return static_cast<double>(*value);
  refuse(entry, "a number");
}

const std::string& Header::string(std::string_view key) const {
  const MetadataEntry& entry = require(*this, key);
  if (const auto* const value = std::get_if<std::string>(&entry.value.data)) return *value;
  refuse(entry, "a string");
}

const std::vector<std::string>& Header::strings(std::string_view key) const {
  const MetadataEntry& entry = require(*this, key);
  if (const auto* const array = std::get_if<Array>(&entry.value.data)) {
    if (const auto* const list = std::get_if<std::vector<std::string>>(&array->elements)) return *list;
  }
  refuse(entry, "an array of strings");
}

}  // namespace headflow::gguf
