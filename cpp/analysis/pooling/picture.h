// A region pooled into few bins, for strips and maps with fewer pixels than numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headflow::analysis {

// Each bin holds the signed value of largest magnitude in it (the first of those that tie). A masked score, minus
// infinity, shows only where the whole bin is masked; NaN always shows.
struct Picture {
  std::size_t height = 0;  // bins
  std::size_t width = 0;
  std::size_t bin_rows = 1;  // Rows of the region per bin; the last bin may have fewer.
  std::size_t bin_columns = 1;
  std::vector<float> values;  // [height, width]
  // Over the region's finite values, not over the bins; all 0 where there are none.
  float minimum = 0;
  float maximum = 0;
  float quantile99 = 0;  // The 0.99 quantile of |x|, nearest rank.
};

// The least of the `count` greatest numbers that were added: exact, in memory for twice `count`.
class Greatest {
 public:
  explicit Greatest(std::size_t count);
  void add(float value);
  // The `rank`-th greatest, counted from 1; rank is at most `count` and at most the number of values added.
  [[nodiscard]] float at(std::size_t rank);

 private:
  void shrink();

  std::size_t count_;
  float threshold_ = 0;  // Once `count` values were found: those below it are not needed.
  bool full_ = false;
  std::vector<float> values_;
};

// Takes a region of `rows` x `columns` in bands of whole rows, from the top, and never holds it whole.
class PictureBuilder {
 public:
  // At most `height` x `width` bins. All four at least 1: throws Error (bad_argument) otherwise.
  PictureBuilder(std::size_t rows, std::size_t columns, std::size_t height, std::size_t width);

  // The next rows. Throws Error (bad_argument) for more than are left, or a band that isn't of whole rows.
  void add(std::span<const float> band);
  [[nodiscard]] std::size_t rows_added() const noexcept { return rows_added_; }

  // Once all rows were added.
  [[nodiscard]] Picture finish();

 private:
  void add_row(std::span<const float> row);

  std::size_t rows_;
  std::size_t columns_;
  std::size_t rows_added_ = 0;
  std::uint64_t finite_ = 0;
  Picture picture_;
  Greatest greatest_;
};

}  // namespace headflow::analysis
