// `headflow explain`: where one number comes from, as a table or as JSON.

#include "analysis/explanation/explain.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/explanation/explanation_json.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/run.h"
#include "cli/text.h"

namespace headflow::cli {
namespace {

using analysis::Explanation;
using analysis::Function;

constexpr int kIndent = 1;

// What is computed, with the letters of the table's columns.
std::string formula(Function function) {
  switch (function) {
    case Function::kStored: return "as it is stored in the file";
    case Function::kSame: return "the same number in another place";
    case Function::kSum: return "a + b";
    case Function::kProducts: return "sum of a b";
    case Function::kMatrix: return "sum of a W, and the bias where there is one";
    case Function::kHeads: return "sum of the heads' contributions, and the bias";
    case Function::kScaled: return "a / sqrt(D_h)";
    case Function::kMasked: return "a where the key is visible, else minus infinity";
    case Function::kSoftmax: return "e^(s / sqrt(D_h) - maximum) / sum over the visible keys";
    case Function::kNormalize: return "(x - mean) / sqrt(variance + epsilon)";
    case Function::kWeighted: return "a g";
    case Function::kAffine: return "a g + bias";
    case Function::kGelu: return "x/2 + x/2 tanh(u)";
    case Function::kReplaced: return "the head is switched off: what stands in for its output";
  }
  return {};
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

// Text that fills `width` columns at least, in a row of a table.
std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text + ' ';
}

constexpr std::size_t kCellWidth = 26;
constexpr std::size_t kNumberWidth = 16;

void write_factor(const analysis::Factor& factor, std::size_t i, const gpt2::Model& model, std::ostream& out) {
  const std::string place = factor.line ? analysis::text(factor.line->at(i), model) : std::string(factor.constant);
  out << padded(place, kCellWidth) << padded(number(static_cast<double>(factor.values[i])), kNumberWidth);
  if (!factor.used.empty()) {
    out << padded("as used " + number(static_cast<double>(factor.used[i])), kNumberWidth + 8);
  }
}

void write_table(const Explanation& explanation, const gpt2::Model& model, std::ostream& out) {
  double sum = 0;
  for (const analysis::Part& part : explanation.parts) {
    for (std::size_t i = 0; i < part.terms.size(); ++i) {
      sum += part.terms[i];
      out << "  ";
      for (const analysis::Factor& factor : part.factors) write_factor(factor, i, model, out);
      out << "= " << padded(number(part.terms[i]), kNumberWidth) << "so far " << number(sum) << '\n';
    }
  }
}

}  // namespace

void explain(const ExplainOptions& options, std::ostream& out) {
  FileModel file(options.model);
  const gpt2::Model& model = file.model();
  const std::vector<TokenId> tokens = model.tokenizer().encode(options.prompt);
  if (tokens.empty()) throw Error(ErrorCode::kBadArgument, {"--prompt", "no token", "at least one", "Give a text"});
  const analysis::Cell cell = analysis::parse_cell(options.cell, model, tokens.size());
  say_differences(model.header());
  gpt2::Session session(file.shared());
  session.set_tokens(tokens);
  for (const gpt2::Goal& goal : analysis::goals_behind(model, tokens, cell)) file.run(session, goal);

  const Explanation explanation = analysis::explain(session, cell);
  if (options.json) {
    out << dump(analysis::to_json(explanation, model), kIndent) << '\n';
    return;
  }
  out << analysis::text(cell, model) << " = " << number(static_cast<double>(explanation.value)) << "  ("
      << formula(explanation.function) << ")\n";
  if (explanation.view_of) out << "  a view of " << analysis::text(*explanation.view_of, model) << '\n';
  if (explanation.masked) out << "  masked: the key comes after the query\n";
  for (const analysis::Step& step : explanation.steps) {
    out << "  " << padded(std::string(step.name), kCellWidth) << padded(number(step.value), kNumberWidth)
        << (step.cell ? analysis::text(*step.cell, model) : "") << '\n';
  }
  write_table(explanation, model, out);
  out << "result " << number(explanation.result) << ", error " << number(explanation.error()) << ", bound "
      << number(explanation.bound()) << '\n';
}

}  // namespace headflow::cli
