// A model against numbers that were published for it, or that another program computed: the second half of `verify`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpt2/model.h"

namespace headflow::analysis {

// What is known of GPT-2 small, as JSON (published/gpt2-small.json).
[[nodiscard]] std::string_view published_gpt2_small() noexcept;

// Whether a model has GPT-2 small's shape and vocabulary, so that the published numbers can be asked of it.
[[nodiscard]] bool shaped_like_gpt2_small(const gpt2::Model& model);

// One number or text.
struct Comparison {
  std::string what;  // "softmax-0, head 0 [1, 0] of \"How are\""
  std::string expected;
  std::string got;
  double difference = 0;  // 0 for texts that are the same, infinite for those that are not.
  double tolerance = 0;
  [[nodiscard]] bool holds() const noexcept { return difference <= tolerance; }
};

// Compares whatever `golden` says, in its order: JSON in the form of published/gpt2-small.json, parts of which may be
// absent. The model must be present whole. Throws Error (malformed) for JSON of another form.
[[nodiscard]] std::vector<Comparison> compare_with(std::string_view golden, std::shared_ptr<const gpt2::Model> model);

}  // namespace headflow::analysis
