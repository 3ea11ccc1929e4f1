// An explanation as JSON, under the names that the page uses (web/engine/explanation.ts).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/explanation/explain.h"

namespace headflow::analysis {

[[nodiscard]] nlohmann::ordered_json to_json(const Explanation& explanation, const gpt2::Model& model);

}  // namespace headflow::analysis
