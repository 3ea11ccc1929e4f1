// The .npy writer against bytes that numpy.save wrote, and the reader against the writer and against bad input.

#include "npy/npy.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/error.h"

namespace headflow::npy {
namespace {

std::string written(std::span<const std::size_t> shape, std::span<const float> values) {
  std::ostringstream out;
  write_header(out, shape);
  write_values(out, values);
  return out.str();
}

TEST(Npy, HeaderIsNumPys) {
  const std::size_t shape[] = {2, 3};
  const std::string bytes = written(shape, {});
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(bytes, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dictionary +
                       std::string(118 - 1 - dictionary.size(), ' ') + "\n");
}

TEST(Npy, OneAxisHasItsComma) {
  const std::size_t shape[] = {5};
  EXPECT_NE(written(shape, {}).find("'shape': (5, ), "), std::string::npos);
}

TEST(Npy, ReadsWhatItWrote) {
  const std::size_t shape[] = {2, 1, 3};
  const float values[] = {0.0F, -0.0F, 1.5F, -2.25F, 1e-40F, 3e38F};
  std::istringstream in(written(shape, values));
  const Array array = read(in);
  EXPECT_EQ(array.shape, std::vector<std::size_t>({2, 1, 3}));
  EXPECT_EQ(array.values, std::vector<float>(std::begin(values), std::end(values)));
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::size_t shape[] = {2};
  const float values[] = {1.0F, 2.0F};
  const std::string whole = written(shape, values);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::istringstream in(whole.substr(0, size));
    EXPECT_THROW((void)read(in), Error) << size;
  }
}

}  // namespace
}  // namespace headflow::npy
