#include "npy/npy.h"

#include <array>
#include <bit>
#include <charconv>
#include <string>
#include <string_view>

#include "base/error.h"

namespace headflow::npy {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};
constexpr std::size_t kAlignment = 64;

// The text after `key`, up to the end of the header.
std::string_view after(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) {
    throw Error(ErrorCode::kMalformed, {".npy header", std::string(header), "a dictionary with " + std::string(key)});
  }
  return header.substr(at + key.size());
}

std::vector<std::size_t> parse_shape(std::string_view text) {
  std::vector<std::size_t> shape;
  const std::string_view numbers = text.substr(0, text.find(')'));
  for (const char* at = numbers.data(); at != numbers.data() + numbers.size();) {
    std::size_t value = 0;
    const auto [end, failure] = std::from_chars(at, numbers.data() + numbers.size(), value);
    if (failure == std::errc{}) shape.push_back(value);
    at = failure == std::errc{} ? end : at + 1;
  }
  return shape;
}

}  // namespace

void write_header(std::ostream& out, std::span<const std::size_t> shape) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const std::size_t length : shape) header += std::to_string(length) + ", ";
  if (shape.size() > 1) header.resize(header.size() - 2);
  header += "), }";
  const std::size_t unpadded = kMagic.size() + 2 + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  const std::array<char, 2> length = {static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  out.write(kMagic.data(), kMagic.size()).write(length.data(), length.size());
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
}

void write_values(std::ostream& out, std::span<const float> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Array read(std::istream& in) {
  std::array<char, 10> start{};
  if (!in.read(start.data(), start.size())) throw Error(ErrorCode::kTruncated, {".npy header", "fewer bytes", "10"});
  if (std::string_view(start.data(), kMagic.size()) != kMagic) {
    throw Error(ErrorCode::kBadMagic, {".npy file", "another beginning", "\\x93NUMPY, version 1.0"});
  }
  std::string header(static_cast<unsigned char>(start[8]) + 256U * static_cast<unsigned char>(start[9]), '\0');
  if (!in.read(header.data(), static_cast<std::streamsize>(header.size()))) {
    throw Error(ErrorCode::kTruncated, {".npy header", "fewer bytes", std::to_string(header.size())});
  }
  if (!after(header, "'descr': ").starts_with("'<f4'") || !after(header, "'fortran_order': ").starts_with("False")) {
    throw Error(ErrorCode::kMalformed, {".npy header", header, "little-endian float32 in C order"});
  }
  Array array{parse_shape(after(header, "'shape': (")), {}};
  std::size_t size = 1;
  for (const std::size_t length : array.shape) size *= length;
  // Grows as the bytes arrive, so that a header cannot ask for more than the file has.
  std::array<float, 4096> piece{};
  while (array.values.size() < size) {
    const std::size_t count = std::min(piece.size(), size - array.values.size());
    if (!in.read(reinterpret_cast<char*>(piece.data()), static_cast<std::streamsize>(count * sizeof(float)))) {
      throw Error(ErrorCode::kTruncated, {".npy values", "fewer", std::to_string(size)});
    }
    array.values.insert(array.values.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return array;
}

}  // namespace headflow::npy
