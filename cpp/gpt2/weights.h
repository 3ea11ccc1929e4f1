// The weights of a model, each tensor present, partly present or absent, as they lie in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_range.h"
#include "gguf/header.h"
#include "kernels/kernels.h"

namespace headflow::gpt2 {

// So many bytes of 0 at the end of a matrix or of the file are no weights.
inline constexpr std::uint64_t kZeroTail = 4096;

// One tensor's storage: whole rows in pages that are allocated when first written, and never moved or copied.
class TensorStore {
 public:
  // `rows_per_page`: the number of rows that are reserved together. `padding_rows`: rows at the end that may be 0.
  TensorStore(gguf::TensorInfo info, std::size_t rows_per_page, std::size_t padding_rows = 0);

  [[nodiscard]] const gguf::TensorInfo& info() const noexcept { return info_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t rows_per_page() const noexcept { return rows_per_page_; }
  [[nodiscard]] std::size_t page_count() const noexcept { return pages_.size(); }

  // The file bytes of rows [first, last).
  [[nodiscard]] ByteRange bytes(std::size_t first, std::size_t last) const noexcept;
  [[nodiscard]] const ByteRangeSet& present() const noexcept { return present_; }
  [[nodiscard]] std::uint64_t reserved_bytes() const noexcept { return reserved_bytes_; }

  // Writable memory for the file bytes from `offset` on, as far as it is contiguous; reserves the page.
  [[nodiscard]] std::span<std::byte> writable(std::uint64_t offset);
  // Marks file bytes as present. Rows that thereby become whole are checked: throws Error (bad_weights) at a scale or
  // value that is not finite, at a matrix or norm weight that is 0 throughout, and at a matrix whose last kZeroTail
  // bytes before the padding rows are 0, as a transfer that broke off may leave them; and then none of `range` counts
  // as present.
  void commit(ByteRange range);
  // Makes file bytes absent; their memory stays.
  void discard(ByteRange range) { present_.remove(range); }
  // Copies present file bytes from `offset` on, out.size() of them.
  void read_bytes(std::uint64_t offset, std::span<std::byte> out) const;
  // How many of the last bytes before the padding rows are present and 0.
  [[nodiscard]] std::uint64_t trailing_zeros() const { return trailing_zeros(present_); }

  // A page's rows as a matrix. They must be present.
  [[nodiscard]] kernels::MatrixView page(std::size_t index) const;
  // One present row, as floats.
  void read_row(std::size_t row, std::span<float> out) const;

 private:
  [[nodiscard]] std::span<const std::byte> row(std::size_t index) const;
  void check_finite(ByteRange range, const ByteRangeSet& present) const;
  void check_zeros(const ByteRangeSet& present) const;
  [[nodiscard]] std::uint64_t trailing_zeros(const ByteRangeSet& present) const;

  gguf::TensorInfo info_;
  std::size_t columns_;
  std::size_t rows_;
  std::size_t row_bytes_;
  std::size_t rows_per_page_;
  std::size_t weight_rows_;  // Rows without the padding.
  std::vector<std::unique_ptr<std::byte[]>> pages_;
  std::uint64_t reserved_bytes_ = 0;
  ByteRangeSet present_;
};

}  // namespace headflow::gpt2
