// `headflow generate`: continues a text token by token, from the KV cache.

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "cli/text.h"

namespace headflow::cli {
namespace {

nlohmann::ordered_json removed(std::size_t tokens, double probability) {
  return {{"tokens", tokens}, {"probability", probability}};
}

nlohmann::ordered_json draw_json(const Tokenizer& tokenizer, const analysis::Draw& draw) {
  nlohmann::ordered_json json = token_json(tokenizer, draw.id);
  json["probability"] = draw.probability;
  json["removed_by_top_k"] = removed(draw.tokens_removed_by_top_k, draw.removed_by_top_k);
  json["removed_by_top_p"] = removed(draw.tokens_removed_by_top_p, draw.removed_by_top_p);
  json["kept"] = draw.kept.size();
  return json;
}

}  // namespace

void generate(const GenerateOptions& options, std::ostream& out) {
  FileModel file(options.model);
  const Tokenizer& tokenizer = file.model().tokenizer();
  const std::size_t context = file.model().config().context_length;
  std::vector<TokenId> tokens = tokenizer.encode(options.prompt);
  if (tokens.empty()) {
    throw Error(ErrorCode::kBadArgument, {"--prompt", "no token", "at least one", "Give the text to continue"});
  }
  if (options.count > context - std::min(context, tokens.size())) {
    throw Error(ErrorCode::kContextOverflow,
                {"-n", std::to_string(tokens.size()) + " + " + std::to_string(options.count) + " tokens",
                 "at most the context's " + std::to_string(context), "Shorten the prompt or ask for fewer"});
  }
  say_differences(file.model().header());
  analysis::Sampler sampler(options.sampler);
  gpt2::Session session(file.shared());
  std::vector<float> logits(file.model().config().vocabulary_size);
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  TerminalText shown;
  // A reader that has gone is noticed at the next token.
  const auto write = [&](std::string_view text) {
    out << (terminal && !options.json ? shown.push(text) : std::string(text)) << std::flush;
    if (!out) throw Error(ErrorCode::kBadArgument, {"standard output", "a failed write", "a reader, or room"});
  };
  if (!options.json) write(options.prompt);
  for (std::size_t i = 0; i < options.count; ++i) {
    session.set_tokens(tokens);
    file.run(session, {{gpt2::StageKind::kLogits, 0}, {tokens.size() - 1, tokens.size()}});
    session.read({gpt2::Node::kLogits, 0}, 0, tokens.size() - 1, tokens.size(), logits);
    const analysis::Draw draw = sampler.draw(logits);
    tokens.push_back(draw.id);
    write(options.json ? dump(draw_json(tokenizer, draw)) + '\n' : std::string(tokenizer.bytes(draw.id)));
  }
  if (!options.json) out << shown.finish() << '\n';
}

}  // namespace headflow::cli
