// What a model is worth on text, and what its heads attend to: the measures of the model cards.
// The model must be present whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpt2/model.h"

namespace headflow::analysis {

struct TextScore {
  double bits = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] double bits_per_byte() const noexcept { return bits / static_cast<double>(bytes); }
};

// Each document is read alone, led by the end-of-text token, which is context and not scored. Windows of the context
// length C start at multiples of C / 2; a token is scored in the first window that predicts it. Every byte counts.
[[nodiscard]] TextScore bits_per_byte(const std::shared_ptr<const gpt2::Model>& model,
                                      const std::vector<std::string>& documents);

// Mean attention weight of one head; nothing where the context has no room to measure it.
struct HeadScore {
  std::optional<double> previous_token;  // From query i to key i - 1,
  std::optional<double> first_token;     // and to key 0; over i >= 1 of each document's first window.
  // On end-of-text, 64 random tokens (fewer where the context has no room for them), the same again: from each query of
  // the second copy to the key that followed the first copy of its token; over 32 such sequences from a fixed
  // generator.
  std::optional<double> induction;
};

// [block][head]
[[nodiscard]] std::vector<std::vector<HeadScore>> head_scores(const std::shared_ptr<const gpt2::Model>& model,
                                                              const std::vector<std::string>& documents);

// The token `<|endoftext|>`; throws Error (unsupported_model) where the vocabulary has none.
[[nodiscard]] TokenId end_of_text(const Tokenizer& tokenizer);

}  // namespace headflow::analysis
