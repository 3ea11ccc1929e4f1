#include "analysis/heads/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "base/error.h"
#include "gpt2/session.h"
#include "kernels/functions.h"

namespace headflow::analysis {
namespace {

constexpr std::size_t kSpan = 64;       // Random tokens before they repeat.
constexpr std::size_t kSequences = 32;  // Of such tokens.
constexpr std::size_t kRowsAtOnce = 16;

void run(gpt2::Session& session, const gpt2::Goal& goal) {
  while (true) {
    const gpt2::Progress progress = session.advance(goal, std::numeric_limits<std::uint64_t>::max());
    if (progress.done) return;
    if (progress.blocked) {
      throw Error(ErrorCode::kNotLoaded, {"evaluation", "a model that is partly present", "the whole model"});
    }
  }
}

// -log2 of the probability of `target`.
double surprise(std::span<const float> logits, TokenId target) {
  const float maximum = std::ranges::max(logits);
  double sum = 0;
  for (const float logit : logits) sum += static_cast<double>(kernels::exp(logit - maximum));
  const double difference =
      static_cast<double>(logits[static_cast<std::size_t>(target)]) - static_cast<double>(maximum);
  return (std::log(sum) - difference) / std::numbers::ln2;
}

// Bits of ids[first_target ..= end] given ids[start .. end).
double window_bits(gpt2::Session& session, std::span<const TokenId> ids, std::size_t start, std::size_t first_target,
                   std::size_t end) {
  const std::size_t vocabulary = session.model().config().vocabulary_size;
  session.set_tokens(ids.subspan(start, end - start));
  run(session, {{gpt2::StageKind::kLogits, 0}});
  double bits = 0;
  std::vector<float> logits;
  for (std::size_t row = first_target - 1 - start; row < end - start; row += kRowsAtOnce) {
    const std::size_t last = std::min(row + kRowsAtOnce, end - start);
    logits.resize((last - row) * vocabulary);
    session.read({gpt2::Node::kLogits, 0}, 0, row, last, logits);
    for (std::size_t r = row; r < last; ++r) {
      bits += surprise(std::span(logits).subspan((r - row) * vocabulary, vocabulary), ids[start + r + 1]);
    }
  }
  return bits;
}

std::vector<TokenId> with_end_of_text(const Tokenizer& tokenizer, std::string_view document) {
  std::vector<TokenId> ids = tokenizer.encode(document);
  ids.insert(ids.begin(), end_of_text(tokenizer));
  return ids;
}

// Calls visit(block, head, probabilities [T, T]) for every head.
template <typename Visit>
void for_each_head(gpt2::Session& session, Visit visit) {
  const gpt2::Config& config = session.model().config();
  const std::size_t tokens = session.tokens().size();
  std::vector<float> probabilities(tokens * tokens);
  for (std::size_t l = 0; l < config.block_count; ++l) {
    run(session, {{gpt2::StageKind::kAttention, l}, {0, tokens}});
    for (std::size_t head = 0; head < config.head_count; ++head) {
      session.read({gpt2::Node::kProbabilities, l}, head, 0, tokens, probabilities);
      visit(l, head, std::span<const float>(probabilities));
    }
  }
}

// The linear congruential generator x -> 1664525 x + 1013904223 mod 2^32 (Numerical Recipes), its upper half, as one of
// the tokens before end-of-text; where that is token 0, of those behind it.
class RandomIds {
 public:
  RandomIds(TokenId end, std::size_t vocabulary)
      : first_(end == 0 ? 1 : 0),
        count_(static_cast<std::uint32_t>(end == 0 ? vocabulary - 1 : static_cast<std::size_t>(end))) {}
  TokenId next() {
    state_ = 1664525U * state_ + 1013904223U;
    return first_ + static_cast<TokenId>((state_ >> 16) % count_);
  }

