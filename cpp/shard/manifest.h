// What says of a GGUF file which pieces it lies in and which hashes its parts have, as JSON that the page reads
// (web/engine/source/manifest.ts).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headflow::shard {

// A file of its own, or the header: size in bytes, SHA-256 as hexadecimal digits.
struct Part {
  std::string name;
  std::uint64_t size = 0;
  std::string sha256;
};

// What its "format" says.
inline constexpr std::string_view kFormat = "headflow-shards";

struct Manifest {
  Part file;                  // All of it.
  Part header;                // The bytes before the tensors' data, padding included; it has no name.
  std::vector<Part> pieces;   // One after another they are the file.
  std::vector<Part> tensors;  // In the order of the file's directory.
};

// {"format": "headflow-shards", "version": 1, "name", "size", "sha256", "header": {"size", "sha256"},
//  "pieces": [{"name", "size", "sha256"}], "tensors": [{"name", "size", "sha256"}]}
[[nodiscard]] nlohmann::ordered_json to_json(const Manifest& manifest);

// The pieces that an older manifest of a file named `name` lists, and that `plan_pieces` can have named; nothing where
// the JSON is no manifest.
[[nodiscard]] std::optional<std::vector<std::string>> own_pieces(const nlohmann::ordered_json& manifest,
                                                                 const std::string& name);

}  // namespace headflow::shard
