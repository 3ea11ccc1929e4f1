// `headflow log`: the nodes in execution order with operations, operands, shapes and values, as llama.cpp's runtime log
// has them, so that the two can be laid side by side.

#include <cstdint>
#include <iomanip>
#include <limits>
#include <span>
#include <sstream>
#include <string>

#include "analysis/log/log_values.h"
#include "analysis/log/runtime_log.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/run.h"
#include "cli/text.h"

namespace headflow::cli {
namespace {

constexpr int kValueWidth = 12;
constexpr std::uint64_t kWork = std::numeric_limits<std::uint64_t>::max();

// The values at these columns, with a gap where some are left out.
std::string row_text(std::span<const float> values, std::span<const std::size_t> columns) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(4) << '[';
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0 && columns[i - 1] + 1 != columns[i]) text << ", ...";
    text << (i == 0 ? "" : ", ") << std::setw(kValueWidth) << values[i];
  }
  text << ']';
  return text.str();
}

void write_values(const gpt2::Session& session, gpt2::NodeRef ref, std::ostream& out) {
  analysis::LogValues log(session, ref);
  while (!log.advance(session, kWork)) {
  }
  const std::size_t width = log.columns().size();
  for (std::size_t i = 0; i < log.rows().size(); ++i) {
    if (i > 0 && log.rows()[i - 1] + 1 != log.rows()[i]) out << "      ...\n";
    out << "      " << row_text(log.values().subspan(i * width, width), log.columns()) << '\n';
  }
  out << "      sum = " << std::fixed << std::setprecision(6) << log.sum() << '\n';
}

}  // namespace

void log(const LogOptions& options, std::ostream& out) {
  FileModel file(options.model);
  const gpt2::Model& model = file.model();
  const std::vector<TokenId> tokens = model.tokenizer().encode(options.prompt);
  if (tokens.empty()) {
    throw Error(ErrorCode::kBadArgument, {"--prompt", "no token", "at least one", "Give a text"});
  }
  say_differences(model.header());
  gpt2::Session session(file.shared());
  session.set_tokens(tokens);
  const auto log =
      analysis::matching(analysis::runtime_log(model.config(), tokens.size(), model.tied_output()), options.filter);
  if (log.empty()) {
    throw Error(ErrorCode::kBadArgument, {"--filter", "no match of \"" + options.filter + '"',
                                          "a pattern that the name of a node or operand has"});
  }
  const auto shape = [&](const auto& tensor) {
    return shape_text(options.logical ? tensor.logical_shape : tensor.ggml_shape);
  };
  for (const analysis::LogEntry& entry : log) {
    out << entry.name << " = " << entry.operation << '(';
    for (std::size_t i = 0; i < entry.operands.size(); ++i) {
      out << (i == 0 ? "" : ", ") << entry.operands[i].name << shape(entry.operands[i]);
    }
    out << ") = " << shape(entry);
    if (entry.unnamed_in_llama_cpp) out << "  (unnamed in llama.cpp)";
    if (!entry.note.empty()) out << "  (" << entry.note << ')';
    out << '\n';
    file.run(session, gpt2::goal_for(entry.ref, {0, tokens.size()}));
    write_values(session, entry.ref, out);
  }
}

}  // namespace headflow::cli
