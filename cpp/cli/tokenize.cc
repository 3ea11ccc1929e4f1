// `headflow tokenize`: a text as token ids and their bytes.

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/input_file.h"
#include "cli/run.h"
#include "cli/text.h"

namespace headflow::cli {

void tokenize(const TokenizeOptions& options, std::ostream& out) {
  const gguf::Header header = InputFile(options.model).read_header();
  const Tokenizer tokenizer(header);
  say_differences(header);
  const std::vector<TokenId> ids = tokenizer.encode(options.text);
  if (options.json) {
    out << dump({{"ids", ids}, {"pieces", pieces_json(tokenizer, ids)}, {"bytes", bytes_json(tokenizer, ids)}}) << '\n';
    return;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    out << ids[i] << '\t' << token_text(tokenizer, ids[i]) << '\n';
  }
}

}  // namespace headflow::cli
