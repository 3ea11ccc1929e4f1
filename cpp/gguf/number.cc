#include "gguf/number.h"

#include <bit>
#include <cstring>

namespace headflow::gguf {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in the file");

template <typename T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.first(sizeof value).data(), sizeof value);
  return value;
}

}  // namespace

std::size_t number_size(ValueType type) noexcept {
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
    case ValueType::kFloat64: return 8;
    case ValueType::kString:
    case ValueType::kArray: break;
  }
  return 0;
}

Value number_from(ValueType type, std::span<const std::byte> bytes) {
  switch (type) {
    case ValueType::kUint8: return {type, std::uint64_t{load<std::uint8_t>(bytes)}};
    case ValueType::kInt8: return {type, std::int64_t{load<std::int8_t>(bytes)}};
    case ValueType::kUint16: return {type, std::uint64_t{load<std::uint16_t>(bytes)}};
    case ValueType::kInt16: return {type, std::int64_t{load<std::int16_t>(bytes)}};
    case ValueType::kUint32: return {type, std::uint64_t{load<std::uint32_t>(bytes)}};
    case ValueType::kInt32: return {type, std::int64_t{load<std::int32_t>(bytes)}};
    case ValueType::kFloat32: return {type, double{load<float>(bytes)}};
    case ValueType::kBool: return {type, load<std::uint8_t>(bytes) != 0};
    case ValueType::kUint64: return {type, load<std::uint64_t>(bytes)};
    case ValueType::kInt64: return {type, load<std::int64_t>(bytes)};
    case ValueType::kFloat64: return {type, load<double>(bytes)};
    case ValueType::kString:
    case ValueType::kArray: break;
  }
  return {};
}

}  // namespace headflow::gguf
