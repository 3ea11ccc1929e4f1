// For tests: the small model with its weights in other types.
#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gguf/writer.h"
#include "gpt2/testing/fixture.h"
#include "quant/quant.h"

namespace headflow::gpt2::testing {

using Bytes = std::vector<std::byte>;

inline constexpr const char* kEmbedding = "token_embd.weight";
inline constexpr const char* kOutput = "output.weight";

inline const Bytes& original() {
  static const Bytes bytes = file_bytes(kMini / "gpt2-mini.Q8_0.gguf");
  return bytes;
}

// A tensor's bytes in its file.
inline std::span<const std::byte> bytes_of(const Bytes& file, const gguf::TensorInfo& tensor) {
  return std::span(file).subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.size));
}

inline Bytes encoded(gguf::TensorType type, std::span<const float> values) {
  Bytes bytes(quant::row_bytes(type, values.size()));
  switch (type) {
    case gguf::TensorType::kF32: std::memcpy(bytes.data(), values.data(), values.size_bytes()); break;
    case gguf::TensorType::kF16:
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t half = quant::f32_to_f16(values[i]);
        std::memcpy(&bytes[2 * i], &half, sizeof half);
      }
      break;
    case gguf::TensorType::kQ8_0: quant::quantize_row_reference(values, bytes); break;
  }
  return bytes;
}

// A model with each Q8_0 matrix in the type that `type_of` gives its name; vectors and positions stay. `separate`: with
// an output matrix of its own, a copy of the embedding.
inline Bytes rebuilt(const Bytes& source, const std::function<gguf::TensorType(const std::string&)>& type_of,
                     bool separate) {
  const gguf::Header from = header_of(source);
  gguf::Header to = from;
  if (separate) {
    gguf::TensorInfo output = *from.tensor(kEmbedding);
    output.name = kOutput;
    output.offset = from.end_offset;
    to.tensors.push_back(output);
  }
  for (gguf::TensorInfo& tensor : to.tensors) {
    if (tensor.type == gguf::TensorType::kQ8_0) tensor.type = type_of(tensor.name);
  }
  gguf::lay_out(to);
  Bytes file;
  gguf::Writer writer(to,
                      [&](std::span<const std::byte> piece) { file.insert(file.end(), piece.begin(), piece.end()); });
  for (const gguf::TensorInfo* const tensor : writer.order()) {
    const gguf::TensorInfo& old = *from.tensor(tensor->name == kOutput ? kEmbedding : tensor->name);
    const std::span<const std::byte> data = bytes_of(source, old);
    if (tensor->type == old.type) {
      writer.put(data);
      continue;
    }
    std::vector<float> values(data.size() / quant::kQ8_0BlockBytes * quant::kBlockSize);
    quant::dequantize_row(old.type, data, values);
    writer.put(encoded(tensor->type, values));
  }
  writer.finish();
  return file;
}

// The small model so.
inline Bytes rebuilt(const std::function<gguf::TensorType(const std::string&)>& type_of, bool separate) {
  return rebuilt(original(), type_of, separate);
}

inline Bytes all_as(gguf::TensorType type, bool separate = false) {
  return rebuilt([type](const std::string&) { return type; }, separate);
}

}  // namespace headflow::gpt2::testing
