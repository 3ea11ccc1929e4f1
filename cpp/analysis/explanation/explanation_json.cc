#include "analysis/explanation/explanation_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace headflow::analysis {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities: they become strings.
Json number(double value) {
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

template <typename Numbers>
Json numbers(const Numbers& values) {
  Json array = Json::array();
  for (const auto value : values) array.push_back(number(static_cast<double>(value)));
  return array;
}

Json factor_json(const Factor& factor, const gpt2::Model& model) {
  Json json = Json::object();
  if (factor.line) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < factor.line->size(); ++i) cells.push_back(text(factor.line->at(i), model));
    json["cells"] = cells;
  } else {
    json["constant"] = factor.constant;
  }
  json["values"] = numbers(factor.values);
  if (!factor.used.empty()) json["used"] = numbers(factor.used);
  if (!factor.codes.empty()) {
    json["codes"] = numbers(factor.codes);
    json["scales"] = numbers(factor.scales);
  }
  return json;
}

}  // namespace

nlohmann::ordered_json to_json(const Explanation& explanation, const gpt2::Model& model) {
  Json json = {{"cell", text(explanation.cell, model)}};
  if (explanation.view_of) json["viewOf"] = text(*explanation.view_of, model);
  json["function"] = name(explanation.function);
  json["value"] = number(static_cast<double>(explanation.value));
  json["masked"] = explanation.masked;
  json["parts"] = Json::array();
  for (const Part& part : explanation.parts) {
    Json factors = Json::array();
    for (const Factor& factor : part.factors) factors.push_back(factor_json(factor, model));
    json["parts"].push_back({{"factors", factors}, {"terms", numbers(part.terms)}});
  }
  json["context"] = Json::array();
  for (const Factor& factor : explanation.context) json["context"].push_back(factor_json(factor, model));
  json["steps"] = Json::array();
  for (const Step& step : explanation.steps) {
    json["steps"].push_back({{"name", step.name}, {"value", step.value}});
    if (step.cell) json["steps"].back()["cell"] = text(*step.cell, model);
  }
  json["result"] = number(explanation.result);
  json["magnitude"] = number(explanation.magnitude);
  json["error"] = explanation.error();
  json["bound"] = number(explanation.bound());
  return json;
}

}  // namespace headflow::analysis
