#include "gguf/tensor_types.h"

#include <algorithm>
#include <array>
#include <string>

namespace headflow::gguf {
namespace {

constexpr TensorTypeInfo entry(std::uint32_t number, std::string_view name, std::uint32_t elements,
                               std::uint32_t bytes) {
  return {static_cast<TensorType>(number), name, elements, bytes};
}

constexpr std::array kTypes = {
    entry(0, "F32", 1, 4),       entry(1, "F16", 1, 2),         entry(2, "Q4_0", 32, 18),
    entry(3, "Q4_1", 32, 20),    entry(6, "Q5_0", 32, 22),      entry(7, "Q5_1", 32, 24),
    entry(8, "Q8_0", 32, 34),    entry(9, "Q8_1", 32, 36),      entry(10, "Q2_K", 256, 84),
    entry(11, "Q3_K", 256, 110), entry(12, "Q4_K", 256, 144),   entry(13, "Q5_K", 256, 176),
    entry(14, "Q6_K", 256, 210), entry(15, "Q8_K", 256, 292),   entry(16, "IQ2_XXS", 256, 66),
    entry(20, "IQ4_NL", 32, 18), entry(23, "IQ4_XS", 256, 136), entry(24, "I8", 1, 1),
    entry(25, "I16", 1, 2),      entry(26, "I32", 1, 4),        entry(27, "I64", 1, 8),
    entry(28, "F64", 1, 8),      entry(30, "BF16", 1, 2),
};

}  // namespace

const TensorTypeInfo* find_type(TensorType type) noexcept {
  const auto* const found = std::ranges::find(kTypes, type, &TensorTypeInfo::type);
  return found == kTypes.end() ? nullptr : found;
}

std::uint64_t stored_size(const TensorTypeInfo& type, std::span<const std::uint64_t> shape) noexcept {
  std::uint64_t bytes = shape.front() / type.block_elements * type.block_bytes;
  for (const std::uint64_t length : shape.subspan(1)) bytes *= length;
  return bytes;
}

std::string type_name(TensorType type) {
  const TensorTypeInfo* const known = find_type(type);
  return known != nullptr ? std::string(known->name) : "type " + std::to_string(static_cast<std::uint32_t>(type));
}

}  // namespace headflow::gguf
