#include "cli/file_set.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "cli/input_file.h"
#include "cli/new_file.h"

namespace headflow::cli {
namespace {

constexpr std::uint64_t kLargestList = std::uint64_t{64} << 20;

[[noreturn]] void refuse(const std::filesystem::path& path, std::string got, std::string expected) {
  throw Error(ErrorCode::kBadArgument, {path.string(), std::move(got), std::move(expected)});
}

std::string reason() {
  return std::generic_category().message(errno);
}

// A name that an old list has must be one of this folder.
bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

FileSet::FileSet(std::filesystem::path folder, std::string list, Names names)
    : folder_(folder.empty() ? std::filesystem::path(".") : std::move(folder)),
      list_(std::move(list)),
      names_of_(std::move(names)) {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  if (failure) refuse(folder_, failure.message(), "a folder that can be written to");
  (void)old_names();
  std::string name = (folder_ / ".headflow-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) refuse(folder_, reason(), "a folder that can be written to");
  unfinished_ = name;
}

FileSet::~FileSet() {
  std::error_code ignored;
  std::filesystem::remove_all(unfinished_, ignored);
}

std::filesystem::path FileSet::place(const std::string& name) {
  names_.push_back(name);
  return unfinished_ / name;
}

std::vector<std::string> FileSet::old_names() const {
  const std::filesystem::path path = folder_ / list_;
  std::error_code none;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, none))) return {};
  std::optional<std::vector<std::string>> names;
  if (std::filesystem::is_regular_file(path, none)) {
    const nlohmann::ordered_json json =
        nlohmann::ordered_json::parse(InputFile(path).read_text(kLargestList), nullptr, false);
    if (json.is_object()) names = names_of_(json);
  }
  if (!names) refuse(path, "a file that this command did not write", "a free name, or an older result to replace");
  std::erase_if(*names, [](const std::string& name) { return !is_plain(name); });
  return *std::move(names);
}

void FileSet::require_free(const std::function<void(const std::filesystem::path&)>& check) const {
  for (const std::string& name : names_) {
    const std::filesystem::path path = folder_ / name;
    check(path);
    std::error_code none;
    const auto status = std::filesystem::symlink_status(path, none);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      refuse(path, "something that is no file", "a place for the new file");
    }
  }
}

void FileSet::finish(std::string_view list, const std::function<void(const std::filesystem::path&)>& check) {
  // Several may write to one folder: whoever comes last replaces the others' files as a whole.
  const Descriptor lock(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.is_open() || ::flock(lock.get(), LOCK_EX) != 0) refuse(folder_, reason(), "a folder that can be locked");
  check(folder_ / list_);
  require_free(check);
  const std::vector<std::string> old = old_names();
  for (const std::string& name : old) check(folder_ / name);

  NewFile new_list(unfinished_ / list_);
  new_list.write(list);
  new_list.finish();
  std::error_code ignored;
  std::filesystem::remove(folder_ / list_, ignored);
  for (const std::string& name : old) std::filesystem::remove(folder_ / name, ignored);
  names_.push_back(list_);
  for (const std::string& name : names_) {
    std::error_code failure;
    std::filesystem::rename(unfinished_ / name, folder_ / name, failure);
    if (failure) refuse(folder_ / name, failure.message(), "a place for the new file");
  }
}

}  // namespace headflow::cli
