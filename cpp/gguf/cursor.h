// Reads little-endian values from bytes of which more may come.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace headflow::gguf {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in the file");

// A reading position. `has...` says whether something is there whole; where it is not, it remembers how many bytes are
// lacking, or throws Error where the file cannot hold it. `take...` follows a `has...` that said so.
class Cursor {
 public:
  // `bytes` begin at `offset` of the file.
  Cursor(std::span<const std::byte> bytes, std::uint64_t offset, std::optional<std::uint64_t> file_size)
      : bytes_(bytes), offset_(offset), file_size_(file_size) {}

  // In the file.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_ + at_; }
  [[nodiscard]] std::span<const std::byte> rest() const noexcept { return bytes_.subspan(at_); }

  // Says that what was taken need not be seen again.
  void keep() noexcept { kept_ = at_; }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_; }
  // How many bytes there must be after the kept ones before another try makes sense.
  [[nodiscard]] std::size_t wanted() const noexcept { return wanted_; }

  // Throws unless the file, after the next `skipped` bytes, may hold `count` things of at least `size` bytes each.
  void require_room(std::uint64_t count, std::uint64_t size, const std::string& what, std::uint64_t skipped = 0) const;

  // `size` bytes; `what` names them in the error.
  [[nodiscard]] bool has(std::size_t size, const std::string& what);
  // A length and as many bytes, not more than `longest`.
  [[nodiscard]] bool has_string(std::uint64_t longest, const std::string& what);

  template <typename T>
  [[nodiscard]] T peek(std::size_t skipped = 0) const {
    T value;
    std::memcpy(&value, &bytes_[at_ + skipped], sizeof value);
    return value;
  }
  template <typename T>
  [[nodiscard]] T take() {
    const T value = peek<T>();
    at_ += sizeof value;
    return value;
  }
  [[nodiscard]] std::string take_string();
  // `size` bytes, which must be there.
  [[nodiscard]] std::span<const std::byte> take_bytes(std::size_t size) {
    const std::span<const std::byte> taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
  std::optional<std::uint64_t> file_size_;
  std::size_t at_ = 0;
  std::size_t kept_ = 0;
  std::size_t wanted_ = 0;
};

}  // namespace headflow::gguf
