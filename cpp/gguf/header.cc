#include "gguf/header.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"

namespace headflow::gguf {
namespace {

constexpr std::array<std::string_view, 13> kValueTypeNames = {"uint8",   "int8", "uint16", "int16", "uint32", "int32", "float32",
                                                              "bool",    "string", "array", "uint64", "int64", "float64"};

std::string where(std::string_view key, const MetadataEntry* entry) {
  std::string text = "metadata " + std::string(key);
  if (entry != nullptr) text += ", at byte " + std::to_string(entry->offset);
  return text;
}

const MetadataEntry& require(const Header& header, std::string_view key) {
  const auto found = std::ranges::find(header.metadata, key, &MetadataEntry::key);
  if (found == header.metadata.end()) {
    throw Error(ErrorCode::kMissingKey, {where(key, nullptr), "no such key in the file", "one, as every GPT-2 has"});
  }
  return *found;
}

[[noreturn]] void refuse(std::string_view key, const MetadataEntry& entry, std::string expected) {
  throw Error(ErrorCode::kMalformed,
              {where(key, &entry), "a value of type " + std::string(type_name(entry.value.type)), std::move(expected)});
}

}  // namespace

std::size_t Array::size() const {
  return std::visit([](const auto& list) { return list.size(); }, elements);
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
  refuse(key, entry, "an integer of 0 or more");
}

double Header::number(std::string_view key) const {
  const MetadataEntry& entry = require(*this, key);
  if (const auto* const value = std::get_if<double>(&entry.value.data)) return *value;
  if (const auto* const value = std::get_if<std::uint64_t>(&entry.value.data)) return static_cast<double>(*value);
  if (const auto* const value = std::get_if<std::int64_t>(&entry.value.data)) return static_cast<double>(*value);
  refuse(key, entry, "a number");
}

const std::string& Header::string(std::string_view key) const {
  const MetadataEntry& entry = require(*this, key);
  if (const auto* const value = std::get_if<std::string>(&entry.value.data)) return *value;
  refuse(key, entry, "a string");
}

const std::vector<std::string>& Header::strings(std::string_view key) const {
  const MetadataEntry& entry = require(*this, key);
  if (const auto* const array = std::get_if<Array>(&entry.value.data)) {
    if (const auto* const list = std::get_if<std::vector<std::string>>(&array->elements)) return *list;
  }
  refuse(key, entry, "an array of strings");
}

}  // namespace headflow::gguf
