#include "cli/new_file.h"

#include <system_error>

#include "base/error.h"

namespace headflow::cli {
namespace {

std::filesystem::path beside(std::filesystem::path path) {
  return path += ".part";
}

}  // namespace

NewFile::NewFile(const std::filesystem::path& path) : path_(path), unfinished_(beside(path)) {
  // A name that is taken is somebody's file.
  if (!std::filesystem::exists(unfinished_)) file_.open(unfinished_, std::ios::binary);
  if (!file_.is_open()) {
    throw Error(ErrorCode::kBadArgument, {unfinished_.string(), "no file that can be created",
                                          "a free name in a folder with room", "Remove what an earlier run left"});
  }
}

NewFile::~NewFile() {
  if (!file_.is_open()) return;
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(unfinished_, ignored);
}

void NewFile::write(std::span<const std::byte> bytes) {
  if (!file_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
    throw Error(ErrorCode::kBadArgument, {unfinished_.string(), "a failed write", "a disk with room"});
  }
}

void NewFile::finish() {
  if (!file_.flush())
    throw Error(ErrorCode::kBadArgument, {unfinished_.string(), "a failed write", "a disk with room"});
  std::error_code failure;
  std::filesystem::rename(unfinished_, path_, failure);
  if (failure) {
    throw Error(ErrorCode::kBadArgument, {path_.string(), failure.message(), "a place for the new file"});
  }
  file_.close();
}

}  // namespace headflow::cli
