// For tests: a header read from memory, in pieces, and the error where it cannot be read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "gguf/header_reader.h"

namespace headflow::gguf::testing {

inline std::vector<std::byte> file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no test data at " + path.string());
  const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(chars));
  return {bytes.begin(), bytes.end()};
}

// Pushes `bytes` in pieces until the header is complete or they end.
inline void push_all(HeaderReader& reader, std::span<const std::byte> bytes, std::size_t piece) {
  for (std::size_t at = 0; at < bytes.size() && reader.header() == nullptr; at += piece) {
    // A copy of just this size, so that a sanitizer sees reads past it.
    const std::span<const std::byte> part = bytes.subspan(at, std::min(piece, bytes.size() - at));
    reader.push(std::vector<std::byte>(part.begin(), part.end()));
  }
}

inline constexpr std::size_t kOnePiece = std::numeric_limits<std::size_t>::max() / 2;

inline Header read(std::span<const std::byte> bytes, std::size_t piece = kOnePiece,
                   std::optional<std::uint64_t> file_size = std::nullopt) {
  HeaderReader reader(file_size);
  push_all(reader, bytes, piece);
  reader.finish();
  return reader.take();
}

// As `read`, the file's size known to be that of `bytes`.
inline Header read_file(std::span<const std::byte> bytes, std::size_t piece = kOnePiece) {
  return read(bytes, piece, bytes.size());
}

// A tensor's bytes in the file.
inline std::span<const std::byte> data_of(std::span<const std::byte> file, const TensorInfo& tensor) {
  return file.subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.size));
}

// The error that reading ends in; there must be one.
inline Error error_of(std::span<const std::byte> bytes, std::size_t piece = kOnePiece,
                      std::optional<std::uint64_t> file_size = std::nullopt) {
  try {
    (void)read(bytes, piece, file_size);
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("the header was read");
}

inline bool is_refused(std::span<const std::byte> bytes, std::optional<std::uint64_t> file_size = std::nullopt) {
  try {
    (void)read(bytes, kOnePiece, file_size);
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace headflow::gguf::testing
