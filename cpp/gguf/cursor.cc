#include "gguf/cursor.h"

#include "base/error.h"
#include "gguf/printable.h"

namespace headflow::gguf {
namespace {

// No header is larger, whatever its file says: GPT-2's has 2 MB, those of the largest vocabularies some 20 MB.
constexpr std::uint64_t kLargestHeader = std::uint64_t{1} << 28;

constexpr std::size_t kLengthBytes = sizeof(std::uint64_t);

// What is left of `end` bytes at `offset`.
std::uint64_t left(std::uint64_t end, std::uint64_t offset) {
  return end > offset ? end - offset : 0;
}

[[noreturn]] void refuse(ErrorCode code, std::string where, std::uint64_t count, std::uint64_t size, std::uint64_t room,
                         std::string hint) {
  const std::string unit = size == 1 ? " bytes" : " of at least " + std::to_string(size) + " bytes each";
  throw Error(code, {std::move(where), std::to_string(count) + unit, "at most " + std::to_string(room) + " bytes",
                     std::move(hint)});
}

}  // namespace

void Cursor::require_room(std::uint64_t count, std::uint64_t size, const std::string& what,
                          std::uint64_t skipped) const {
  const std::uint64_t begin = offset() + skipped;
  if (const std::uint64_t room = left(kLargestHeader, begin); count > room / size) {
    refuse(ErrorCode::kMalformed, at(what, offset()), count, size, room,
           "The file is damaged: no header is that large");
  }
  if (!file_size_) return;
  if (const std::uint64_t room = left(*file_size_, begin); count > room / size) {
    refuse(ErrorCode::kTruncated, at(what, offset()), count, size, room,
           "The file is cut short or damaged: fetch it again");
  }
}

bool Cursor::has(std::size_t size, const std::string& what) {
  require_room(size, 1, what);
  if (size <= bytes_.size() - at_) return true;
  wanted_ = at_ - kept_ + size;
  return false;
}

bool Cursor::has_string(std::uint64_t longest, const std::string& what) {
  if (!has(kLengthBytes, what)) return false;
  const auto length = peek<std::uint64_t>();
  if (length > longest) {
    throw Error(ErrorCode::kMalformed, {at(what, offset()), std::to_string(length) + " bytes",
                                        "at most " + std::to_string(longest), "The file is damaged"});
  }
  require_room(length, 1, what, kLengthBytes);
  return has(kLengthBytes + static_cast<std::size_t>(length), what);
}

std::string Cursor::take_string() {
  const auto length = static_cast<std::size_t>(take<std::uint64_t>());
  std::string text(length, '\0');
  if (length != 0) std::memcpy(text.data(), &bytes_[at_], length);
  at_ += length;
  return text;
}

}  // namespace headflow::gguf
