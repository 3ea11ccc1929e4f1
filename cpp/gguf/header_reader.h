// Reads a GGUF header from bytes that arrive in pieces. No I/O of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "gguf/header.h"

namespace headflow::gguf {

// Feed it the file from its start, in pieces of any size, until `header()` is there.
// Every length is checked against the bytes that the file still has before anything is allocated for it.
class HeaderReader {
 public:
  // `file_size`: the whole file's size in bytes, where it is known; lengths are then checked against it.
  explicit HeaderReader(std::optional<std::uint64_t> file_size = std::nullopt);
  ~HeaderReader();
  HeaderReader(HeaderReader&&) noexcept;
  HeaderReader& operator=(HeaderReader&&) noexcept;

  // Takes the next bytes of the file. Throws Error for anything that is not right.
  // Bytes past the header's end are ignored.
  void push(std::span<const std::byte> piece);

  // Says that the file ended here. Throws kTruncated unless the header is complete.
  void finish() const;

  // How many more bytes are needed at least to get further; 0 when the header is complete.
  [[nodiscard]] std::uint64_t needed() const;

  // How many bytes were taken so far: where the next piece starts.
  [[nodiscard]] std::uint64_t position() const;

  // The header, once `needed()` is 0; null before.
  [[nodiscard]] const Header* header() const;
  [[nodiscard]] Header take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headflow::gguf
