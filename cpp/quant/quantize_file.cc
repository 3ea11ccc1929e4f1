#include "quant/quantize_file.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "gguf/printable.h"
#include "quant/quant.h"

namespace headflow::quant {
namespace {

using gguf::TensorInfo;
using gguf::TensorType;

constexpr std::string_view kFileTypeKey = "general.file_type";
constexpr std::uint64_t kMostlyQ8_0 = 7;  // ggml's number.
constexpr std::string_view kPositions = "position_embd.weight";
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

std::uint64_t row_count(const TensorInfo& tensor) {
  std::uint64_t rows = 1;
  for (const std::uint64_t length : std::span(tensor.shape).subspan(1)) rows *= length;
  return rows;
}

[[noreturn]] void refuse_row(const TensorInfo& tensor, std::uint64_t row, std::string where, std::string got) {
  throw Error(ErrorCode::kBadWeights,
              {"tensor " + gguf::printable(tensor.name) + ", row " + std::to_string(row) + std::move(where),
               std::move(got), "finite numbers below 8.3 million", "The file is damaged: fetch it again"});
}

// One row of `from` as Q8_0. `values`: room for it as floats.
void quantize_row(const TensorInfo& from, std::uint64_t row, std::span<const std::byte> stored, std::span<float> values,
                  std::span<std::byte> out) {
  if (const std::ptrdiff_t bad = first_not_finite(from.type, stored); bad >= 0) {
    refuse_row(from, row, ", element " + std::to_string(bad), "a value that is not finite");
  }
  dequantize_row(from.type, stored, values);
  quantize_row_reference(values, out);
  if (const std::ptrdiff_t bad = first_not_finite(TensorType::kQ8_0, out); bad >= 0) {
    refuse_row(from, row, ", block " + std::to_string(bad), "a value whose scale is too large for fp16");
  }
}

void quantize_tensor(const TensorInfo& from, const ReadAt& read, gguf::Writer& writer) {
  const auto columns = static_cast<std::size_t>(from.shape.front());
  const std::uint64_t rows = row_count(from);
  const std::size_t row_in = row_bytes(from.type, columns);
  const std::size_t row_out = row_bytes(TensorType::kQ8_0, columns);
  const std::uint64_t rows_at_once = std::max<std::size_t>(1, kPieceBytes / row_in);
  std::vector<std::byte> in;
  std::vector<std::byte> out;
  std::vector<float> values(columns);
  for (std::uint64_t first = 0; first < rows; first += rows_at_once) {
    const auto count = static_cast<std::size_t>(std::min(rows_at_once, rows - first));
    in.resize(count * row_in);
    out.resize(count * row_out);
    read(from.offset + first * row_in, in);
    for (std::size_t r = 0; r < count; ++r) {
      quantize_row(from, first + r, std::span(in).subspan(r * row_in, row_in), values,
                   std::span(out).subspan(r * row_out, row_out));
    }
    writer.put(out);
  }
}

void copy_tensor(const TensorInfo& from, const ReadAt& read, gguf::Writer& writer) {
  std::vector<std::byte> piece;
  for (std::uint64_t at = from.offset; at < from.bytes().end; at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, from.bytes().end - at)));
    read(at, piece);
    writer.put(piece);
  }
}

}  // namespace

bool becomes_q8_0(const TensorInfo& tensor) {
  const bool floats = tensor.type == TensorType::kF32 || tensor.type == TensorType::kF16;
  return floats && row_count(tensor) > 1 && tensor.shape.front() % kBlockSize == 0 && tensor.name != kPositions;
}

gguf::Header quantized_header(const gguf::Header& header) {
  gguf::Header result = header;
  const gguf::Value file_type = {gguf::ValueType::kUint32, kMostlyQ8_0};
  const auto found = std::ranges::find(result.metadata, kFileTypeKey, &gguf::MetadataEntry::key);
  if (found != result.metadata.end()) {
    found->value = file_type;
  } else {
    result.metadata.push_back({.key = std::string(kFileTypeKey), .value = file_type, .offset = 0});
  }
  for (TensorInfo& tensor : result.tensors) {
    if (becomes_q8_0(tensor)) tensor.type = TensorType::kQ8_0;
  }
  gguf::lay_out(result);
  return result;
}

void quantize_file(const gguf::Header& from, const gguf::Header& to, const ReadAt& read, const gguf::Sink& write) {
  gguf::Writer writer(to, write);
  for (const TensorInfo* const tensor : writer.order()) {
    const TensorInfo& old = *from.tensor(tensor->name);
    if (becomes_q8_0(old)) {
      quantize_tensor(old, read, writer);
    } else {
      copy_tensor(old, read, writer);
    }
  }
  writer.finish();
}

}  // namespace headflow::quant
