#include "wasm/explain.h"

#include <optional>
#include <span>
#include <vector>

#include "analysis/explanation/explain.h"

namespace headflow::wasm {

using emscripten::val;

namespace {

CellText cell_text(const std::optional<analysis::Cell>& cell, const gpt2::Model& model) {
  return CellText(cell ? val(text(analysis::text(*cell, model))) : val::null());
}

val interval(const analysis::Interval& interval) {
  val pair = val::array();
  pair.call<void>("push", interval.first, interval.last);
  return pair;
}

// A vector of the file has no rows.
LineValue line_value(const std::optional<analysis::Line>& line, const gpt2::Model& model) {
  if (!line) return LineValue(val::null());
  const auto* tensor = std::get_if<std::string>(&line->source);
  const bool vector = tensor != nullptr && analysis::find_tensor(model, *tensor)->rows() == 1;
  val object = val::object();
  object.set("name", text(analysis::name(line->source)));
  object.set("heads", line->heads ? interval(*line->heads) : val::null());
  object.set("rows", vector ? val::null() : interval(line->rows));
  object.set("columns", interval(line->columns));
  return LineValue(object);
}

Factors factors(const std::vector<analysis::Factor>& factors, const gpt2::Model& model) {
  std::vector<ExplainedFactor> objects;
  for (const analysis::Factor& factor : factors) {
    objects.push_back({.constant = text(factor.constant),
                       .line = line_value(factor.line, model),
                       .values = Float32Array(copy<float>(factor.values)),
                       .used = Float32Array(copy<float>(factor.used)),
                       .codes = Int16Array(copy<std::int16_t>(factor.codes)),
                       .scales = Float32Array(copy<float>(factor.scales))});
  }
  return Factors(val::array(objects));
}

}  // namespace

Stage stage_behind(const gpt2::Session& session, const std::string& cell) {
  const auto tokens = session.tokens();
  const analysis::Cell parsed = analysis::parse_cell(cell, session.model(), tokens.size());
  return stage_to(analysis::goals_behind(session.model(), tokens, parsed).back().stage);
}

Explanation explain(const gpt2::Session& session, const std::string& cell) {
  const gpt2::Model& model = session.model();
  const analysis::Explanation explanation =
      analysis::explain(session, analysis::parse_cell(cell, model, session.tokens().size()));
  std::vector<ExplainedPart> parts;
  for (const analysis::Part& part : explanation.parts) {
    parts.push_back({factors(part.factors, model), Float64Array(copy<double>(part.terms))});
  }
  std::vector<ExplainedStep> steps;
  for (const analysis::Step& step : explanation.steps) {
    steps.push_back({text(step.name), step.value, cell_text(step.cell, model)});
  }
  return {.cell = text(analysis::text(explanation.cell, model)),
          .view_of = cell_text(explanation.view_of, model),
          .function = FunctionName(val(text(gpt2::name(explanation.function)))),
          .value = explanation.value,
          .masked = explanation.masked,
          .parts = Parts(val::array(parts)),
          .context = factors(explanation.context, model),
          .steps = Steps(val::array(steps)),
          .result = explanation.result,
          .magnitude = explanation.magnitude,
          .error = explanation.error(),
          .bound = explanation.bound()};
}

void register_explanations() {
  emscripten::register_type<Int16Array>("Int16Array");
  emscripten::register_type<CellText>("string | null");
  emscripten::register_type<LineValue>(
      "{ name: string; heads: [number, number] | null; rows: [number, number] | null; columns: [number, number] } | "
      "null");
  emscripten::register_type<Factors>("ExplainedFactor[]");
  emscripten::register_type<Parts>("ExplainedPart[]");
  emscripten::register_type<Steps>("ExplainedStep[]");
  emscripten::register_type<FunctionName>(
      "'stored' | 'same' | 'sum' | 'products' | 'matrix' | 'heads' | 'scaled' | 'masked' | 'softmax' | 'normalize' | "
      "'weighted' | 'affine' | 'gelu' | 'replaced'");

  emscripten::value_object<ExplainedFactor>("ExplainedFactor")
      .field("constant", &ExplainedFactor::constant)
      .field("line", &ExplainedFactor::line)
      .field("values", &ExplainedFactor::values)
      .field("used", &ExplainedFactor::used)
      .field("codes", &ExplainedFactor::codes)
      .field("scales", &ExplainedFactor::scales);

  emscripten::value_object<ExplainedPart>("ExplainedPart")
      .field("factors", &ExplainedPart::factors)
      .field("terms", &ExplainedPart::terms);

  emscripten::value_object<ExplainedStep>("ExplainedStep")
      .field("name", &ExplainedStep::name)
      .field("value", &ExplainedStep::value)
      .field("cell", &ExplainedStep::cell);

  emscripten::value_object<Explanation>("Explanation")
      .field("cell", &Explanation::cell)
      .field("viewOf", &Explanation::view_of)
      .field("function", &Explanation::function)
      .field("value", &Explanation::value)
      .field("masked", &Explanation::masked)
      .field("parts", &Explanation::parts)
      .field("context", &Explanation::context)
      .field("steps", &Explanation::steps)
      .field("result", &Explanation::result)
      .field("magnitude", &Explanation::magnitude)
      .field("error", &Explanation::error)
      .field("bound", &Explanation::bound);
}

}  // namespace headflow::wasm
