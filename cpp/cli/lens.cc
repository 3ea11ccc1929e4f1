// `headflow lens`: what would come next after the embeddings and after each block.

#include "analysis/heads/lens.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/run.h"
#include "cli/text.h"

namespace headflow::cli {

void lens(const LensOptions& options, std::ostream& out) {
  FileModel file(options.run.model);
  gpt2::Session session = make_session(file, options.run);
  analysis::Lens query(session, session.tokens().size() - 1, options.count);
  file.run(session, query);

  const Tokenizer& tokenizer = file.model().tokenizer();
  auto layers = nlohmann::ordered_json::array();
  for (const analysis::LensLayer& layer : query.layers()) {
    auto tokens = nlohmann::ordered_json::array();
    if (!options.run.json) {
      out << (layer.depth == 0 ? "embeddings" : "block " + std::to_string(layer.depth - 1)) << "\trank " << layer.rank
          << '\t' << fixed(layer.probability);
    }
    for (const analysis::NextToken& token : layer.likeliest) {
      nlohmann::ordered_json entry = token_json(tokenizer, token.id);
      entry["probability"] = token.probability;
      tokens.push_back(entry);
      if (!options.run.json) out << '\t' << token_text(tokenizer, token.id) << ' ' << fixed(token.probability);
    }
    if (!options.run.json) out << '\n';
    layers.push_back({{"block", layer.depth == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(layer.depth - 1)},
                      {"rank", layer.rank},
                      {"probability", layer.probability},
                      {"tokens", tokens}});
  }
  if (options.run.json) out << dump(layers) << '\n';
}

}  // namespace headflow::cli
