#include "gguf/value_parser.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "gguf/number.h"
#include "gguf/printable.h"

namespace headflow::gguf {
namespace {

constexpr std::size_t kDeepestArray = 4;
constexpr std::size_t kArrayHeadBytes = 4 + 8;  // Element type and count.
constexpr std::uint64_t kAnyLength = std::numeric_limits<std::uint64_t>::max();

// The fewest bytes that a value of this type takes; 0 for a type that is none.
std::uint64_t smallest_size(ValueType type) {
  if (type == ValueType::kString) return sizeof(std::uint64_t);
  return type == ValueType::kArray ? kArrayHeadBytes : number_size(type);
}

}  // namespace

ValueType peek_type(const Cursor& cursor, const std::string& what, std::size_t skipped) {
  const auto type = cursor.peek<ValueType>(skipped);
  if (smallest_size(type) != 0) return type;
  throw Error(ErrorCode::kMalformed,
              {at(what, cursor.offset() + skipped), "value type " + std::to_string(static_cast<std::uint32_t>(type)),
               "a type from 0 to 12", "The file is damaged"});
}

bool ValueParser::parse(Cursor& cursor) {
  if (value_.type != ValueType::kArray) return parse_scalar(cursor);
  if (open_.empty() && !open_array(cursor)) return false;
  for (;;) {
    OpenArray& inner = open_.back();
    if (inner.array.element_type == ValueType::kArray && inner.left != 0) {
      if (!open_array(cursor)) return false;
      continue;
    }
    if (!fill(inner, cursor)) return false;
    Array whole = std::move(inner.array);
    open_.pop_back();
    if (open_.empty()) {
      value_.data = std::move(whole);
      return true;
    }
    OpenArray& outer = open_.back();
    std::get<std::vector<Value>>(outer.array.elements).push_back({ValueType::kArray, std::move(whole)});
    --outer.left;
  }
}

bool ValueParser::parse_scalar(Cursor& cursor) {
  if (value_.type == ValueType::kString) {
    if (!cursor.has_string(kAnyLength, what_)) return false;
    value_.data = cursor.take_string();
  } else {
    const std::size_t size = number_size(value_.type);
    if (!cursor.has(size, what_)) return false;
    const std::uint64_t offset = cursor.offset();
    const std::span<const std::byte> bytes = cursor.take_bytes(size);
    if (value_.type == ValueType::kBool) require_bools(bytes, offset);
    value_ = number_from(value_.type, bytes);
  }
  cursor.keep();
  return true;
}

void ValueParser::require_bools(std::span<const std::byte> bytes, std::uint64_t offset) const {
  const auto bad = std::ranges::find_if(bytes, [](std::byte byte) { return byte > std::byte{1}; });
  if (bad == bytes.end()) return;
  throw Error(ErrorCode::kMalformed,
              {at(what_, offset + static_cast<std::uint64_t>(bad - bytes.begin())),
               "a bool of " + std::to_string(std::to_integer<unsigned>(*bad)), "0 or 1", "The file is damaged"});
}

bool ValueParser::open_array(Cursor& cursor) {
  if (open_.size() == kDeepestArray) {
    throw Error(ErrorCode::kMalformed, {at(what_, cursor.offset()), "arrays nested deeper",
                                        "at most " + std::to_string(kDeepestArray) + " levels"});
  }
  if (!cursor.has(kArrayHeadBytes, what_)) return false;
  OpenArray open;
  open.array.element_type = peek_type(cursor, what_);
  open.left = cursor.peek<std::uint64_t>(sizeof(ValueType));
  cursor.require_room(open.left, smallest_size(open.array.element_type), what_, kArrayHeadBytes);
  if (open.array.element_type == ValueType::kString) open.array.elements = std::vector<std::string>();
  if (open.array.element_type == ValueType::kArray) open.array.elements = std::vector<Value>();
  open_.push_back(std::move(open));
  (void)cursor.take<ValueType>();
  (void)cursor.take<std::uint64_t>();
  cursor.keep();
  return true;
}

// No storage is reserved for what is still to come: a count is believed as far as its elements arrive.
bool ValueParser::fill(OpenArray& open, Cursor& cursor) const {
  switch (open.array.element_type) {
    case ValueType::kString: return fill_strings(open, cursor);
    case ValueType::kArray: return true;  // Each is opened by `parse`, and none is left.
    default: return fill_numbers(open, cursor);
  }
}

bool ValueParser::fill_numbers(OpenArray& open, Cursor& cursor) const {
  const std::size_t size = number_size(open.array.element_type);
  auto& elements = std::get<std::vector<std::byte>>(open.array.elements);
  while (open.left != 0) {
    if (!cursor.has(size, what_)) return false;
    const std::uint64_t offset = cursor.offset();
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(open.left, cursor.rest().size() / size));
    const std::span<const std::byte> bytes = cursor.take_bytes(count * size);
    if (open.array.element_type == ValueType::kBool) require_bools(bytes, offset);
    elements.insert(elements.end(), bytes.begin(), bytes.end());
    open.left -= count;
    cursor.keep();
  }
  return true;
}

bool ValueParser::fill_strings(OpenArray& open, Cursor& cursor) const {
  auto& elements = std::get<std::vector<std::string>>(open.array.elements);
  for (; open.left != 0; --open.left) {
    if (!cursor.has_string(kAnyLength, what_)) return false;
    elements.push_back(cursor.take_string());
    cursor.keep();
  }
  return true;
}

}  // namespace headflow::gguf
