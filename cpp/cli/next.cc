// `headflow next`: the likeliest next tokens, also with heads switched off.

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/sampling/next_token.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/run.h"
#include "cli/text.h"

namespace headflow::cli {

void next(const NextOptions& options, std::ostream& out) {
  FileModel file(options.run.model);
  gpt2::Session session = make_session(file, options.run);
  const std::size_t rows = session.tokens().size();
  const gpt2::NodeRef node{gpt2::Node::kLogits, 0};
  file.run(session, gpt2::goal_for(node, {rows - 1, rows}));
  std::vector<float> logits(file.model().config().vocabulary_size);
  session.read(node, 0, rows - 1, rows, logits);

  const Tokenizer& tokenizer = file.model().tokenizer();
  auto list = nlohmann::ordered_json::array();
  for (const analysis::NextToken& token : analysis::likeliest(logits, options.count)) {
    if (!options.run.json) {
      out << fixed(token.probability) << '\t' << token.id << '\t' << token_text(tokenizer, token.id) << '\n';
      continue;
    }
    nlohmann::ordered_json entry = token_json(tokenizer, token.id);
    entry["probability"] = token.probability;
    entry["logit"] = token.logit;
    list.push_back(entry);
  }
  if (options.run.json) out << dump(list) << '\n';
}

}  // namespace headflow::cli
