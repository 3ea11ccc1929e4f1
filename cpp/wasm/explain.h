// Where a number comes from, as JavaScript gets it: under the names of web/engine/explanation.ts.
#pragma once

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <string>

#include "gpt2/session.h"
#include "wasm/describe.h"
#include "wasm/values.h"

namespace headflow::wasm {

EMSCRIPTEN_DECLARE_VAL_TYPE(Int16Array)
EMSCRIPTEN_DECLARE_VAL_TYPE(CellText)
EMSCRIPTEN_DECLARE_VAL_TYPE(LineValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(Factors)
EMSCRIPTEN_DECLARE_VAL_TYPE(Parts)
EMSCRIPTEN_DECLARE_VAL_TYPE(Steps)
EMSCRIPTEN_DECLARE_VAL_TYPE(FunctionName)

struct ExplainedFactor {
  Text constant{emscripten::val("")};
  LineValue line{emscripten::val::null()};
  Float32Array values{emscripten::val::undefined()};
  Float32Array used{emscripten::val::undefined()};
  Int16Array codes{emscripten::val::undefined()};
  Float32Array scales{emscripten::val::undefined()};
};

struct ExplainedPart {
  Factors factors{emscripten::val::array()};
  Float64Array terms{emscripten::val::undefined()};
};

struct ExplainedStep {
  Text name{emscripten::val("")};
  double value = 0;
  CellText cell{emscripten::val::null()};
};

struct Explanation {
  Text cell{emscripten::val("")};
  CellText view_of{emscripten::val::null()};
  FunctionName function{emscripten::val("")};
  float value = 0;
  bool masked = false;
  Parts parts{emscripten::val::array()};
  Factors context{emscripten::val::array()};
  Steps steps{emscripten::val::array()};
  double result = 0;
  double magnitude = 0;
  double error = 0;
  double bound = 0;
};

// The stage to be run, traced, before `explain`. Both throw Error (bad_argument) for what is no cell.
[[nodiscard]] Stage stage_behind(const gpt2::Session& session, const std::string& cell);
[[nodiscard]] Explanation explain(const gpt2::Session& session, const std::string& cell);

void register_explanations();

}  // namespace headflow::wasm
