// What the tests read from files: their JSON data and vocabularies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "gguf/header.h"

namespace headflow::testing {

// Both throw std::runtime_error with a message for the reader where the file is missing.

// A file of cpp/tokenizer/testdata.
[[nodiscard]] nlohmann::json read_json(const std::string& name);

// The header of a GGUF file; `advice` says where the file comes from.
[[nodiscard]] gguf::Header read_header(const std::string& path, const std::string& advice);

// GPT-2's own 50257 tokens and 50000 merges, which `npm run vocabulary` writes.
[[nodiscard]] gguf::Header read_gpt2_vocabulary();

}  // namespace headflow::testing
