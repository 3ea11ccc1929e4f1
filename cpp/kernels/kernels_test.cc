// Which implementations there are.
#include "kernels/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace headflow::kernels {
namespace {

TEST(Kernels, ScalarIsAlwaysThere) {
  EXPECT_EQ(scalar().name, "scalar");
  EXPECT_NE(std::find(all().begin(), all().end(), &scalar()), all().end());
}

TEST(Kernels, TheBestIsOneOfThemAndSimdWhereThereIsSimd) {
  EXPECT_NE(std::find(all().begin(), all().end(), &best()), all().end());
#if HEADFLOW_HAS_SIMD128
  EXPECT_EQ(best().name, "simd128");
#else
  EXPECT_EQ(best().name, "scalar");
#endif
}

}  // namespace
}  // namespace headflow::kernels
