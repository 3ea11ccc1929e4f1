// libFuzzer's entry for the GGUF header reader: any bytes, in pieces of any size, are read or refused with an Error;
// what was read is the same whatever the pieces, and consistent.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "gguf/header_reader.h"
#include "gguf/json.h"

namespace {

using headflow::gguf::Header;
using headflow::gguf::HeaderReader;

// What a reading ends in: the header as text, or the error's message. Nothing where bytes are lacking.
std::optional<std::string> outcome(std::span<const std::byte> file, std::size_t piece,
                                   std::optional<std::uint64_t> file_size) {
  try {
    HeaderReader reader(file_size);
    while (reader.header() == nullptr && !file.empty()) {
      const std::size_t size = std::min(piece, file.size());
      reader.push(file.first(size));
      file = file.subspan(size);
    }
    if (reader.header() == nullptr) return std::nullopt;
    const Header header = reader.take();
    for (const auto& tensor : header.tensors) {
      const bool inside = tensor.offset >= header.data_offset && tensor.bytes().end <= header.end_offset;
      if (!inside || tensor.offset % header.alignment != 0) std::abort();
      if (file_size && tensor.bytes().end > *file_size) std::abort();
    }
    return to_json(header, std::numeric_limits<std::size_t>::max())
        .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  } catch (const headflow::Error& error) {
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first byte chooses how the rest is read.
  if (size == 0) return 0;
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size)).subspan(1);
  const std::optional<std::uint64_t> file_size =
      (data[0] & 1U) != 0 ? std::optional<std::uint64_t>(file.size()) : std::nullopt;
  const std::size_t piece = 1 + (data[0] >> 1U);
  const std::size_t whole = std::max<std::size_t>(file.size(), 1);
  if (outcome(file, piece, file_size) != outcome(file, whole, file_size)) std::abort();
  return 0;
}
