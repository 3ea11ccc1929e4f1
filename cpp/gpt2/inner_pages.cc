#include "gpt2/inner_pages.h"

#include <algorithm>

namespace headflow::gpt2 {

const InnerPage* InnerPages::find(Stage stage, std::size_t row) const noexcept {
  const auto found =
      std::ranges::find_if(pages_, [&](const InnerPage& page) { return page.stage == stage && page.holds(row); });
  return found == pages_.end() ? nullptr : &*found;
}

std::size_t InnerPages::first_missing(Stage stage, RowRange rows) const noexcept {
  while (rows.first < rows.last) {
    const InnerPage* const page = find(stage, rows.first);
    if (page == nullptr) return rows.first;
    rows.first = page->first + page->filled;
  }
  return rows.last;
}

void InnerPages::want(Stage stage, RowRange rows) {
  stage_ = stage;
  rows_ = rows;
  for (auto page = pages_.begin(); page != pages_.end();) {
    const auto next = std::next(page);
    if (wanted(*page)) pages_.splice(pages_.begin(), pages_, page);
    page = next;
  }
}

bool InnerPages::wanted(const InnerPage& page) const noexcept {
  return page.stage == stage_ && page.first < rows_.last && page.first + kPageRows > rows_.first;
}

InnerPage& InnerPages::page_for(Stage stage, std::size_t row, std::size_t end, const Config& config) {
  const std::size_t first = row / kPageRows * kPageRows;
  auto found =
      std::ranges::find_if(pages_, [&](const InnerPage& page) { return page.stage == stage && page.first == first; });
  if (found == pages_.end()) found = pages_.emplace(pages_.begin(), stage, first, config);
  const std::size_t rows = std::min(end, first + kPageRows) - first;
  const std::uint64_t before = found->activations.bytes();
  found->activations.reserve(stage.kind, rows);
  if (found->activations.bytes() > before) drop_oldest();
  return *found;
}

void InnerPages::drop_oldest() {
  for (auto page = pages_.end(); page != pages_.begin() && bytes() > budget_;) {
    --page;
    if (!wanted(*page)) page = pages_.erase(page);
  }
}

void InnerPages::truncate(Stage stage, std::size_t rows) {
  std::erase_if(pages_, [&](const InnerPage& page) { return page.stage == stage && page.first >= rows; });
  for (InnerPage& page : pages_) {
    if (page.stage == stage) page.filled = std::min(page.filled, rows - page.first);
  }
}

std::uint64_t InnerPages::bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const InnerPage& page : pages_) bytes += page.activations.bytes();
  return bytes;
}

}  // namespace headflow::gpt2
