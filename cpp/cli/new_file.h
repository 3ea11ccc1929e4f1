// A file that appears whole or not at all: written beside its place, renamed when done, removed when not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>

namespace headflow::cli {

class NewFile {
 public:
  // Throws Error where it cannot be written.
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::byte> bytes);
  // Puts it in its place, over what was there.
  void finish();

 private:
  std::filesystem::path path_;
  std::filesystem::path unfinished_;
  std::ofstream file_;
};

}  // namespace headflow::cli
