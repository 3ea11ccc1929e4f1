// NumPy's .npy format, version 1.0: little-endian float32 in C order, as numpy.save writes it.
#pragma once

#include <cstddef>
#include <istream>
#include <ostream>
#include <span>
#include <vector>

namespace headflow::npy {

struct Array {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

// Only the header: the values of all rows follow, in order, by write_values.
void write_header(std::ostream& out, std::span<const std::size_t> shape);
void write_values(std::ostream& out, std::span<const float> values);

// Throws Error (malformed, truncated) for anything but little-endian float32 in C order.
[[nodiscard]] Array read(std::istream& in);

}  // namespace headflow::npy
