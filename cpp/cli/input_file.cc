#include "cli/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "gguf/header_reader.h"

namespace headflow::cli {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

std::string reason() {
  return std::generic_category().message(errno);
}

}  // namespace

InputFile::InputFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (!descriptor_.is_open()) {
    throw Error(ErrorCode::kBadArgument, {path_.string(), "no file that can be read (" + reason() + ")", "a file"});
  }
  struct stat status{};
  if (::fstat(descriptor_.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::kBadArgument,
                {path_.string(), "no regular file", "a file that can be read at any place", "Save it to a file first"});
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count = ::pread(descriptor_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw Error(ErrorCode::kTruncated,
                  {path_.string() + ", byte " + std::to_string(offset), count < 0 ? reason() : "the end of the file",
                   std::to_string(out.size()) + " more bytes"});
    }
    offset += static_cast<std::uint64_t>(count);
    out = out.subspan(static_cast<std::size_t>(count));
  }
}

gguf::Header InputFile::read_header() const {
  gguf::HeaderReader reader(size_);
  std::vector<std::byte> piece(kPieceBytes);
  while (reader.header() == nullptr) {
    const std::uint64_t left = size_ - reader.position();
    if (left == 0) reader.finish();
    const std::span<std::byte> part =
        std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, piece.size())));
    read(reader.position(), part);
    reader.push(part);
  }
  return reader.take();
}

std::string InputFile::read_text(std::uint64_t largest) const {
  if (size_ > largest) {
    throw Error(ErrorCode::kBadArgument, {path_.string(), std::to_string(size_) + " bytes",
                                          "at most " + std::to_string(largest), "Is this the right file?"});
  }
  std::string text(static_cast<std::size_t>(size_), '\0');
  read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

void InputFile::require_other(const std::filesystem::path& path) const {
  struct stat own{};
  struct stat other{};
  if (::fstat(descriptor_.get(), &own) != 0 || ::stat(path.c_str(), &other) != 0) return;
  if (own.st_dev != other.st_dev || own.st_ino != other.st_ino) return;
  throw Error(ErrorCode::kBadArgument,
              {path.string(), "the file to be read", "another one", "Give the new file another name"});
}

}  // namespace headflow::cli
