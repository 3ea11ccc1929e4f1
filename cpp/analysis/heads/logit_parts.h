// Where a logit comes from: what the embeddings, each head, the biases and each MLP have written into the last residual
// that points to one token. The final norm is held fixed as it was on this run, so that the parts add up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpt2/session.h"
#include "tokenizer/tokenizer.h"

namespace headflow::analysis {

enum class LogitSource : std::uint8_t {
  kEmbedding,   // X_0
  kHead,        // O_h W_O^(h)
  kOutputBias,  // b_O of a block
  kMlp,         // F_l
  kFinalNorm,   // The final norm's bias
  kRounding,    // What the rounding of LN(X_L) before the product with a Q8_0 matrix has changed
};

// "embedding", "head", "output_bias", "mlp", "final_norm", "rounding".
[[nodiscard]] const char* name(LogitSource source) noexcept;

struct LogitPart {
  LogitSource source{};
  std::size_t block = 0;
  std::size_t head = 0;
  double value = 0;
};

struct LogitParts {
  std::vector<LogitPart> parts;  // In the order of computation.
  double sum = 0;
  double logit = 0;      // As the engine has it.
  double magnitude = 0;  // The sum of |terms|, of the finest products.
  // What float rounding of the residual stream may leave between the two.
  [[nodiscard]] double bound() const noexcept;
};

// Of the logit of `token` after row `row`. Works block by block: what it reads is prepared on the way.
class LogitPartsOf {
 public:
  // `run` must outlive this, with the same tokens and edits.
  LogitPartsOf(gpt2::Session& run, std::size_t row, TokenId token);

  gpt2::Progress advance(std::uint64_t work);
  // Once it is done.
  [[nodiscard]] const LogitParts& result() const noexcept { return result_; }

 private:
  void begin();
  void add_block(std::size_t block);
  // direction . x, of a vector of the residual stream.
  [[nodiscard]] double along(std::span<const double> x);
  void add(LogitSource source, std::size_t block, std::size_t head, double value);

  gpt2::Session& run_;
  std::size_t row_;
  TokenId token_;
  std::vector<double> direction_;  // d logit / d X_L with the norm's scale fixed, [D]; empty until the pass is done.
  std::size_t block_ = 0;
  LogitParts result_;
};

}  // namespace headflow::analysis
