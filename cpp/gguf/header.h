// What a GGUF file says before its tensor data: metadata and the tensor directory.
// Format: the GGUF specification of the ggml project, versions 2 and 3, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/byte_range.h"

namespace headflow::gguf {

enum class ValueType : std::uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

struct Value;

// Elements all of one type, as the file declares it. Strings are bytes; they need not be UTF-8.
struct Array {
  ValueType element_type = ValueType::kUint8;
  // Numbers and bools as their bytes in the file, so that they take no more room than there; strings; nested arrays.
  std::variant<std::vector<std::byte>, std::vector<std::string>, std::vector<Value>> elements;

  [[nodiscard]] std::size_t size() const;
  // One element of an array of numbers or bools.
  [[nodiscard]] Value number(std::size_t index) const;
};

// A metadata value with the type that the file gives it.
struct Value {
  ValueType type = ValueType::kUint8;
  std::variant<std::uint64_t, std::int64_t, double, bool, std::string, Array> data;
};

struct MetadataEntry {
  std::string key;
  Value value;
  std::uint64_t offset = 0;  // Of the key's length field, in the file.
};

// ggml's numbers for tensor types; only F32, F16 and Q8_0 can be computed with, the rest can be listed.
enum class TensorType : std::uint32_t { kF32 = 0, kF16 = 1, kQ8_0 = 8 };

// ggml's name of a type ("F32", "Q8_0", "Q4_K", ...), or "type N" for one unknown here.
[[nodiscard]] std::string type_name(TensorType type);
[[nodiscard]] std::string_view type_name(ValueType type);

struct TensorInfo {
  std::string name;
  std::vector<std::uint64_t> shape;  // GGUF order: the contiguous axis first ({D, V} for token_embd).
  TensorType type = TensorType::kF32;
  std::uint64_t offset = 0;  // Of the first data byte, from the start of the *file*.
  std::uint64_t size = 0;    // Bytes; 0 where the type is unknown here.

  [[nodiscard]] ByteRange bytes() const { return {offset, offset + size}; }
};

// A header that was read whole and found consistent.
struct Header {
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::uint64_t data_offset = 0;        // Where tensor data starts: the header's own size, aligned.
  std::uint64_t end_offset = 0;         // One past the last tensor's last byte; the header's own size without tensors.
  std::vector<MetadataEntry> metadata;  // In file order.
  std::vector<TensorInfo> tensors;      // In file order.

  // Null where there is none.
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] const TensorInfo* tensor(std::string_view name) const;

  // Typed access: the value converted to the asked kind, or an Error naming key, offset, got and expected.
  [[nodiscard]] std::uint64_t unsigned_integer(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key) const;
  [[nodiscard]] const std::string& string(std::string_view key) const;
  [[nodiscard]] const std::vector<std::string>& strings(std::string_view key) const;
};

}  // namespace headflow::gguf
