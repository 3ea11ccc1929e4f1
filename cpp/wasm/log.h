// The runtime log for JavaScript, under the names of web/engine/api.ts: its entries, and a reader of one node's values.
#pragma once

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstddef>
#include <string>

#include "gpt2/model.h"

namespace headflow::wasm {

EMSCRIPTEN_DECLARE_VAL_TYPE(LogEntries)

// For a prompt of `tokens` tokens, those that `filter` matches: all of them where it is empty.
[[nodiscard]] LogEntries log_entries(const gpt2::Model& model, std::size_t tokens, const std::string& filter);

// Registers them and the class LogValuesReader.
void register_log();

}  // namespace headflow::wasm
