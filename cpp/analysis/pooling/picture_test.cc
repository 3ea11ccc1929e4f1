// Pooled pictures against a plain re-derivation from the whole region.
#include "analysis/pooling/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "base/error.h"

namespace headflow::analysis {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Picture picture_of(std::span<const float> region, std::size_t columns, std::size_t height, std::size_t width,
                   std::size_t band_rows = 1) {
  PictureBuilder builder(region.size() / columns, columns, height, width);
  for (; !region.empty(); region = region.subspan(std::min(region.size(), band_rows * columns))) {
    builder.add(region.first(std::min(region.size(), band_rows * columns)));
  }
  return builder.finish();
}

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

// The value of largest magnitude of a bin, read off the region itself.
float bin_value(std::span<const float> region, std::size_t columns, const Picture& picture, std::size_t y,
                std::size_t x) {
  float best = -kInfinity;
  for (std::size_t r = y * picture.bin_rows; r < std::min((y + 1) * picture.bin_rows, region.size() / columns); ++r) {
    for (std::size_t c = x * picture.bin_columns; c < std::min((x + 1) * picture.bin_columns, columns); ++c) {
      const float value = region[r * columns + c];
      if (std::isfinite(value) && (std::isinf(best) || std::abs(value) > std::abs(best))) best = value;
    }
  }
  return best;
}

TEST(Picture, IsTheRegionItselfWhereItFits) {
  const std::vector<float> region = {1, -2, 3, -4, 5, -6};
  const Picture picture = picture_of(region, 3, 2, 3);
  EXPECT_EQ(picture.height, 2u);
  EXPECT_EQ(picture.width, 3u);
  EXPECT_EQ(picture.bin_rows, 1u);
  EXPECT_EQ(picture.bin_columns, 1u);
  EXPECT_EQ(picture.values, region);
  EXPECT_EQ(picture.minimum, -6);
  EXPECT_EQ(picture.maximum, 5);
}

TEST(Picture, KeepsTheSignedValueOfLargestMagnitude) {
  const Picture picture = picture_of(std::vector<float>{1, -2, 3, 0.5, 0.25, -0.5}, 3, 1, 2);
  EXPECT_EQ(picture.bin_rows, 2u);
  EXPECT_EQ(picture.bin_columns, 2u);
  EXPECT_EQ(picture.values, (std::vector<float>{-2, 3}));
}

TEST(Picture, AgreesWithThePlainDefinitionForAllShapesAndBands) {
  constexpr std::size_t kRows = 23;
  constexpr std::size_t kColumns = 17;
  std::vector<float> region = random_values(kRows * kColumns, 1);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = r + 1; c < kColumns; ++c) region[r * kColumns + c] = -kInfinity;  // a causal mask
  }
  for (const std::size_t height : {1u, 2u, 5u, 23u, 100u}) {
    for (const std::size_t width : {1u, 3u, 16u, 17u, 50u}) {
      for (const std::size_t band : {1u, 4u, 23u}) {
        const Picture picture = picture_of(region, kColumns, height, width, band);
        ASSERT_LE(picture.height, height);
        ASSERT_LE(picture.width, width);
        ASSERT_GE(picture.height * picture.bin_rows, kRows);
        ASSERT_GE(picture.width * picture.bin_columns, kColumns);
        for (std::size_t y = 0; y < picture.height; ++y) {
          for (std::size_t x = 0; x < picture.width; ++x) {
            ASSERT_EQ(picture.values[y * picture.width + x], bin_value(region, kColumns, picture, y, x));
          }
        }
      }
    }
  }
}

TEST(Picture, ShowsTheMaskOnlyWhereAWholeBinIsMasked) {
  const Picture picture = picture_of(std::vector<float>{-kInfinity, 0.001f, -kInfinity, -kInfinity}, 4, 1, 2);
  EXPECT_EQ(picture.values, (std::vector<float>{0.001f, -kInfinity}));
  EXPECT_EQ(picture.minimum, 0.001f);
  EXPECT_EQ(picture.maximum, 0.001f);
}

TEST(Picture, HasNoRangeWhereAllIsMasked) {
  const Picture picture = picture_of(std::vector<float>{-kInfinity, -kInfinity}, 2, 1, 1);
  EXPECT_EQ(picture.values, std::vector<float>{-kInfinity});
  EXPECT_EQ(picture.minimum, 0);
  EXPECT_EQ(picture.maximum, 0);
  EXPECT_EQ(picture.quantile99, 0);
}

TEST(Picture, NeverHidesNaN) {
  const Picture picture = picture_of(std::vector<float>{9, kNaN, -kInfinity, 8}, 4, 1, 1);
  EXPECT_TRUE(std::isnan(picture.values[0]));
  EXPECT_EQ(picture.maximum, 9);
}

TEST(Picture, QuantileIsTheNearestRankOfTheFiniteMagnitudes) {
  for (const std::size_t count : {1u, 2u, 99u, 100u, 101u, 199u, 200u, 1000u, 12345u}) {
    std::vector<float> region = random_values(count, static_cast<unsigned>(count));
    std::vector<float> magnitudes;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 3 == 2)
        region[i] = -kInfinity;
      else
        magnitudes.push_back(std::abs(region[i]));
    }
    std::ranges::sort(magnitudes);
    const std::size_t rank = (99 * magnitudes.size() + 99) / 100;  // ceil(0.99 n)
    EXPECT_EQ(picture_of(region, 1, 10, 1).quantile99, magnitudes[rank - 1]) << count;
  }
}

TEST(Picture, QuantileOfEqualValues) {
  EXPECT_EQ(picture_of(std::vector<float>(5000, -2.0f), 50, 4, 4).quantile99, 2);
}

TEST(Picture, RefusesBandsThatAreNotTheRegions) {
  PictureBuilder builder(2, 3, 2, 3);
  EXPECT_THROW(builder.add(std::vector<float>(4)), Error);
  EXPECT_THROW(static_cast<void>(builder.finish()), Error);
  builder.add(std::vector<float>(6));
  EXPECT_THROW(builder.add(std::vector<float>(3)), Error);
  EXPECT_THROW(PictureBuilder(0, 3, 1, 1), Error);
  EXPECT_THROW(PictureBuilder(2, 3, 1, 0), Error);
}

}  // namespace
}  // namespace headflow::analysis
