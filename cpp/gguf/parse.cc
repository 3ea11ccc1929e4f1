#include "gguf/parse.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "gguf/tensor_types.h"

namespace headflow::gguf {
namespace {

constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint64_t kLongestKey = 65535;
constexpr std::uint64_t kLongestName = 1024;  // Of a tensor; ggml itself stops at 64.
constexpr std::uint32_t kMostDimensions = 4;
constexpr int kDeepestArray = 4;
constexpr std::uint64_t kSmallestTensor = 8 + 4 + 8 + 4 + 8;  // Empty name, one dimension.
constexpr std::uint64_t kSmallestEntry = 8 + 4 + 1;

std::string at(const std::string& what, std::uint64_t offset) { return what + ", at byte " + std::to_string(offset); }

// What a file that is no GGUF looks like, by its first bytes.
std::string guess(std::uint32_t magic) {
  const auto bytes = std::bit_cast<std::array<char, 4>>(magic);
  const std::string_view start(bytes.data(), bytes.size());
  if (start == "vers") return "This looks like a Git LFS pointer: fetch the file that it points to";
  if (start.starts_with("<") || start.starts_with("\n<")) return "This looks like a web page: check the address";
  if (start.starts_with("\x1f\x8b")) return "This looks like gzip: unpack it first";
  if (start.starts_with("PK")) return "This looks like a zip archive (as PyTorch's checkpoints are): convert it to GGUF";
  if (start.starts_with("{")) return "This looks like JSON: check the address";
  return "Headflow reads GGUF files";
}

std::optional<std::string> parse_string(Cursor& cursor, const std::string& what, std::uint64_t longest) {
  if (!cursor.has(1, 8, what)) return std::nullopt;
  const std::uint64_t offset = cursor.offset();
  const auto size = cursor.take<std::uint64_t>();
  if (size > longest) {
    throw Error(ErrorCode::kMalformed, {at(what, offset), "a length of " + std::to_string(size),
                                        "at most " + std::to_string(longest), "The file is damaged"});
  }
  if (!cursor.has(size, 1, what)) return std::nullopt;
  return cursor.take_string(static_cast<std::size_t>(size));
}

// The fewest bytes that a value of this type takes; 0 for a type that is none.
std::uint64_t smallest_size(ValueType type) {
  switch (type) {
    case ValueType::kUint8:
    case ValueType::kInt8:
    case ValueType::kBool: return 1;
    case ValueType::kUint16:
    case ValueType::kInt16: return 2;
    case ValueType::kUint32:
    case ValueType::kInt32:
    case ValueType::kFloat32: return 4;
    case ValueType::kUint64:
    case ValueType::kInt64:
    case ValueType::kFloat64:
    case ValueType::kString: return 8;
    case ValueType::kArray: return 12;
  }
  return 0;
}

ValueType take_type(Cursor& cursor, const std::string& what) {
  const std::uint64_t offset = cursor.offset();
  const auto type = static_cast<ValueType>(cursor.take<std::uint32_t>());
  if (smallest_size(type) == 0) {
    throw Error(ErrorCode::kMalformed, {at(what, offset), "value type " + std::to_string(static_cast<std::uint32_t>(type)),
                                        "a type from 0 to 12", "The file is damaged"});
  }
  return type;
}

bool is_unsigned(ValueType type) {
  return type == ValueType::kUint8 || type == ValueType::kUint16 || type == ValueType::kUint32 || type == ValueType::kUint64;
}

bool is_floating(ValueType type) { return type == ValueType::kFloat32 || type == ValueType::kFloat64; }

std::uint64_t take_unsigned(Cursor& cursor, ValueType type) {
  switch (smallest_size(type)) {
    case 1: return cursor.take<std::uint8_t>();
    case 2: return cursor.take<std::uint16_t>();
    case 4: return cursor.take<std::uint32_t>();
    default: return cursor.take<std::uint64_t>();
  }
}

std::int64_t take_signed(Cursor& cursor, ValueType type) {
  switch (smallest_size(type)) {
    case 1: return cursor.take<std::int8_t>();
    case 2: return cursor.take<std::int16_t>();
    case 4: return cursor.take<std::int32_t>();
    default: return cursor.take<std::int64_t>();
  }
}

double take_floating(Cursor& cursor, ValueType type) {
  return type == ValueType::kFloat32 ? static_cast<double>(cursor.take<float>()) : cursor.take<double>();
}

bool take_bool(Cursor& cursor, const std::string& what) {
  const std::uint64_t offset = cursor.offset();
  const auto value = cursor.take<std::uint8_t>();
  if (value > 1) {
    throw Error(ErrorCode::kMalformed, {at(what, offset), "a bool of " + std::to_string(value), "0 or 1", "The file is damaged"});
  }
  return value == 1;
}

std::optional<Value> parse_value(Cursor& cursor, ValueType type, const std::string& what, int depth);

std::optional<Value> parse_array(Cursor& cursor, const std::string& what, int depth) {
  const std::uint64_t offset = cursor.offset();
  if (depth == kDeepestArray) {
    throw Error(ErrorCode::kMalformed, {at(what, offset), "arrays nested deeper", "at most " + std::to_string(kDeepestArray) + " levels"});
  }
  if (!cursor.has(1, 12, what)) return std::nullopt;
  Array array{take_type(cursor, what), {}};
  const auto count = cursor.take<std::uint64_t>();
  if (!cursor.has(count, smallest_size(array.element_type), what)) return std::nullopt;
  const auto size = static_cast<std::size_t>(count);
  const ValueType type = array.element_type;

  // Fills a list from elements of fixed size, which are all there.
  const auto fill = [&](auto list, auto take) {
    list.reserve(size);
    for (std::size_t i = 0; i < size; ++i) list.push_back(take());
    array.elements = std::move(list);
  };
  if (is_unsigned(type)) {
    fill(std::vector<std::uint64_t>(), [&] { return take_unsigned(cursor, type); });
  } else if (is_floating(type)) {
    fill(std::vector<double>(), [&] { return take_floating(cursor, type); });
  } else if (type == ValueType::kBool) {
    fill(std::vector<std::uint64_t>(), [&] { return std::uint64_t{take_bool(cursor, what)}; });
  } else if (type == ValueType::kString) {
    std::vector<std::string> list;
    list.reserve(size);
    while (list.size() < size) {
      // Every string that is left takes at least its length field.
      if (!cursor.has(size - list.size(), 8, what)) return std::nullopt;
      std::optional<std::string> text = parse_string(cursor, what, std::numeric_limits<std::uint64_t>::max());
      if (!text) return std::nullopt;
      list.push_back(std::move(*text));
    }
    array.elements = std::move(list);
  } else if (type == ValueType::kArray) {
    std::vector<Value> list;
    while (list.size() < size) {
      std::optional<Value> value = parse_array(cursor, what, depth + 1);
      if (!value) return std::nullopt;
      list.push_back(std::move(*value));
    }
    array.elements = std::move(list);
  } else {
    fill(std::vector<std::int64_t>(), [&] { return take_signed(cursor, type); });
  }
  return Value{ValueType::kArray, std::move(array)};
}

std::optional<Value> parse_value(Cursor& cursor, ValueType type, const std::string& what, int depth) {
  if (type == ValueType::kArray) return parse_array(cursor, what, depth);
  if (type == ValueType::kString) {
    std::optional<std::string> text = parse_string(cursor, what, std::numeric_limits<std::uint64_t>::max());
    if (!text) return std::nullopt;
    return Value{type, std::move(*text)};
  }
  if (!cursor.has(1, smallest_size(type), what)) return std::nullopt;
  if (is_unsigned(type)) return Value{type, take_unsigned(cursor, type)};
  if (is_floating(type)) return Value{type, take_floating(cursor, type)};
  if (type == ValueType::kBool) return Value{type, take_bool(cursor, what)};
  return Value{type, take_signed(cursor, type)};
}

}  // namespace

std::optional<Preamble> parse_preamble(Cursor& cursor) {
  if (!cursor.has(1, 4, "GGUF header")) return std::nullopt;
  if (const auto magic = cursor.take<std::uint32_t>(); magic != kMagic) {
    throw Error(ErrorCode::kBadMagic, {"byte 0", "another beginning", "the letters GGUF", guess(magic)});
  }
  if (!cursor.has(1, 4 + 8 + 8, "GGUF header")) return std::nullopt;
  Preamble preamble;
  preamble.version = cursor.take<std::uint32_t>();
  if (preamble.version != 2 && preamble.version != 3) {
    const bool swapped = preamble.version == 0x02000000U || preamble.version == 0x03000000U;
    throw Error(ErrorCode::kUnsupportedVersion,
                {"GGUF version, at byte 4", swapped ? "a big-endian file" : std::to_string(preamble.version), "2 or 3",
                 swapped ? "Convert it to little-endian" : "Convert the file with a current tool"});
  }
  preamble.tensor_count = cursor.take<std::uint64_t>();
  preamble.metadata_count = cursor.take<std::uint64_t>();
  // The file must be able to hold them; they need not be here yet.
  (void)cursor.has(preamble.tensor_count, kSmallestTensor, "tensor count");
  (void)cursor.has(preamble.metadata_count, kSmallestEntry, "metadata count");
  return preamble;
}

std::optional<MetadataEntry> parse_metadata(Cursor& cursor) {
  MetadataEntry entry;
  entry.offset = cursor.offset();
  std::optional<std::string> key = parse_string(cursor, "metadata key", kLongestKey);
  if (!key) return std::nullopt;
  entry.key = std::move(*key);
  const std::string what = "metadata " + entry.key;
  if (!cursor.has(1, 4, what)) return std::nullopt;
  const ValueType type = take_type(cursor, what);
  std::optional<Value> value = parse_value(cursor, type, what, 0);
  if (!value) return std::nullopt;
  entry.value = std::move(*value);
  return entry;
}

std::optional<TensorInfo> parse_tensor(Cursor& cursor) {
  std::optional<std::string> name = parse_string(cursor, "tensor name", kLongestName);
  if (!name) return std::nullopt;
  TensorInfo tensor;
  tensor.name = std::move(*name);
  const std::string what = "tensor " + tensor.name;
  if (!cursor.has(1, 4, what)) return std::nullopt;
  const std::uint64_t offset = cursor.offset();
  const auto dimensions = cursor.take<std::uint32_t>();
  if (dimensions == 0 || dimensions > kMostDimensions) {
    throw Error(ErrorCode::kMalformed, {at(what, offset), std::to_string(dimensions) + " dimensions",
                                        "1 to " + std::to_string(kMostDimensions), "The file is damaged"});
  }
  if (!cursor.has(1, 8 * std::uint64_t{dimensions} + 4 + 8, what)) return std::nullopt;
  std::uint64_t elements = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const auto length = cursor.take<std::uint64_t>();
    // 2^56 elements of any type still have their bytes counted in 64 bits.
    if (length == 0 || length > (std::uint64_t{1} << 56) / elements) {
      throw Error(ErrorCode::kMalformed, {at(what, offset), "a dimension of " + std::to_string(length),
                                          "one that is not 0, and fewer than 2^56 elements in all", "The file is damaged"});
    }
    elements *= length;
    tensor.shape.push_back(length);
  }
  tensor.type = static_cast<TensorType>(cursor.take<std::uint32_t>());
  tensor.offset = cursor.take<std::uint64_t>();
  if (const TensorTypeInfo* const type = find_type(tensor.type)) {
    if (tensor.shape.front() % type->block_elements != 0) {
      throw Error(ErrorCode::kBadShape, {at(what, offset), "rows of " + std::to_string(tensor.shape.front()) + " elements",
                                         "a multiple of " + std::to_string(type->block_elements) + ", for " + std::string(type->name)});
    }
    tensor.size = elements / type->block_elements * type->block_bytes;
  }
  return tensor;
}

}  // namespace headflow::gguf
