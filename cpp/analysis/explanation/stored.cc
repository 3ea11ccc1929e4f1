#include "analysis/explanation/stored.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.h"
#include "quant/quant.h"

namespace headflow::analysis {
namespace {

using gguf::TensorType;
using quant::kBlockSize;
using quant::kQ8_0BlockBytes;

}  // namespace

StoredElements read_stored(const gpt2::TensorStore& store, std::size_t row, Interval columns) {
  if (!store.present().contains(store.bytes(row, row + 1))) {
    throw Error(ErrorCode::kNotLoaded, {"tensor " + store.info().name + ", row " + std::to_string(row),
                                        "weights that are not loaded yet", "the row"});
  }
  std::vector<float> whole(store.columns());
  store.read_row(row, whole);
  StoredElements elements;
  const auto wanted = std::span(whole).subspan(columns.first, columns.size());
  elements.values.assign(wanted.begin(), wanted.end());
  if (store.info().type != TensorType::kQ8_0) return elements;

  const kernels::MatrixView page = store.page(row / store.rows_per_page());
  const std::byte* const data =
      page.data + row % store.rows_per_page() * quant::row_bytes(TensorType::kQ8_0, store.columns());
  for (std::size_t i = columns.first; i < columns.last; ++i) {
    const std::byte* const block = data + i / kBlockSize * kQ8_0BlockBytes;
    std::uint16_t scale = 0;
    std::memcpy(&scale, block, sizeof scale);
    elements.scales.push_back(quant::f16_to_f32(scale));
    elements.codes.push_back(static_cast<std::int8_t>(block[sizeof scale + i % kBlockSize]));
  }
  return elements;
}

StoredPlace place_of(const gpt2::TensorStore& store, std::size_t row, std::size_t column) {
  const std::uint64_t begin = store.bytes(row, row + 1).begin;
  const TensorType type = store.info().type;
  if (type == TensorType::kQ8_0) {
    const std::uint64_t block = begin + column / kBlockSize * kQ8_0BlockBytes;
    return {block + sizeof(std::uint16_t) + column % kBlockSize, block};
  }
  const std::uint64_t offset = begin + column * (type == TensorType::kF16 ? sizeof(std::uint16_t) : sizeof(float));
  return {offset, offset};
}

StoredElements round_activations(TensorType type, std::span<const float> row, Interval columns) {
  StoredElements elements;
  const std::vector<float> used = quant::as_used(type, row, row.size());
  const auto wanted = std::span(used).subspan(columns.first, columns.size());
  elements.values.assign(wanted.begin(), wanted.end());
  if (type != TensorType::kQ8_0) return elements;
  quant::QuantizedRows rounded;
  quant::quantize_activations(row, 1, row.size(), rounded);
  for (std::size_t i = columns.first; i < columns.last; ++i) {
    elements.codes.push_back(rounded.codes[i]);
    elements.scales.push_back(rounded.scales[i / kBlockSize]);
  }
  return elements;
}

}  // namespace headflow::analysis
