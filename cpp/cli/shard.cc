// `headflow shard`: a GGUF file in pieces, with a manifest of hashes that the page loads like one file.

#include <algorithm>
#include <nlohmann/json.hpp>
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

// The pieces that an older manifest names; none where they are the file itself.
std::optional<std::vector<std::string>> pieces_of(const nlohmann::ordered_json& manifest, const std::string& name) {
  if (manifest.value("format", nlohmann::ordered_json()) != shard::kFormat) return std::nullopt;
  std::vector<std::string> names;
  for (const nlohmann::ordered_json& piece : manifest.value("pieces", nlohmann::ordered_json::array())) {
    if (!piece.is_object() || !piece.contains("name") || !piece["name"].is_string()) continue;
    // Only what this command names so: a manifest is a file that anybody can have written.
    std::string piece_name = piece["name"].get<std::string>();
    if (piece_name.starts_with(name + "-") && piece_name.ends_with(".part")) names.push_back(std::move(piece_name));
  }
  return names;
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
                [&](const nlohmann::ordered_json& manifest) { return pieces_of(manifest, name); });

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
