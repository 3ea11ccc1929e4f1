#include "shard/manifest.h"

#include <nlohmann/json.hpp>

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

}  // namespace headflow::shard
