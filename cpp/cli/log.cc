// `headflow log`: the nodes in execution order with operations, operands, shapes and values, as llama.cpp's runtime log
// has them, so that the two can be laid side by side.

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <string>

#include "analysis/runtime_log.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/text.h"

namespace headflow::cli {
namespace {

constexpr std::size_t kEnds = 3;  // Values shown at each end of a row, and rows at each end of a tensor.
constexpr int kValueWidth = 12;

// Indices 0 .. count-1; of many only those at the ends, with a gap between.
std::vector<std::size_t> ends(std::size_t count) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < kEnds || i + kEnds >= count) indices.push_back(i);
  }
  return indices;
}

std::string row_text(std::span<const float> values) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(4) << '[';
  std::size_t next = 0;
  for (const std::size_t i : ends(values.size())) {
    if (i != next) text << ", ...";
    text << (i == 0 ? "" : ", ") << std::setw(kValueWidth) << values[i];
    next = i + 1;
  }
  text << ']';
  return text.str();
}

// Reads every row for the sum, prints those at the ends.
void write_values(const gpt2::Session& session, const analysis::LogEntry& entry, std::ostream& out) {
  const std::size_t rows = analysis::log_row_count(entry);
  const std::vector<std::size_t> shown = ends(rows);
  std::vector<float> values(entry.ggml_shape.front());
  double sum = 0;
  std::size_t next = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const analysis::LogRow at = analysis::log_row(entry, row);
    session.read(entry.ref, at.head, at.token, at.token + 1, values);
    sum = std::accumulate(values.begin(), values.end(), sum);
    if (std::ranges::find(shown, row) == shown.end()) continue;
    if (row != next) out << "      ...\n";
    out << "      " << row_text(values) << '\n';
    next = row + 1;
  }
  out << "      sum = " << std::fixed << std::setprecision(6) << sum << '\n';
}

}  // namespace

void log(const LogOptions& options, std::ostream& out) {
  FileModel file(options.model);
  const gpt2::Model& model = file.model();
  const std::vector<TokenId> tokens = model.tokenizer().encode(options.prompt);
  if (tokens.empty()) {
    throw Error(ErrorCode::kBadArgument, {"--prompt", "no token", "at least one", "Give a text"});
  }
  gpt2::Session session(file.shared());
  session.set_tokens(tokens);
  const auto log =
      analysis::matching(analysis::runtime_log(model.config(), tokens.size(), model.tied_output()), options.filter);
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
    file.run(session, {gpt2::info(entry.ref.node).stage, entry.ref.block}, true);
    write_values(session, entry, out);
  }
}

}  // namespace headflow::cli
