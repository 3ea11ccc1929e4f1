#include "gguf/magic.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "gguf/printable.h"

namespace headflow::gguf {
namespace {

constexpr std::string_view kMagic = "GGUF";

// A 64-bit length below 2^32, then JSON.
bool is_safetensors(std::string_view start) {
  return start.size() > 8 && start.substr(4, 4) == std::string_view("\0\0\0\0", 4) && start[8] == '{';
}

std::string hint(std::string_view start) {
  const std::string_view text = start.substr(std::min(start.size(), start.find_first_not_of("\xEF\xBB\xBF \t\r\n")));
  if (start.starts_with("version https://git-lfs")) {
    return "This is a Git LFS pointer: fetch the file that it stands for, with \"git lfs pull\"";
  }
  if (is_safetensors(start)) return "This is a safetensors file: convert the model to GGUF";
  if (start.starts_with("PK\x03\x04"))
    return "This is a zip archive, as PyTorch's checkpoints are: convert the model to GGUF";
  if (start.starts_with("\x1F\x8B")) return "This is a gzip file: unpack it first";
  if (start.starts_with("tjgg") || start.starts_with("lmgg") || start.starts_with("fmgg")) {
    return "This is a model file of a format older than GGUF: convert the model again";
  }
  if (text.starts_with("<")) return "This is a web page: check the file's address";
  if (text.starts_with("{") || text.starts_with("[")) return "This is JSON: check the file's address";
  return "Headflow reads GGUF files alone";
}

}  // namespace

void require_gguf(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), std::min(start.size(), kMagicBytes));
  const std::size_t length = std::min(text.size(), kMagic.size());
  if (text.substr(0, length) == kMagic.substr(0, length)) return;
  throw Error(ErrorCode::kBadMagic, {"start of the file, at byte 0", '"' + printable(text.substr(0, length)) + '"',
                                     '"' + std::string(kMagic) + '"', hint(text)});
}

}  // namespace headflow::gguf
