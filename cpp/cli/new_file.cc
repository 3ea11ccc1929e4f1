#include "cli/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/error.h"

namespace headflow::cli {
namespace {

constexpr int kMostLinks = 40;  // As the system follows.
constexpr mode_t kPermissions = 07777;
constexpr mode_t kNewFile = 0666;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& got, std::string expected) {
  throw Error(ErrorCode::kBadArgument,
              {path.string(), got + " (" + std::generic_category().message(errno) + ")", std::move(expected)});
}

// What a chain of links leads to, also where nothing is there.
std::filesystem::path followed(std::filesystem::path path) {
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code none;
    if (!std::filesystem::is_symlink(path, none)) return path;
    const std::filesystem::path target = std::filesystem::read_symlink(path);
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  errno = ELOOP;
  refuse(path, "no end of links", "a place for the new file");
}

mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return kNewFile & ~mask;
}

}  // namespace

NewFile::NewFile(const std::filesystem::path& path) : path_(path) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    refuse(path, "no file that can be written", "a place for the new file");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!descriptor_.is_open()) refuse(path, "nothing that can be written to", "a file or device");
    return;
  }
  place_ = followed(path);
  std::string name = (place_.parent_path() / ("." + place_.filename().string() + ".XXXXXX")).string();
  descriptor_ = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!descriptor_.is_open()) refuse(path, "no file that can be created", "a folder with room that can be written to");
  unfinished_ = name;
  (void)::fchmod(descriptor_.get(), exists ? status.st_mode & kPermissions : default_mode());
}

NewFile::~NewFile() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

void NewFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(path_, "a failed write", "a disk with room");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void NewFile::finish() {
  // Devices and pipes have nothing to bring to a disk, and say so.
  if (!place_.empty() && ::fsync(descriptor_.get()) != 0) refuse(path_, "a failed write", "a disk with room");
  if (::close(descriptor_.release()) != 0) refuse(path_, "a failed write", "a disk with room");
  if (place_.empty()) return;
  if (::rename(unfinished_.c_str(), place_.c_str()) != 0) refuse(path_, "no new file", "a place for it");
  unfinished_.clear();
}

}  // namespace headflow::cli
