// Files of one folder that belong together, named by a list among them: they appear together, and those that an older
// list names go.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/descriptor.h"

namespace headflow::cli {

class FileSet {
 public:
  // The names of the files that an older list names; nothing where it is no such list.
  using Names = std::function<std::optional<std::vector<std::string>>(const nlohmann::ordered_json& list)>;

  // `list`: the name of the JSON file that names the others. Throws Error where the folder cannot be written to, and
  // where a file of that name is there that is no such list: it is somebody's.
  FileSet(std::filesystem::path folder, std::string list, Names names);
  ~FileSet();
  FileSet(FileSet&&) = delete;

  // A file for writing, in a folder of its own until `finish`.
  [[nodiscard]] std::filesystem::path place(const std::string& name);
  // Removes the old list and its files, brings the new ones to their places, and writes the new list last, so that it
  // never names what is not there. One process at a time. Throws Error, before anything is removed, where a place is
  // taken by what is no file, or `check` throws for it.
  void finish(std::string_view list, const std::function<void(const std::filesystem::path&)>& check);

 private:
  [[nodiscard]] std::vector<std::string> old_names() const;
  void require_free(const std::function<void(const std::filesystem::path&)>& check) const;

  std::filesystem::path folder_;
  std::string list_;
  Names names_of_;
  std::filesystem::path unfinished_;  // A folder within.
  std::vector<std::string> names_;
};

}  // namespace headflow::cli
