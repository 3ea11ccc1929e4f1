#include "analysis/pooling/picture.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"

namespace headflow::analysis {

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

std::size_t divide_up(std::size_t a, std::size_t b) {
  return a / b + (a % b != 0);
}

// Nearest rank: the ceil(0.99 n)-th value in ascending order, here counted from the greatest.
std::uint64_t rank_from_top(std::uint64_t n) {
  return n / 100 + 1;
}

std::size_t at_least_one(std::size_t value, const char* what) {
  if (value == 0) throw Error(ErrorCode::kBadArgument, {.where = what, .got = "0", .expected = "at least 1"});
  return value;
}

// What a bin shows after one more value.
float pooled(float bin, float value) {
  if (value == kMasked || std::isnan(bin)) return bin;
  return bin == kMasked || std::isnan(value) || std::abs(value) > std::abs(bin) ? value : bin;
}

}  // namespace

Greatest::Greatest(std::size_t count) : count_(count) {}

void Greatest::add(float value) {
  if (full_ && value <= threshold_) return;
  values_.push_back(value);
  if (values_.size() >= 2 * count_) shrink();
}

void Greatest::shrink() {
  const auto least = values_.begin() + static_cast<std::ptrdiff_t>(count_ - 1);
  std::ranges::nth_element(values_, least, std::greater<>());
  threshold_ = *least;
  full_ = true;
  values_.resize(count_);
}

float Greatest::at(std::size_t rank) {
  const auto wanted = values_.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::ranges::nth_element(values_, wanted, std::greater<>());
  return *wanted;
}

PictureBuilder::PictureBuilder(std::size_t rows, std::size_t columns, std::size_t height, std::size_t width)
    : rows_(at_least_one(rows, "rows of a picture")),
      columns_(at_least_one(columns, "columns of a picture")),
      greatest_(static_cast<std::size_t>(rank_from_top(std::uint64_t{rows} * columns))) {
  picture_.bin_rows = divide_up(rows, at_least_one(height, "height of a picture"));
  picture_.bin_columns = divide_up(columns, at_least_one(width, "width of a picture"));
  picture_.height = divide_up(rows, picture_.bin_rows);
  picture_.width = divide_up(columns, picture_.bin_columns);
  picture_.values.assign(picture_.height * picture_.width, kMasked);
}

void PictureBuilder::add(std::span<const float> band) {
  if (band.size() % columns_ != 0 || band.size() / columns_ > rows_ - rows_added_) {
    throw Error(ErrorCode::kBadArgument, {.where = "band of a picture",
                                          .got = std::to_string(band.size()) + " values",
                                          .expected = "at most " + std::to_string(rows_ - rows_added_) + " rows of " +
                                                      std::to_string(columns_)});
  }
  for (; !band.empty(); band = band.subspan(columns_)) add_row(band.first(columns_));
}

void PictureBuilder::add_row(std::span<const float> row) {
  float* bins = picture_.values.data() + rows_added_ / picture_.bin_rows * picture_.width;
  for (std::size_t bin = 0, column = 0; column < row.size(); ++bin) {
    const std::size_t end = std::min(column + picture_.bin_columns, row.size());
    for (; column < end; ++column) {
      const float value = row[column];
      bins[bin] = pooled(bins[bin], value);
      if (!std::isfinite(value)) continue;
      picture_.minimum = finite_ == 0 ? value : std::min(picture_.minimum, value);
      picture_.maximum = finite_ == 0 ? value : std::max(picture_.maximum, value);
      ++finite_;
      greatest_.add(std::abs(value));
    }
  }
  ++rows_added_;
}

Picture PictureBuilder::finish() {
  if (rows_added_ < rows_) {
    throw Error(ErrorCode::kBadArgument,
                {.where = "picture", .got = std::to_string(rows_added_) + " rows", .expected = std::to_string(rows_)});
  }
  if (finite_ > 0) picture_.quantile99 = greatest_.at(static_cast<std::size_t>(rank_from_top(finite_)));
  return std::exchange(picture_, {});
}

}  // namespace headflow::analysis
