// A file to read: opened once, so that header and data are of the same file whatever is renamed meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "cli/descriptor.h"
#include "gguf/header.h"

namespace headflow::cli {

class InputFile {
 public:
  // Throws Error where there is no regular file that can be read. A FIFO is not waited for.
  explicit InputFile(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  // Fills `out` with the bytes from `offset` on. Throws Error (truncated) where the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  // Throws Error where the file is no GGUF file.
  [[nodiscard]] gguf::Header read_header() const;
  // All of it, of at most `largest` bytes.
  [[nodiscard]] std::string read_text(std::uint64_t largest) const;

  // Throws Error (bad_argument) where `path` leads to this file too.
  void require_other(const std::filesystem::path& path) const;

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace headflow::cli
