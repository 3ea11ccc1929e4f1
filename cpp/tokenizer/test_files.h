// What the tests read from files: their JSON data and vocabularies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gguf/header.h"
#include "tokenizer/tokenizer.h"

namespace headflow::testing {

// All throw std::runtime_error with a message for the reader where the file is missing.

// A file of cpp/tokenizer/testdata.
[[nodiscard]] nlohmann::json read_json(const std::string& name);

// GPT-2's own 50257 tokens and 50000 merges, which `npm run vocabulary` writes.
[[nodiscard]] gguf::Header read_gpt2_vocabulary();

// The small model of cpp/testdata, and the tokens of one of its traces ("how", "cat").
[[nodiscard]] gguf::Header read_mini_vocabulary();
[[nodiscard]] std::vector<TokenId> traced_tokens(const std::string& trace);

}  // namespace headflow::testing
