// The node table as JSON, for trace manifests and the page.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gpt2/config.h"
#include "gpt2/graph.h"

namespace headflow::gpt2 {

// One node of a forward pass over `tokens` tokens:
// {"symbol", "axes": ["T", "D"], "shape": [9, 768], "ggml_axes", "ggml_shape", "ours"}, and for views
// "view": {"base", "offset_elements", "offset_bytes", "strides_bytes"}, strides in the order of the ggml shape.
[[nodiscard]] nlohmann::ordered_json to_json(NodeRef ref, const Config& config, std::size_t tokens);

}  // namespace headflow::gpt2
