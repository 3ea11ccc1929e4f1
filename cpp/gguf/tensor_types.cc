#include "gguf/tensor_types.h"

#include <algorithm>
#include <array>
#include <string>

namespace headflow::gguf {
namespace {

constexpr std::array<TensorTypeInfo, 23> kTypes = {{
    {0, "F32", 1, 4},      {1, "F16", 1, 2},       {2, "Q4_0", 32, 18},   {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},   {7, "Q5_1", 32, 24},    {8, "Q8_0", 32, 34},   {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84}, {11, "Q3_K", 256, 110}, {12, "Q4_K", 256, 144}, {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210}, {15, "Q8_K", 256, 292}, {20, "IQ4_NL", 32, 18}, {23, "IQ4_XS", 256, 136},
    {24, "I8", 1, 1},      {25, "I16", 1, 2},      {26, "I32", 1, 4},     {27, "I64", 1, 8},
    {28, "F64", 1, 8},     {30, "BF16", 1, 2},     {16, "IQ2_XXS", 256, 66},
}};

}  // namespace

const TensorTypeInfo* find_type(TensorType type) noexcept {
  const auto* const found = std::ranges::find(kTypes, static_cast<std::uint32_t>(type), &TensorTypeInfo::number);
  return found == kTypes.end() ? nullptr : found;
}

std::string type_name(TensorType type) {
  const TensorTypeInfo* const known = find_type(type);
  return known != nullptr ? std::string(known->name) : "type " + std::to_string(static_cast<std::uint32_t>(type));
}

}  // namespace headflow::gguf