 private:
  TokenId first_;
  std::uint32_t count_;
  std::uint32_t state_ = 1;
};

}  // namespace

TokenId end_of_text(const Tokenizer& tokenizer) {
  constexpr std::string_view kEndOfText = "<|endoftext|>";
  const std::optional<TokenId> id = tokenizer.find(kEndOfText);
  if (!id) throw Error(ErrorCode::kUnsupportedModel, {"vocabulary", "no such token", std::string(kEndOfText)});
  return *id;
}

TextScore bits_per_byte(const std::shared_ptr<const gpt2::Model>& model, const std::vector<std::string>& documents) {
  const std::size_t context = model->config().context_length;
  gpt2::Session session(model);
  TextScore score;
  for (const std::string& document : documents) {
    const std::vector<TokenId> ids = with_end_of_text(model->tokenizer(), document);
    std::size_t scored = 0;  // ids[1 .. scored] are done.
    for (std::size_t start = 0; scored + 1 < ids.size(); start += std::max<std::size_t>(1, context / 2)) {
      const std::size_t end = std::min(start + context, ids.size() - 1);
      score.bits += window_bits(session, ids, start, scored + 1, end);
      scored = end;
    }
    score.bytes += document.size();
  }
  return score;
}

std::vector<std::vector<HeadScore>> head_scores(const std::shared_ptr<const gpt2::Model>& model,
                                                const std::vector<std::string>& documents) {
  const gpt2::Config& config = model->config();
  struct Sums {
    double previous_token = 0;
    double first_token = 0;
    double induction = 0;
  };
  std::vector<std::vector<Sums>> sums(config.block_count, std::vector<Sums>(config.head_count));
  gpt2::Session session(model);

  std::size_t positions = 0;
  for (const std::string& document : documents) {
    const std::vector<TokenId> ids = with_end_of_text(model->tokenizer(), document);
    const std::size_t tokens = std::min(ids.size(), config.context_length);
    session.set_tokens(std::span(ids).first(tokens));
    positions += tokens - 1;
    for_each_head(session, [&](std::size_t l, std::size_t head, std::span<const float> p) {
      for (std::size_t i = 1; i < tokens; ++i) {
        sums[l][head].previous_token += static_cast<double>(p[i * tokens + i - 1]);
        sums[l][head].first_token += static_cast<double>(p[i * tokens]);
      }
    });
  }

  const TokenId end = end_of_text(model->tokenizer());
  RandomIds random(end, config.vocabulary_size);
  const std::size_t span = std::min(kSpan, (config.context_length - 1) / 2);
  const std::size_t tokens = 2 * span + 1;
  for (std::size_t sequence = 0; span > 0 && sequence < kSequences; ++sequence) {
    std::vector<TokenId> ids = {end};
    for (std::size_t i = 0; i < span; ++i) ids.push_back(random.next());
    for (std::size_t i = 0; i < span; ++i) ids.push_back(ids[1 + i]);
    session.set_tokens(ids);
    for_each_head(session, [&](std::size_t l, std::size_t head, std::span<const float> p) {
      double sum = 0;
      for (std::size_t i = span + 1; i < tokens; ++i) sum += static_cast<double>(p[i * tokens + i - span + 1]);
      sums[l][head].induction += sum / static_cast<double>(span) / static_cast<double>(kSequences);
    });
  }
  std::vector<std::vector<HeadScore>> scores(config.block_count, std::vector<HeadScore>(config.head_count));
  for (std::size_t l = 0; l < scores.size(); ++l) {
    for (std::size_t head = 0; head < scores[l].size(); ++head) {
      const Sums& sum = sums[l][head];
      if (positions > 0) scores[l][head].previous_token = sum.previous_token / static_cast<double>(positions);
      if (positions > 0) scores[l][head].first_token = sum.first_token / static_cast<double>(positions);
      if (span > 0) scores[l][head].induction = sum.induction;
    }
  }
  return scores;
}

}  // namespace headflow::analysis
