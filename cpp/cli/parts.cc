// `headflow parts`: what wrote a token's logit: embeddings, each head, biases, each MLP; or how it came to exceed
// another's.

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/heads/logit_parts.h"
#include "analysis/sampling/next_token.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/run.h"
#include "cli/text.h"

namespace headflow::cli {
namespace {

using Json = nlohmann::ordered_json;

TokenId likeliest_after(FileModel& file, gpt2::Session& session, std::size_t row) {
  const gpt2::NodeRef node{gpt2::Node::kLogits, 0};
  file.run(session, gpt2::goal_for(node, {row, row + 1}));
  std::vector<float> logits(file.model().config().vocabulary_size);
  session.read(node, 0, row, row + 1, logits);
  return analysis::likeliest(logits, 1).front().id;
}

analysis::LogitParts parts_of(FileModel& file, gpt2::Session& session, std::size_t row, TokenId token) {
  analysis::LogitPartsOf query(session, row, token);
  file.run(session, query);
  return query.result();
}

// The parts of a difference are the differences of the parts.
void subtract(analysis::LogitParts& from, const analysis::LogitParts& other) {
  for (std::size_t i = 0; i < from.parts.size(); ++i) from.parts[i].value -= other.parts[i].value;
  from.sum -= other.sum;
  from.logit -= other.logit;
  from.magnitude += other.magnitude;
}

std::string place_of(const analysis::LogitPart& part) {
  using analysis::LogitSource;
  std::string text = name(part.source);
  const bool of_block = part.source == LogitSource::kOutputBias || part.source == LogitSource::kMlp;
  if (of_block) text += " " + std::to_string(part.block);
  if (part.source == LogitSource::kHead) text += " " + std::to_string(part.block) + "." + std::to_string(part.head);
  return text;
}

}  // namespace

void parts(const PartsOptions& options, std::ostream& out) {
  FileModel file(options.run.model);
  gpt2::Session session = make_session(file, options.run);
  const std::size_t row = session.tokens().size() - 1;
  const TokenId token = options.token ? *options.token : likeliest_after(file, session, row);
  analysis::LogitParts found = parts_of(file, session, row, token);
  if (options.against) subtract(found, parts_of(file, session, row, *options.against));

  const Tokenizer& tokenizer = file.model().tokenizer();
  if (options.run.json) {
    auto list = Json::array();
    for (const analysis::LogitPart& part : found.parts) {
      list.push_back(
          {{"source", name(part.source)}, {"block", part.block}, {"head", part.head}, {"value", part.value}});
    }
    Json json{{"token", token_json(tokenizer, token)}};
    if (options.against) json["against"] = token_json(tokenizer, *options.against);
    json["parts"] = list;
    json["sum"] = found.sum;
    json["logit"] = found.logit;
    json["bound"] = found.bound();
    out << dump(json) << '\n';
    return;
  }
  for (const analysis::LogitPart& part : found.parts) out << fixed(part.value) << '\t' << place_of(part) << '\n';
  out << fixed(found.sum) << "\tsum\n" << fixed(found.logit) << "\tlogit of " << token_text(tokenizer, token);
  if (options.against) out << " less that of " << token_text(tokenizer, *options.against);
  out << "\n"
      << fixed(std::abs(found.sum - found.logit), 9) << "\tbetween the two, of at most " << fixed(found.bound(), 9)
      << " that rounding may leave\n";
}

}  // namespace headflow::cli
