// What JavaScript learns about a model once: its configuration and its nodes, under the names of web/engine/api.ts.
#pragma once

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstddef>
#include <string>

#include "gpt2/config.h"
#include "gpt2/model.h"
#include "gpt2/stage.h"
#include "wasm/values.h"

namespace headflow::wasm {

EMSCRIPTEN_DECLARE_VAL_TYPE(StageName)
EMSCRIPTEN_DECLARE_VAL_TYPE(AxisNames)
EMSCRIPTEN_DECLARE_VAL_TYPE(NodeView)
EMSCRIPTEN_DECLARE_VAL_TYPE(NodeDescriptions)
EMSCRIPTEN_DECLARE_VAL_TYPE(TensorLoads)
EMSCRIPTEN_DECLARE_VAL_TYPE(MetadataValue)

struct Stage {
  StageName kind{emscripten::val("embed")};
  std::size_t block = 0;
};

// Throws Error (bad_argument) for a kind that is none.
[[nodiscard]] gpt2::Stage stage_from(const Stage& stage);
[[nodiscard]] Stage stage_to(const gpt2::Stage& stage);

struct NodeDescription {
  Text name{emscripten::val("")};
  Text suffix{emscripten::val("")};
  Text symbol{emscripten::val("")};
  StageName stage{emscripten::val("embed")};
  bool per_block = false;
  bool ours = false;
  AxisNames axes{emscripten::val::array()};
  AxisNames ggml_axes{emscripten::val::array()};
  NodeView view{emscripten::val::null()};
};

struct ModelDescription {
  Text name{emscripten::val("")};
  gpt2::Config config;
  bool tied_output = false;
  bool shaped_like_gpt2_small = false;
  NodeDescriptions nodes{emscripten::val::array()};
};

[[nodiscard]] ModelDescription describe(const gpt2::Model& model);

// How much of each tensor is present: TensorLoad of web/engine/api.ts, but for what the engine does not know.
[[nodiscard]] TensorLoads tensor_loads(const gpt2::Model& model);

// A value of the file's metadata that is a number or a text; null where the key is absent or holds something else.
[[nodiscard]] MetadataValue metadata(const gpt2::Model& model, const std::string& key);
// The rank of a merge such as "Ġ a" in the tokenizer's list, or how many there are where it is none.
[[nodiscard]] std::size_t merge_rank(const gpt2::Model& model, const std::string& merge);

void register_descriptions();

}  // namespace headflow::wasm
