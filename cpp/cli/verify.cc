// `headflow verify`: a model's numbers, checked by what must hold of any and by what is known of this one.

#include <algorithm>
#include <array>
#include <cstdio>
#include <iomanip>
#include <limits>
#include <string>
#include <vector>

#include "analysis/checks/block_checks.h"
#include "analysis/checks/published.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/terminal.h"

namespace headflow::cli {
namespace {

constexpr std::string_view kPrompt = "The cat sat on the mat because it was tired, and the dog sat beside it.";
constexpr std::uint64_t kLargestGolden = std::uint64_t{64} << 20;
constexpr std::uint64_t kWork = std::numeric_limits<std::uint64_t>::max();

std::string short_number(double value) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

const char* verdict(bool holds) {
  return holds ? "ok" : "FAILED";
}

// The checks of one block.
std::vector<analysis::Check> check_block(const FileModel& file, gpt2::Session& session, std::size_t block) {
  const gpt2::RowRange rows{0, session.tokens().size()};
  while (!session.advance({{gpt2::StageKind::kAttention, block}, rows}, kWork).done ||
         !session.advance({{gpt2::StageKind::kMlp, block}, rows}, kWork).done) {
  }
  analysis::BlockChecks checks(file.shared(), session.tokens(), block);
  while (!checks.advance(analysis::reader(session), kWork)) {
  }
  return checks.results();
}

std::vector<TokenId> tokens_of_prompt(const FileModel& file) {
  std::vector<TokenId> tokens = file.model().tokenizer().encode(kPrompt);
  tokens.resize(std::min(tokens.size(), file.model().config().context_length));
  return tokens;
}

bool verify_identities(const FileModel& file, std::ostream& out) {
  const gpt2::Config& config = file.model().config();
  const std::vector<TokenId> tokens = tokens_of_prompt(file);
  gpt2::Session session(file.shared());
  session.set_tokens(tokens);
  std::vector<std::vector<analysis::Check>> blocks;
  for (std::size_t l = 0; l < config.block_count; ++l) blocks.push_back(check_block(file, session, l));

  out << "Identities: " << tokens.size() << " tokens, blocks 0 to " << config.block_count - 1
      << ", the largest error of all\n\n| identity | numbers | error | bound | verdict |\n|---|---|---|---|---|\n";
  bool all = true;
  for (std::size_t i = 0; i < analysis::kIdentityCount; ++i) {
    std::uint64_t compared = 0;
    analysis::Check worst = blocks.front()[i];
    for (const std::vector<analysis::Check>& checks : blocks) {
      compared += checks[i].compared;
      // Bounds are of one kind, but may differ where the types of matrices do.
      if (checks[i].error * worst.bound > worst.error * checks[i].bound || !checks[i].holds()) worst = checks[i];
    }
    all = all && worst.holds();
    out << "| " << analysis::statement(worst.identity) << " | " << compared << " | " << short_number(worst.error)
        << (analysis::counts_bits(worst.identity) ? " differ" : "") << " | " << short_number(worst.bound) << " | "
        << verdict(worst.holds()) << " |\n";
  }
  return all;
}

// Reads the logits of every row: what is not finite is named by the session.
void check_logits(const FileModel& file, std::ostream& out) {
  const gpt2::Config& config = file.model().config();
  gpt2::Session session(file.shared());
  session.set_tokens(tokens_of_prompt(file));
  const std::size_t rows = session.tokens().size();
  while (!session.advance({{gpt2::StageKind::kLogits, 0}}, kWork).done) {
  }
  std::vector<float> logits(config.vocabulary_size);
  for (std::size_t row = 0; row < rows; ++row) {
    session.read({gpt2::Node::kLogits, 0}, 0, row, row + 1, logits);
  }
  out << "\nLogits: all " << rows * config.vocabulary_size << " are finite\n";
}

void write_unused(const FileModel& file, std::ostream& out) {
  for (const std::string& name : file.model().unused()) out << "\nNot used: tensor " << one_line(name) << '\n';
}

bool verify_known(const FileModel& file, std::string_view golden, std::ostream& out) {
  const std::vector<analysis::Comparison> comparisons = analysis::compare_with(golden, file.shared());
  out << "| what | expected | got | difference | tolerance | verdict |\n|---|---|---|---|---|---|\n";
  std::size_t failed = 0;
  for (const analysis::Comparison& comparison : comparisons) {
    failed += comparison.holds() ? 0 : 1;
    out << "| " << one_line(comparison.what) << " | " << one_line(comparison.expected) << " | "
        << one_line(comparison.got) << " | " << short_number(comparison.difference) << " | "
        << short_number(comparison.tolerance) << " | " << verdict(comparison.holds()) << " |\n";
  }
  out << '\n' << comparisons.size() << " compared, " << failed << " failed\n";
  if (comparisons.empty()) {
    throw Error(ErrorCode::kBadArgument, {"--golden", "nothing that could be compared", "known numbers"});
  }
  return failed == 0;
}

}  // namespace

bool verify(const VerifyOptions& options, std::ostream& out) {
  FileModel file(options.model);
  file.load_all();
  bool all = verify_identities(file, out);
  check_logits(file, out);
  write_unused(file, out);
  if (options.golden) {
    out << "\nKnown numbers, from " << one_line(options.golden->string()) << "\n\n";
    all = verify_known(file, InputFile(*options.golden).read_text(kLargestGolden), out) && all;
  } else if (analysis::shaped_like_gpt2_small(file.model())) {
    out << "\nNumbers published for GPT-2 small; another model of its shape has others\n\n";
    all = verify_known(file, analysis::published_gpt2_small(), out) && all;
  } else {
    out << "\nNo published numbers: they are those of GPT-2 small\n";
  }
  return all;
}

}  // namespace headflow::cli
