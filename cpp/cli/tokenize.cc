// `headflow tokenize`: a text as token ids and their bytes; with --merges, how each word's bytes became tokens.

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/input_file.h"
#include "cli/run.h"
#include "cli/text.h"

namespace headflow::cli {
namespace {

nlohmann::ordered_json word_json(const Tokenizer& tokenizer, const MergedWord& word) {
  auto passes = nlohmann::ordered_json::array();
  for (const MergePass& pass : word.passes) {
    passes.push_back({{"rank", pass.rank},
                      {"left", pass.merge.left},
                      {"right", pass.merge.right},
                      {"result", pass.merge.result},
                      {"ids", pass.pieces}});
  }
  const std::vector<TokenId>& ids = word.tokens();
  return {{"word", word.bytes}, {"byte_ids", word.byte_tokens},          {"merges", passes},
          {"ids", ids},         {"pieces", pieces_json(tokenizer, ids)}, {"bytes", bytes_json(tokenizer, ids)}};
}

void print_word(const Tokenizer& tokenizer, const MergedWord& word, std::ostream& out) {
  const auto print = [&](const std::vector<TokenId>& ids) {
    for (const TokenId id : ids) out << ' ' << token_text(tokenizer, id);
    out << '\n';
  };
  out << "bytes\t\t";
  print(word.byte_tokens);
  for (const MergePass& pass : word.passes) {
    out << "merge " << pass.rank << '\t' << token_text(tokenizer, pass.merge.left) << " + "
        << token_text(tokenizer, pass.merge.right) << '\t';
    print(pass.pieces);
  }
}

void print_merges(const Tokenizer& tokenizer, const TokenizeOptions& options, std::ostream& out) {
  auto list = nlohmann::ordered_json::array();
  for (std::string_view rest = options.text; !rest.empty();) {
    const MergedWord word = tokenizer.merge_first_word(rest);
    rest.remove_prefix(word.bytes.size());
    if (options.json) {
      list.push_back(word_json(tokenizer, word));
      continue;
    }
    print_word(tokenizer, word, out);
    for (const TokenId id : word.tokens()) out << id << '\t' << token_text(tokenizer, id) << '\n';
  }
  if (options.json) out << dump(list) << '\n';
}

}  // namespace

void tokenize(const TokenizeOptions& options, std::ostream& out) {
  const gguf::Header header = InputFile(options.model).read_header();
  const Tokenizer tokenizer(header);
  say_differences(header);
  if (options.merges) return print_merges(tokenizer, options, out);
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
