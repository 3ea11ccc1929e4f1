// For tests: writes GGUF files into memory, right ones and, on request, wrong ones.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gguf/header.h"

namespace headflow::gguf::testing {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

// The GGUF type that a C++ type is written as.
template <typename T>
constexpr ValueType type_of() {
  if constexpr (IsVector<T>::value) return ValueType::kArray;
  if constexpr (std::is_same_v<T, std::string>) return ValueType::kString;
  if constexpr (std::is_same_v<T, bool>) return ValueType::kBool;
  if constexpr (std::is_same_v<T, float>) return ValueType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return ValueType::kFloat64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ValueType::kUint8;
  if constexpr (std::is_same_v<T, std::int8_t>) return ValueType::kInt8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return ValueType::kUint16;
  if constexpr (std::is_same_v<T, std::int16_t>) return ValueType::kInt16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ValueType::kUint32;
  if constexpr (std::is_same_v<T, std::int32_t>) return ValueType::kInt32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return ValueType::kUint64;
  if constexpr (std::is_same_v<T, std::int64_t>) return ValueType::kInt64;
}

// Bytes in the order in which they were put.
class ByteWriter {
 public:
  // A number or bool as it lies in a file, a string with its length, an array with its type and count.
  template <typename T>
  ByteWriter& put(const T& value) {
    if constexpr (IsVector<T>::value) {
      using Element = typename T::value_type;
      put(type_of<Element>()).put(std::uint64_t{value.size()});
      for (const auto& element : value) put(static_cast<Element>(element));
    } else if constexpr (std::is_same_v<T, std::string>) {
      put(std::uint64_t{value.size()});
      put_bytes(std::as_bytes(std::span(value)));
    } else {
      put_bytes(std::as_bytes(std::span(&value, 1)));
    }
    return *this;
  }
  ByteWriter& put_bytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  // Zeros up to the next multiple.
  ByteWriter& align(std::uint64_t alignment) {
    bytes_.resize(static_cast<std::size_t>((bytes_.size() + alignment - 1) / alignment * alignment));
    return *this;
  }

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// GgufWriter().add("general.architecture", "gpt2").tensor("a", {2, 3}, TensorType::kF32, data).bytes()
class GgufWriter {
 public:
  GgufWriter& version(std::uint32_t number) {
    version_ = number;
    return *this;
  }
  // Also writes general.alignment, at this place.
  GgufWriter& alignment(std::uint32_t bytes) {
    alignment_ = bytes;
    return add("general.alignment", bytes);
  }
  // Counts in the preamble that are not those of what was added.
  GgufWriter& claim_counts(std::uint64_t tensors, std::uint64_t metadata) {
    claimed_counts_ = {tensors, metadata};
    return *this;
  }
  // The order in which the tensors' data lie, as indices into the directory. By default the directory's own.
  GgufWriter& data_order(std::vector<std::size_t> order) {
    data_order_ = std::move(order);
    return *this;
  }

  // A value under the GGUF type of its C++ type; std::vector for arrays, nested ones included.
  template <typename T>
  GgufWriter& add(const std::string& key, const T& value) {
    if constexpr (std::is_convertible_v<T, std::string_view> && !std::is_same_v<T, std::string>) {
      return add(key, std::string(value));
    } else {
      return add_raw(key, type_of<T>(), ByteWriter().put(value).bytes());
    }
  }
  // A value as these bytes, whatever they are.
  GgufWriter& add_raw(const std::string& key, ValueType type, std::span<const std::byte> value) {
    metadata_.put(key).put(type).put_bytes(value);
    ++metadata_count_;
    return *this;
  }

  // `offset`: what the directory says instead of where the data are.
  GgufWriter& tensor(std::string name, std::vector<std::uint64_t> shape, TensorType type,
                     std::span<const std::byte> data, std::optional<std::uint64_t> offset = std::nullopt) {
    tensors_.push_back({std::move(name), std::move(shape), type, {data.begin(), data.end()}, offset});
    return *this;
  }
  GgufWriter& tensor(std::string name, std::vector<std::uint64_t> shape, std::span<const float> data) {
    return tensor(std::move(name), std::move(shape), TensorType::kF32, std::as_bytes(data));
  }

  // The file up to the last tensor's directory entry.
  [[nodiscard]] std::vector<std::byte> header_bytes() const {
    ByteWriter writer;
    writer.put(kMagic).put(version_);
    const auto counts = claimed_counts_.value_or(std::pair{std::uint64_t{tensors_.size()}, metadata_count_});
    writer.put(counts.first).put(counts.second).put_bytes(metadata_.bytes());
    const std::vector<std::uint64_t> offsets = data_offsets();
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      writer.put(tensor.name).put(static_cast<std::uint32_t>(tensor.shape.size()));
      for (const std::uint64_t length : tensor.shape) writer.put(length);
      writer.put(tensor.type).put(tensor.offset.value_or(offsets[i]));
    }
    return writer.bytes();
  }

  [[nodiscard]] std::vector<std::byte> bytes() const {
    ByteWriter writer;
    writer.put_bytes(header_bytes());
    for (const std::size_t index : order()) writer.align(alignment_).put_bytes(tensors_[index].data);
    return writer.align(alignment_).bytes();
  }

 private:
  static constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"

  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> shape;
    TensorType type;
    std::vector<std::byte> data;
    std::optional<std::uint64_t> offset;
  };

  [[nodiscard]] std::vector<std::size_t> order() const {
    if (!data_order_.empty()) return data_order_;
    std::vector<std::size_t> all(tensors_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  [[nodiscard]] std::vector<std::uint64_t> data_offsets() const {
    std::vector<std::uint64_t> offsets(tensors_.size());
    std::uint64_t next = 0;
    for (const std::size_t index : order()) {
      offsets[index] = next;
      next = (next + tensors_[index].data.size() + alignment_ - 1) / alignment_ * alignment_;
    }
    return offsets;
  }

  std::uint32_t version_ = 3;
  std::uint64_t alignment_ = 32;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> claimed_counts_;
  std::vector<std::size_t> data_order_;
  ByteWriter metadata_;
  std::uint64_t metadata_count_ = 0;
  std::vector<Tensor> tensors_;
};

}  // namespace headflow::gguf::testing
