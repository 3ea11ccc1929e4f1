// `headflow shard`: a GGUF file in pieces, with a manifest of hashes that the page loads like one file.

#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_set.h"
#include "cli/input_file.h"
#include "cli/new_file.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "shard/manifest.h"
#include "shard/split.h"
#include "tokenizer/utf8.h"

namespace headflow::cli {
namespace {

constexpr int kIndent = 1;

// The manifest names pieces in JSON, which has no other bytes.
void require_utf8(std::string_view name) {
  for (std::string_view rest = name; !rest.empty(); rest.remove_prefix(first_code_point(rest).size)) {
    if (first_code_point(rest).value) continue;
    throw Error(ErrorCode::kBadArgument, {"the name of the file", one_line(name), "a name in UTF-8",
                                          "Rename the file: its manifest could not name the pieces"});
  }
}

}  // namespace

void shard(const ShardOptions& options, std::ostream& out) {
  const InputFile file(options.model);
  const gguf::Header header = file.read_header();
  const std::string name = options.model.filename().string();
  require_utf8(name);
  std::vector<shard::Part> pieces = options.whole ? std::vector<shard::Part>{{name, file.size(), {}}}
                                                  : shard::plan_pieces(name, file.size(), options.piece_size);
  const std::filesystem::path directory = options.directory.empty() ? options.model.parent_path() : options.directory;
  FileSet files(directory, name + ".json",
                [&](const nlohmann::ordered_json& manifest) { return shard::own_pieces(manifest, name); });

  std::optional<NewFile> piece_file;
  const auto write = [&](const shard::Part& piece, std::span<const std::byte> bytes, bool last) {
    if (options.whole) return;
    if (!piece_file) piece_file.emplace(files.place(piece.name));
    piece_file->write(bytes);
    if (!last) return;
    piece_file->finish();
    piece_file.reset();
  };
  const shard::Manifest manifest = shard::split(
      header, name, std::move(pieces),
      [&](std::uint64_t offset, std::span<std::byte> bytes) { file.read(offset, bytes); }, write);
  files.finish(dump(shard::to_json(manifest), kIndent) + "\n",
               [&](const std::filesystem::path& path) { file.require_other(path); });
  if (!options.whole) out << manifest.pieces.size() << " pieces of at most " << options.piece_size << " bytes; ";
  out << "SHA-256 of the file, its header and " << manifest.tensors.size() << " tensors in "
      << one_line((directory / (name + ".json")).string()) << '\n';
}

}  // namespace headflow::cli
