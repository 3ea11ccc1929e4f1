// Writes GGUF files: the header in one piece, then the tensors' data in the order in which they lie. No I/O of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gguf/header.h"

namespace headflow::gguf {

// Computes sizes and places from types and shapes: data one after the other, aligned, in the order of their offsets so
// far. Sets `size` and `offset` of each tensor, `data_offset` and `end_offset`.
// Throws Error (unsupported_type) for a tensor whose size is unknown.
void lay_out(Header& header);

// The bytes of a header that was laid out, padded to where the data start.
[[nodiscard]] std::vector<std::byte> header_bytes(const Header& header);

// Takes the next bytes of the file.
using Sink = std::function<void(std::span<const std::byte>)>;

class Writer {
 public:
  // Writes the header, which was laid out and must outlive this.
  Writer(const Header& header, Sink sink);

  // The tensors in the order in which their data must come.
  [[nodiscard]] const std::vector<const TensorInfo*>& order() const noexcept { return order_; }
  // The next bytes of the data at hand, not beyond the end of its tensor; what is padding comes by itself.
  // Throws Error (bad_argument) for more than are left.
  void put(std::span<const std::byte> data);
  // Throws Error (bad_argument) unless all data came.
  void finish() const;

 private:
  const Header* header_;
  Sink sink_;
  std::vector<const TensorInfo*> order_;
  std::size_t next_ = 0;        // In `order_`: the tensor whose data come next.
  std::uint64_t position_ = 0;  // Bytes of the file so far.
};

}  // namespace headflow::gguf
