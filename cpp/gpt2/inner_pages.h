// The inner tensors of the blocks looked at last, within a byte budget: Z_l .. R_l of the attention, LN(R_l) .. F_l of
// the MLP. They lie in pages of rows; the page that was wanted longest ago is dropped first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>

#include "gpt2/activations.h"
#include "gpt2/config.h"
#include "gpt2/goal.h"
#include "gpt2/stage.h"

namespace headflow::gpt2 {

// Rows [first, first + filled) of one stage of a block, `first` a multiple of kPageRows.
struct InnerPage {
  InnerPage(Stage stage_in, std::size_t first_in, const Config& config)
      : stage(stage_in), first(first_in), activations(config) {}

  [[nodiscard]] bool holds(std::size_t row) const noexcept { return row >= first && row < first + filled; }

  Stage stage;
  std::size_t first;
  std::size_t filled = 0;
  BlockActivations activations;  // Its row 0 is row `first` of the prompt.
};

class InnerPages {
 public:
  static constexpr std::size_t kPageRows = 64;

  explicit InnerPages(std::uint64_t budget) : budget_(budget) {}

  // The page that holds this row of a stage, or null.
  [[nodiscard]] const InnerPage* find(Stage stage, std::size_t row) const noexcept;
  // The first of rows [first, last) that no page holds; `last` where all are there.
  [[nodiscard]] std::size_t first_missing(Stage stage, RowRange rows) const noexcept;

  // Says that these rows are wanted now: their pages are dropped last, whatever the budget.
  void want(Stage stage, RowRange rows);
  // The page for `row`, with room for its rows up to `end`; drops others where the budget asks for it.
  [[nodiscard]] InnerPage& page_for(Stage stage, std::size_t row, std::size_t end, const Config& config);
  // Forgets the rows of a stage from `rows` on.
  void truncate(Stage stage, std::size_t rows);

  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  [[nodiscard]] bool wanted(const InnerPage& page) const noexcept;
  void drop_oldest();

  std::uint64_t budget_;
  std::list<InnerPage> pages_;  // The one wanted last comes first.
  Stage stage_;
  RowRange rows_;
};

}  // namespace headflow::gpt2
