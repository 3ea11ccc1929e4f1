// `headflow heads`: what each head does on a prompt, and what comes next without it.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "analysis/heads/head_effects.h"
#include "analysis/heads/head_statistics.h"
#include "analysis/heads/logit_parts.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/run.h"
#include "cli/text.h"

namespace headflow::cli {
namespace {

// Rows of probabilities that are read at once.
constexpr std::size_t kBand = 16;

analysis::HeadStatistics statistics_of(FileModel& file, gpt2::Session& session, std::size_t block, std::size_t head) {
  const std::size_t rows = session.tokens().size();
  const gpt2::NodeRef node{gpt2::Node::kProbabilities, block};
  analysis::HeadStatisticsBuilder builder(session.tokens());
  std::vector<float> band;
  for (std::size_t first = 0; first < rows; first += kBand) {
    const std::size_t last = std::min(rows, first + kBand);
    file.run(session, gpt2::goal_for(node, {first, last}));
    band.resize((last - first) * rows);
    session.read(node, head, first, last, band);
    builder.add(band);
  }
  return builder.finish();
}

// JSON has no NaN: of one token there are no means.
nlohmann::ordered_json number(double value) {
  return value == value ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

std::string cell(const nlohmann::ordered_json& value) {
  return value.is_number() ? fixed(value.get<double>()) : "-";
}

}  // namespace

void heads(const RunOptions& options, std::ostream& out) {
  FileModel file(options.model);
  gpt2::Session session = make_session(file, options);
  const gpt2::EditKind kind = options.off_by == "mean" ? gpt2::EditKind::kMean : gpt2::EditKind::kZero;
  analysis::HeadEffects effects(session, kind);
  file.run(session, effects);
  analysis::LogitPartsOf direct(session, session.tokens().size() - 1, effects.first());
  file.run(session, direct);
  std::map<std::pair<std::size_t, std::size_t>, double> written;
  for (const analysis::LogitPart& part : direct.result().parts) {
    if (part.source == analysis::LogitSource::kHead) written[{part.block, part.head}] = part.value;
  }

  std::vector<analysis::HeadEffect> ranked(effects.effects().begin(), effects.effects().end());
  std::ranges::stable_sort(ranked, {}, [](const analysis::HeadEffect& effect) {
    return std::tuple(effect.after, effect.block, effect.head);
  });
  auto list = nlohmann::ordered_json::array();
  const Tokenizer& tokenizer = file.model().tokenizer();
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
    const analysis::HeadEffect& effect = ranked[rank];
    const analysis::HeadStatistics statistics = statistics_of(file, session, effect.block, effect.head);
    nlohmann::ordered_json entry = {{"block", effect.block},
                                    {"head", effect.head},
                                    {"previous", number(double{statistics.previous_token})},
                                    {"first", number(double{statistics.first_token})},
                                    {"itself", number(double{statistics.self})},
                                    {"repeats", nullptr},
                                    {"entropy", number(double{statistics.entropy})}};
    if (statistics.repeats) entry["repeats"] = double{*statistics.repeats};
    entry.update(token_json(tokenizer, effects.first()));
    entry["before"] = effects.before();
    entry["after"] = effect.after;
    entry["kl"] = effect.divergence;
    entry["direct"] = written[{effect.block, effect.head}];
    entry["rank"] = rank + 1;
    entry["first_after"] = token_json(tokenizer, effect.first_after);
    list.push_back(std::move(entry));
  }
  if (options.json) {
    out << dump(list) << '\n';
    return;
  }
  out << "next with all of them: " << token_text(tokenizer, effects.first()) << ' ' << fixed(effects.before()) << '\n'
      << "head\tafter\tfirst then\tkl\tdirect\tprevious\tfirst\titself\trepeats\tentropy\n";
  for (const nlohmann::ordered_json& entry : list) {
    out << entry["block"] << '.' << entry["head"] << '\t' << cell(entry["after"]) << '\t'
        << token_text(tokenizer, entry["first_after"]["id"].get<TokenId>()) << '\t' << cell(entry["kl"]) << '\t'
        << cell(entry["direct"]) << '\t' << cell(entry["previous"]) << '\t' << cell(entry["first"]) << '\t'
        << cell(entry["itself"]) << '\t' << cell(entry["repeats"]) << '\t' << cell(entry["entropy"]) << '\n';
  }
}

}  // namespace headflow::cli
