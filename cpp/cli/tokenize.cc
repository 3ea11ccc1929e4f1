// `headflow tokenize`: a text as token ids and their bytes.

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/text.h"

namespace headflow::cli {

void tokenize(const TokenizeOptions& options, std::ostream& out) {
  const Tokenizer tokenizer(read_header(options.model));
  const std::vector<TokenId> ids = tokenizer.encode(options.text);
  nlohmann::ordered_json pieces = nlohmann::ordered_json::array();
  for (const TokenId id : ids) pieces.push_back(tokenizer.bytes(id));
  if (options.json) {
    out << dump({{"ids", ids}, {"pieces", pieces}}) << '\n';
    return;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) out << ids[i] << '\t' << dump(pieces[i]) << '\n';
}

}  // namespace headflow::cli
