// Half-open ranges of file offsets, and sets of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace headflow {

// Bytes [begin, end) of a file.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const noexcept { return end - begin; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// A set of bytes, kept as disjoint ranges that never touch.
class ByteRangeSet {
 public:
  void add(ByteRange range) {
    if (range.begin >= range.end) return;
    auto next = ranges_.upper_bound(range.begin);
    if (next != ranges_.begin()) {
      auto previous = std::prev(next);
      if (previous->second >= range.begin) {
        range.begin = previous->first;
        range.end = std::max(range.end, previous->second);
        ranges_.erase(previous);
      }
    }
    while (next != ranges_.end() && next->first <= range.end) {
      range.end = std::max(range.end, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace(range.begin, range.end);
  }

  void remove(ByteRange range) {
    auto next = ranges_.upper_bound(range.begin);
    if (next != ranges_.begin()) --next;
    while (next != ranges_.end() && next->first < range.end) {
      const auto [begin, end] = *next;
      next = ranges_.erase(next);
      if (begin < range.begin) ranges_.emplace(begin, std::min(end, range.begin));
      if (end > range.end) ranges_.emplace(std::max(begin, range.end), end);
    }
  }

  [[nodiscard]] bool contains(ByteRange range) const {
    if (range.begin >= range.end) return true;
    auto next = ranges_.upper_bound(range.begin);
    return next != ranges_.begin() && std::prev(next)->second >= range.end;
  }

  // Appends to `gaps` the parts of `range` that are not in the set, in order.
  void lacking(ByteRange range, std::vector<ByteRange>& gaps) const {
    auto next = ranges_.upper_bound(range.begin);
    if (next != ranges_.begin()) range.begin = std::max(range.begin, std::prev(next)->second);
    for (; range.begin < range.end && next != ranges_.end() && next->first < range.end; ++next) {
      gaps.push_back({range.begin, next->first});
      range.begin = next->second;
    }
    if (range.begin < range.end) gaps.push_back(range);
  }

  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t bytes = 0;
    for (const auto& [begin, end] : ranges_) bytes += end - begin;
    return bytes;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // begin -> end
};

}  // namespace headflow
