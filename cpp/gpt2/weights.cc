#include "gpt2/weights.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "quant/quant.h"

namespace headflow::gpt2 {

TensorStore::TensorStore(gguf::TensorInfo info, std::size_t rows_per_page, std::size_t padding_rows)
    : info_(std::move(info)),
      columns_(static_cast<std::size_t>(info_.shape.at(0))),
      rows_(1),
      row_bytes_(quant::row_bytes(info_.type, columns_)) {
  for (std::size_t axis = 1; axis < info_.shape.size(); ++axis) rows_ *= static_cast<std::size_t>(info_.shape[axis]);
  rows_per_page_ = std::min(rows_per_page, rows_);
  weight_rows_ = rows_ - std::min(padding_rows, rows_ - 1);
  pages_.resize((rows_ + rows_per_page_ - 1) / rows_per_page_);
}

ByteRange TensorStore::bytes(std::size_t first, std::size_t last) const noexcept {
  return {info_.offset + first * row_bytes_, info_.offset + last * row_bytes_};
}

std::span<std::byte> TensorStore::writable(std::uint64_t offset) {
  const std::size_t page_bytes = rows_per_page_ * row_bytes_;
  const std::size_t within = static_cast<std::size_t>(offset - info_.offset);
  const std::size_t index = within / page_bytes;
  const std::size_t size = std::min(page_bytes, rows_ * row_bytes_ - index * page_bytes);
  auto& page = pages_[index];
  if (!page) {
    page = std::make_unique_for_overwrite<std::byte[]>(size);
    reserved_bytes_ += size;
  }
  return std::span(page.get(), size).subspan(within - index * page_bytes);
}

void TensorStore::commit(ByteRange range) {
  const ByteRange whole = info_.bytes();
  range = {std::max(range.begin, whole.begin), std::min(range.end, whole.end)};
  if (range.begin >= range.end) return;
  ByteRangeSet present = present_;
  present.add(range);
  check_finite(range, present);
  check_zeros(present);
  present_ = std::move(present);
}

void TensorStore::check_finite(ByteRange range, const ByteRangeSet& present) const {
  const std::size_t first = static_cast<std::size_t>(range.begin - info_.offset) / row_bytes_;
  const std::size_t last = static_cast<std::size_t>(range.end - 1 - info_.offset) / row_bytes_ + 1;
  for (std::size_t r = first; r < last; ++r) {
    if (!present.contains(bytes(r, r + 1))) continue;
    const std::ptrdiff_t bad = quant::first_not_finite(info_.type, row(r));
    if (bad < 0) continue;
    const bool blocks = info_.type == gguf::TensorType::kQ8_0;
    throw Error(ErrorCode::kBadWeights,
                {"tensor " + info_.name + ", row " + std::to_string(r) + (blocks ? ", block " : ", element ") +
                     std::to_string(bad) + ", in the row at byte " + std::to_string(bytes(r, r + 1).begin),
                 blocks ? "a scale that is not finite" : "a value that is not finite", "finite numbers",
                 "The file is damaged: fetch it again"});
  }
}

void TensorStore::check_zeros(const ByteRangeSet& present) const {
  const bool matrix = rows_ > 1;
  const bool norm = info_.name.ends_with("norm.weight");
  if (!matrix && !norm) return;  // A bias may be 0.
  const ByteRange whole = bytes(0, weight_rows_);
  const auto refuse = [&](std::uint64_t from, const std::string& got) {
    throw Error(ErrorCode::kBadWeights,
                {"tensor " + info_.name + ", from byte " + std::to_string(from), got, "weights",
                 "The file is incomplete, as a transfer that broke off leaves it: fetch it again"});
  };
  if (matrix) {
    const std::uint64_t zeros = trailing_zeros(present);
    if (zeros >= kZeroTail) refuse(whole.end - zeros, std::to_string(zeros) + " bytes of 0 at its end");
  }
  if (!present.contains(whole)) return;
  for (std::size_t r = 0; r < weight_rows_; ++r) {
    if (!quant::is_zero(info_.type, row(r))) return;
  }
  refuse(whole.begin, "0 throughout");
}

std::uint64_t TensorStore::trailing_zeros(const ByteRangeSet& present) const {
  std::uint64_t zeros = 0;
  for (std::size_t end = weight_rows_; end > 0 && present.contains(bytes(end - 1, end)); --end) {
    const std::span<const std::byte> stored = row(end - 1);
    const auto last = std::find_if(stored.rbegin(), stored.rend(), [](std::byte byte) { return byte != std::byte{0}; });
    zeros += static_cast<std::uint64_t>(last - stored.rbegin());
    if (last != stored.rend()) break;
  }
  return zeros;
}

void TensorStore::read_bytes(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const std::size_t within = static_cast<std::size_t>(offset - info_.offset);
    const std::span<const std::byte> stored = row(within / row_bytes_).subspan(within % row_bytes_);
    const std::span<const std::byte> part = stored.first(std::min(stored.size(), out.size()));
    std::ranges::copy(part, out.begin());
    out = out.subspan(part.size());
    offset += part.size();
  }
}

std::span<const std::byte> TensorStore::row(std::size_t index) const {
  const auto& page = pages_[index / rows_per_page_];
  return {page.get() + (index % rows_per_page_) * row_bytes_, row_bytes_};
}

kernels::MatrixView TensorStore::page(std::size_t index) const {
  const std::size_t first = index * rows_per_page_;
  return {info_.type, pages_[index].get(), std::min(rows_per_page_, rows_ - first), columns_};
}

void TensorStore::read_row(std::size_t index, std::span<float> out) const {
  quant::dequantize_row(info_.type, row(index), out);
}

}  // namespace headflow::gpt2
