// A file that appears whole or not at all: written beside its place, renamed when done, removed when not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "cli/descriptor.h"

namespace headflow::cli {

// What `path` is decides how it is written. A regular file or nothing: a new file with a name of its own beside it is
// renamed over it, with the old one's mode. A symbolic link: the same for the file that it leads to; the link stays.
// A device, FIFO or socket: written to as it is, since it cannot be replaced; what was written then stays written.
class NewFile {
 public:
  // Throws Error where it cannot be written.
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();
  NewFile(NewFile&&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Puts it in its place, over what was there. Throws Error where not all could be written.
  void finish();

 private:
  std::filesystem::path path_;        // As given, for messages.
  std::filesystem::path place_;       // Where it will be; empty where it is written directly.
  std::filesystem::path unfinished_;  // Beside it.
  Descriptor descriptor_;
};

}  // namespace headflow::cli
