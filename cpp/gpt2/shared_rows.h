// A matrix that grows by rows and is shared: its rows lie in chunks that are counted by reference and never change once
// written. A copy shares all chunks; what is appended to one copy is no part of the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace headflow::gpt2 {

// Bytes of memory by address: what several owners share counts once.
using Storage = std::map<const void*, std::uint64_t>;

[[nodiscard]] std::uint64_t total_bytes(const Storage& storage) noexcept;

// [rows, columns], row-major.
class SharedRows {
 public:
  explicit SharedRows(std::size_t columns = 0) : columns_(columns) {}

  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t size() const noexcept {
    return chunks_.empty() ? 0 : chunks_.back().first + chunks_.back().rows;
  }

  // Rows from `first` on that lie side by side: at least one, at most `count`. `first` is less than size().
  [[nodiscard]] std::span<const float> run(std::size_t first, std::size_t count) const;
  [[nodiscard]] std::span<const float> row(std::size_t index) const { return run(index, 1); }
  // Copies rows [first, last) into `out`, [last - first, columns].
  void copy(std::size_t first, std::size_t last, std::span<float> out) const;

  // Adds rows [n, columns] at the end.
  void append(std::span<const float> rows);
  // Forgets the rows from `rows` on; other copies keep them.
  void truncate(std::size_t rows);

  void add_to(Storage& storage) const;

 private:
  struct Chunk {
    std::unique_ptr<float[]> values;
    std::size_t capacity;
    std::size_t written;  // Rows. Those before never change.
  };
  // The part of a chunk that belongs to this matrix: its first `rows` rows, which are rows `first` on of the matrix.
  struct Part {
    std::shared_ptr<Chunk> chunk;
    std::size_t first;
    std::size_t rows;
  };

  // How many rows can be added to the last chunk without touching what another copy sees.
  [[nodiscard]] std::size_t room() const noexcept;

  std::size_t columns_;
  std::vector<Part> chunks_;  // Ascending, without gaps.
};

}  // namespace headflow::gpt2
