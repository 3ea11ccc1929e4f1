// Reads little-endian values from bytes of which more may come.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include "base/error.h"

namespace headflow::gguf {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in the file");

// A reading position. `has(n)` says whether n more bytes are there; where they are not it remembers that they are
// needed, or throws where the file cannot hold them.
class Cursor {
 public:
  // `bytes` begin at `offset` of a file that ends at `file_end`.
  Cursor(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t file_end)
      : bytes_(bytes), offset_(offset), file_end_(file_end) {}

  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_ + at_; }
  [[nodiscard]] std::size_t taken() const noexcept { return at_; }
  // Bytes that must be there before another try makes sense.
  [[nodiscard]] std::size_t wanted() const noexcept { return wanted_; }

  // `count` things of `size` bytes each, at least; `what` names them in the error.
  [[nodiscard]] bool has(std::uint64_t count, std::uint64_t size, const std::string& what) {
    const std::uint64_t left = file_end_ - std::min(file_end_, offset());
    if (count > left / size) {
      throw Error(ErrorCode::kTruncated, {what + ", at byte " + std::to_string(offset()),
                                          "a length of " + std::to_string(count),
                                          "at most " + std::to_string(left / size) + ", as " + std::to_string(left) + " bytes remain",
                                          "The file is damaged or cut short"});
    }
    const std::uint64_t end = at_ + count * size;
    if (end <= bytes_.size()) return true;
    wanted_ = static_cast<std::size_t>(std::min<std::uint64_t>(end, std::numeric_limits<std::size_t>::max()));
    return false;
  }

  // After `has` said so.
  template <typename T>
  [[nodiscard]] T take() {
    T value;
    std::memcpy(&value, &bytes_[at_], sizeof value);
    at_ += sizeof value;
    return value;
  }
  [[nodiscard]] std::string take_string(std::size_t size) {
    std::string text(size, '\0');
    if (size != 0) std::memcpy(text.data(), &bytes_[at_], size);
    at_ += size;
    return text;
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
  std::uint64_t file_end_;
  std::size_t at_ = 0;
  std::size_t wanted_ = 0;
};

}  // namespace headflow::gguf
