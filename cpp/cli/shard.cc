// `headflow shard`: a GGUF file in pieces, with a manifest of hashes that the page loads like one file.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/new_file.h"
#include "cli/text.h"
#include "shard/manifest.h"
#include "shard/split.h"

namespace headflow::cli {
namespace {

constexpr int kIndent = 1;

}  // namespace

void shard(const ShardOptions& options, std::ostream& out) {
  const gguf::Header header = read_header(options.model);
  const std::string name = options.model.filename().string();
  const std::uint64_t size = std::filesystem::file_size(options.model);
  std::vector<shard::Part> pieces =
      options.whole ? std::vector<shard::Part>{{name, size, {}}} : shard::plan_pieces(name, size, options.piece_size);
  const std::filesystem::path directory = options.directory.empty() ? options.model.parent_path() : options.directory;
  if (!directory.empty()) std::filesystem::create_directories(directory);

  std::optional<NewFile> file;
  const auto write = [&](const shard::Part& piece, std::span<const std::byte> bytes, bool last) {
    if (options.whole) return;
    if (!file) file.emplace(directory / piece.name);
    file->write(bytes);
    if (!last) return;
    file->finish();
    file.reset();
  };
  const shard::Manifest manifest = shard::split(header, name, std::move(pieces), open_bytes(options.model), write);

  // Last, so that it never names a piece that is not there.
  NewFile json(directory / (name + ".json"));
  const std::string text = dump(shard::to_json(manifest), kIndent) + "\n";
  json.write(std::as_bytes(std::span(text)));
  json.finish();
  if (!options.whole) out << manifest.pieces.size() << " pieces of at most " << options.piece_size << " bytes; ";
  out << "SHA-256 of the file, its header and " << manifest.tensors.size() << " tensors in "
      << (directory / (name + ".json")).string() << '\n';
}

}  // namespace headflow::cli
