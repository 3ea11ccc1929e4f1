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

// [{"block", "head", "by"}]
[[nodiscard]] nlohmann::ordered_json off_json(std::span<const gpt2::Edit> edits);

// {"id", "piece", "bytes"}; `piece` has U+FFFD where the bytes are no UTF-8, `bytes` has them exactly.
[[nodiscard]] nlohmann::ordered_json token_json(const Tokenizer& tokenizer, TokenId id);
// Quoted and escaped, for a terminal.
[[nodiscard]] std::string token_text(const Tokenizer& tokenizer, TokenId id);

// "0.9731", "12.3 %" and the like, with a fixed number of digits.
[[nodiscard]] std::string fixed(double value, int digits = 4);

}  // namespace headflow::cli
