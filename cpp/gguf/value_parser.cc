#include "gguf/value_parser.h"

#include <limits>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "gguf/printable.h"

namespace headflow::gguf {
namespace {

constexpr std::size_t kDeepestArray = 4;
constexpr std::size_t kArrayHeadBytes = 4 + 8;  // Element type and count.
constexpr std::uint64_t kAnyLength = std::numeric_limits<std::uint64_t>::max();

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
    case ValueType::kArray: return kArrayHeadBytes;
  }
  return 0;
}

// Calls `function` with the std::type_identity of the C++ type that stands for a GGUF type.
template <typename Function>
auto with_stored_type(ValueType type, Function function) {
  switch (type) {
    case ValueType::kUint8: return function(std::type_identity<std::uint8_t>());
    case ValueType::kInt8: return function(std::type_identity<std::int8_t>());
    case ValueType::kUint16: return function(std::type_identity<std::uint16_t>());
    case ValueType::kInt16: return function(std::type_identity<std::int16_t>());
    case ValueType::kUint32: return function(std::type_identity<std::uint32_t>());
    case ValueType::kInt32: return function(std::type_identity<std::int32_t>());
    case ValueType::kFloat32: return function(std::type_identity<float>());
    case ValueType::kBool: return function(std::type_identity<bool>());
    case ValueType::kString: return function(std::type_identity<std::string>());
    case ValueType::kUint64: return function(std::type_identity<std::uint64_t>());
    case ValueType::kInt64: return function(std::type_identity<std::int64_t>());
    case ValueType::kFloat64: return function(std::type_identity<double>());
    case ValueType::kArray: break;
  }
  return function(std::type_identity<Value>());
}

// The type that elements of an array are kept as.
template <typename Stored>
using Kept =
    std::conditional_t<!std::is_arithmetic_v<Stored>, Stored,
                       std::conditional_t<std::is_floating_point_v<Stored>, double,
                                          std::conditional_t<std::is_signed_v<Stored>, std::int64_t, std::uint64_t>>>;

}  // namespace

ValueType peek_type(const Cursor& cursor, const std::string& what, std::size_t skipped) {
  const auto type = cursor.peek<ValueType>(skipped);
  if (smallest_size(type) != 0) return type;
  throw Error(ErrorCode::kMalformed,
              {at(what, cursor.offset() + skipped), "value type " + std::to_string(static_cast<std::uint32_t>(type)),
               "a type from 0 to 12", "The file is damaged"});
}

template <typename Stored>
bool ValueParser::has(Cursor& cursor) const {
  if constexpr (std::is_same_v<Stored, std::string>) {
    return cursor.has_string(kAnyLength, what_);
  } else {
    return cursor.has(sizeof(Stored), what_);
  }
}

template <typename Stored>
Stored ValueParser::take(Cursor& cursor) const {
  if constexpr (std::is_same_v<Stored, std::string>) {
    return cursor.take_string();
  } else if constexpr (std::is_same_v<Stored, bool>) {
    if (const auto value = cursor.peek<std::uint8_t>(); value > 1) {
      throw Error(ErrorCode::kMalformed,
                  {at(what_, cursor.offset()), "a bool of " + std::to_string(value), "0 or 1", "The file is damaged"});
    }
    return cursor.take<std::uint8_t>() == 1;
  } else {
    return cursor.take<Stored>();
  }
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
  return with_stored_type(value_.type, [&]<typename Stored>(std::type_identity<Stored>) {
    if constexpr (std::is_same_v<Stored, Value>) {
      return false;  // An array, which is no scalar.
    } else {
      if (!has<Stored>(cursor)) return false;
      if constexpr (std::is_same_v<Stored, bool>) {
        value_.data = take<bool>(cursor);
      } else {
        value_.data = Kept<Stored>(take<Stored>(cursor));
      }
      cursor.keep();
      return true;
    }
  });
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
  with_stored_type(open.array.element_type, [&]<typename Stored>(std::type_identity<Stored>) {
    open.array.elements = std::vector<Kept<Stored>>();
  });
  open_.push_back(std::move(open));
  (void)cursor.take<ValueType>();
  (void)cursor.take<std::uint64_t>();
  cursor.keep();
  return true;
}

// No storage is reserved for what is still to come: a count is believed as far as its elements arrive.
bool ValueParser::fill(OpenArray& open, Cursor& cursor) const {
  return with_stored_type(open.array.element_type, [&]<typename Stored>(std::type_identity<Stored>) {
    if constexpr (!std::is_same_v<Stored, Value>) {
      auto& elements = std::get<std::vector<Kept<Stored>>>(open.array.elements);
      for (; open.left != 0; --open.left) {
        if (!has<Stored>(cursor)) return false;
        elements.push_back(Kept<Stored>(take<Stored>(cursor)));
        cursor.keep();
      }
    }
    return true;
  });
}

}  // namespace headflow::gguf
