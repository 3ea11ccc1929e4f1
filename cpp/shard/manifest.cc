#include "shard/manifest.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace headflow::shard {
namespace {

using nlohmann::ordered_json;

constexpr int kVersion = 1;

ordered_json parts_json(const std::vector<Part>& parts) {
  ordered_json json = ordered_json::array();
  for (const Part& part : parts) json.push_back({{"name", part.name}, {"size", part.size}, {"sha256", part.sha256}});
  return json;
}

}  // namespace

ordered_json to_json(const Manifest& manifest) {
  return {{"format", kFormat},
          {"version", kVersion},
          {"name", manifest.file.name},
          {"size", manifest.file.size},
          {"sha256", manifest.file.sha256},
          {"header", {{"size", manifest.header.size}, {"sha256", manifest.header.sha256}}},
          {"pieces", parts_json(manifest.pieces)},
          {"tensors", parts_json(manifest.tensors)}};
}

std::optional<std::vector<std::string>> own_pieces(const ordered_json& manifest, const std::string& name) {
  if (!manifest.is_object() || manifest.value("format", ordered_json()) != kFormat) return std::nullopt;
  std::vector<std::string> names;
  for (const ordered_json& piece : manifest.value("pieces", ordered_json::array())) {
    if (!piece.is_object() || !piece.contains("name") || !piece["name"].is_string()) continue;
    // Only what is named so: a manifest is a file that anybody can have written.
    std::string piece_name = piece["name"].get<std::string>();
    if (piece_name.starts_with(name + "-") && piece_name.ends_with(".part")) names.push_back(std::move(piece_name));
  }
  return names;
}

}  // namespace headflow::shard
