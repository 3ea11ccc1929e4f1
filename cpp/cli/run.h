// A run as a subcommand's options ask for it, and how its tokens are written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "cli/commands.h"
#include "cli/file_model.h"
#include "gpt2/edit.h"
#include "gpt2/session.h"

namespace headflow::cli {

// With tokens and edits set; nothing is computed yet. Throws Error (bad_argument) for a prompt without a token and for
// what is no head.
[[nodiscard]] gpt2::Session make_session(const FileModel& file, const RunOptions& options);

// Says on standard error what llama.cpp would do differently with this file, if anything.
void say_differences(const gguf::Header& header);

// [{"block", "head", "by"}]
[[nodiscard]] nlohmann::ordered_json off_json(std::span<const gpt2::Edit> edits);

// {"id", "piece", "bytes"}; `piece` has U+FFFD where the bytes are no UTF-8, `bytes` has them exactly.
[[nodiscard]] nlohmann::ordered_json token_json(const Tokenizer& tokenizer, TokenId id);
// "pieces" and "bytes" of tokens, in the same forms.
[[nodiscard]] nlohmann::ordered_json pieces_json(const Tokenizer& tokenizer, std::span<const TokenId> tokens);
[[nodiscard]] nlohmann::ordered_json bytes_json(const Tokenizer& tokenizer, std::span<const TokenId> tokens);
// Quoted and escaped, for a terminal; a byte that is no UTF-8 as "\xNN".
[[nodiscard]] std::string token_text(const Tokenizer& tokenizer, TokenId id);

// "0.9731", "12.3 %" and the like, with a fixed number of digits.
[[nodiscard]] std::string fixed(double value, int digits = 4);

}  // namespace headflow::cli
