// Any text as an older manifest in a new one's place: it is none, or names pieces of that file alone, once read as JSON
// that says the same when it is written again.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shard/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headflow;
  const std::string name = "m.gguf";
  const auto json = nlohmann::ordered_json::parse(data, data + size, nullptr, false);
  const std::optional<std::vector<std::string>> pieces = shard::own_pieces(json, name);
  if (!pieces) return 0;
  for (const std::string& piece : *pieces) {
    if (!piece.starts_with(name + "-") || !piece.ends_with(".part")) std::abort();
  }
  if (shard::own_pieces(nlohmann::ordered_json::parse(json.dump()), name) != pieces) std::abort();
  return 0;
}
