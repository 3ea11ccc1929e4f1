#include "gguf/parse.h"

#include <utility>

#include "base/error.h"
#include "gguf/magic.h"
#include "gguf/printable.h"
#include "gguf/tensor_types.h"
#include "gguf/value_parser.h"

namespace headflow::gguf {
namespace {

constexpr std::uint64_t kLongestName = 65535;  // The specification's limit for keys.
constexpr std::uint32_t kMostDimensions = 4;
constexpr std::uint64_t kSmallestEntry = 8 + 4 + 1;           // Empty key, value of one byte.
constexpr std::uint64_t kSmallestTensor = 8 + 4 + 8 + 4 + 8;  // Empty name, one dimension.
// So many elements, or bytes before the data, leave every sum and product with them below 2^64.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 56;
constexpr std::uint64_t kLargestOffset = std::uint64_t{1} << 62;

[[noreturn]] void refuse_version(std::uint32_t version, std::uint64_t offset) {
  const bool swapped = version != 0 && (version & 0xFFFFU) == 0;
  throw Error(ErrorCode::kUnsupportedVersion,
              {at("GGUF version", offset), swapped ? "a big-endian file" : "version " + std::to_string(version),
               "version 2 or 3, little-endian",
               version == 1 ? "The file is older than August 2023: convert the model again"
                            : "Convert the model again, for a little-endian machine"});
}

// The shape; the product of its lengths is small enough to count bytes with.
std::vector<std::uint64_t> take_shape(Cursor& cursor, std::uint32_t dimensions, const std::string& what) {
  std::vector<std::uint64_t> shape(dimensions);
  std::uint64_t elements = 1;
  for (std::uint64_t& length : shape) {
    const std::uint64_t offset = cursor.offset();
    length = cursor.take<std::uint64_t>();
    if (length == 0 || length > kMostElements / elements) {
      throw Error(ErrorCode::kMalformed, {at(what, offset), "a dimension of " + std::to_string(length),
                                          "none of 0, and at most 2^56 elements in all", "The file is damaged"});
    }
    elements *= length;
  }
  return shape;
}

}  // namespace

std::optional<Preamble> parse_preamble(Cursor& cursor) {
  if (!cursor.has(kPreambleBytes, "GGUF header")) return std::nullopt;
  require_gguf(cursor.rest());
  (void)cursor.take<std::uint32_t>();
  const std::uint64_t version_offset = cursor.offset();
  Preamble preamble;
  preamble.version = cursor.take<std::uint32_t>();
  if (preamble.version != 2 && preamble.version != 3) refuse_version(preamble.version, version_offset);
  preamble.tensor_count = cursor.peek<std::uint64_t>();
  cursor.require_room(preamble.tensor_count, kSmallestTensor, "number of tensors", 16);
  (void)cursor.take<std::uint64_t>();
  preamble.metadata_count = cursor.peek<std::uint64_t>();
  cursor.require_room(preamble.metadata_count, kSmallestEntry, "number of metadata entries", 8);
  (void)cursor.take<std::uint64_t>();
  cursor.keep();
  return preamble;
}

std::optional<EntryHead> parse_entry_head(Cursor& cursor) {
  if (!cursor.has_string(kLongestName, "metadata key")) return std::nullopt;
  EntryHead head;
  head.key = cursor.take_string();
  const std::string what = "metadata " + printable(head.key);
  if (!cursor.has(sizeof head.type, what)) return std::nullopt;
  head.type = peek_type(cursor, what);
  (void)cursor.take<ValueType>();
  cursor.keep();
  return head;
}

std::optional<TensorInfo> parse_tensor(Cursor& cursor, std::uint64_t alignment) {
  if (!cursor.has_string(kLongestName, "tensor name")) return std::nullopt;
  TensorInfo tensor;
  tensor.name = cursor.take_string();
  const std::string what = "tensor " + printable(tensor.name);
  if (!cursor.has(4, what)) return std::nullopt;
  const auto dimensions = cursor.peek<std::uint32_t>();
  if (dimensions == 0 || dimensions > kMostDimensions) {
    throw Error(ErrorCode::kMalformed, {at(what, cursor.offset()), std::to_string(dimensions) + " dimensions",
                                        "1 to " + std::to_string(kMostDimensions), "The file is damaged"});
  }
  if (!cursor.has(4 + 8 * std::size_t{dimensions} + 4 + 8, what)) return std::nullopt;
  (void)cursor.take<std::uint32_t>();
  const std::uint64_t shape_offset = cursor.offset();
  tensor.shape = take_shape(cursor, dimensions, what);
  tensor.type = cursor.take<TensorType>();
  const TensorTypeInfo* const type = find_type(tensor.type);
  if (type != nullptr && tensor.shape.front() % type->block_elements != 0) {
    throw Error(ErrorCode::kBadShape,
                {at(what, shape_offset), "rows of " + std::to_string(tensor.shape.front()) + " elements",
                 "a multiple of " + std::to_string(type->block_elements) + ", as " + std::string(type->name) + " has"});
  }
  tensor.size = type != nullptr ? stored_size(*type, tensor.shape) : 0;
  const std::uint64_t offset = cursor.offset();
  tensor.offset = cursor.take<std::uint64_t>();
  if (tensor.offset % alignment != 0 || tensor.offset > kLargestOffset) {
    throw Error(ErrorCode::kMalformed,
                {at(what, offset), "data at offset " + std::to_string(tensor.offset),
                 "a multiple of the alignment, " + std::to_string(alignment) + ", below 2^62", "The file is damaged"});
  }
  cursor.keep();
  return tensor;
}

}  // namespace headflow::gguf
