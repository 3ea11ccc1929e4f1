#include "gpt2/shared_rows.h"

#include <algorithm>

namespace headflow::gpt2 {
namespace {

// Rows that are reserved together: few enough that a short prompt costs little, enough that a long one is not in
// shreds.
constexpr std::size_t kLeastCapacity = 16;
constexpr std::size_t kGreatestCapacity = 64;

}  // namespace

std::uint64_t total_bytes(const Storage& storage) noexcept {
  std::uint64_t bytes = 0;
  for (const auto& [address, size] : storage) bytes += size;
  return bytes;
}

std::span<const float> SharedRows::run(std::size_t first, std::size_t count) const {
  const auto next = std::ranges::upper_bound(chunks_, first, {}, &Part::first);
  const Part& part = *(next - 1);
  const std::size_t within = first - part.first;
  const std::size_t rows = std::min(count, part.rows - within);
  return {part.chunk->values.get() + within * columns_, rows * columns_};
}

void SharedRows::copy(std::size_t first, std::size_t last, std::span<float> out) const {
  while (first < last) {
    const std::span<const float> rows = run(first, last - first);
    std::ranges::copy(rows, out.begin());
    out = out.subspan(rows.size());
    first += rows.size() / columns_;
  }
}

std::size_t SharedRows::room() const noexcept {
  if (chunks_.empty()) return 0;
  const Part& last = chunks_.back();
  // Rows that were forgotten here may still be another copy's.
  const bool ours = last.chunk->written == last.rows || last.chunk.use_count() == 1;
  return ours ? last.chunk->capacity - last.rows : 0;
}

void SharedRows::append(std::span<const float> rows) {
  while (!rows.empty()) {
    const std::size_t wanted = rows.size() / columns_;
    if (room() == 0) {
      const std::size_t capacity = std::clamp(wanted, kLeastCapacity, kGreatestCapacity);
      auto values = std::make_unique_for_overwrite<float[]>(capacity * columns_);
      const std::size_t first = size();
      chunks_.push_back({std::make_shared<Chunk>(Chunk{std::move(values), capacity, 0}), first, 0});
    }
    Part& last = chunks_.back();
    const std::size_t count = std::min(wanted, room());
    std::ranges::copy(rows.first(count * columns_), last.chunk->values.get() + last.rows * columns_);
    last.rows += count;
    last.chunk->written = last.rows;
    rows = rows.subspan(count * columns_);
  }
}

void SharedRows::truncate(std::size_t rows) {
  while (!chunks_.empty() && chunks_.back().first >= rows) chunks_.pop_back();
  if (!chunks_.empty()) chunks_.back().rows = std::min(chunks_.back().rows, rows - chunks_.back().first);
}

void SharedRows::add_to(Storage& storage) const {
  for (const Part& part : chunks_) storage[part.chunk.get()] = part.chunk->capacity * columns_ * sizeof(float);
}

}  // namespace headflow::gpt2
