// Queries about a session's run: what has been computed is read, or what is asked for is computed first, as each says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/checks/block_checks.h"
#include "analysis/explanation/explain.h"
#include "analysis/figure.h"
#include "analysis/log/log_values.h"
#include "analysis/query.h"

namespace headflow::analysis {

// A question that is answered at once, in one slice: `function(subject, request)`.
template <auto function>
class Instant;

template <typename Answer, typename Subject, typename Request, Answer (*function)(const Subject&, const Request&)>
class Instant<function> : public Query {
 public:
  Instant(std::shared_ptr<const Subject> subject, Request request)
      : subject_(std::move(subject)), request_(std::move(request)) {}

  gpt2::Progress advance(std::uint64_t) override {
    answer_.emplace(function(*subject_, request_));
    return {.done = true};
  }
  [[nodiscard]] Answer take() { return std::move(answer_).value(); }

 private:
  std::shared_ptr<const Subject> subject_;
  Request request_;
  std::optional<Answer> answer_;
};

// The tokens of a text of any length. A slice encodes whole words of the pre-split, as Tokenizer::encode does.
class TokenizeQuery : public Query {
 public:
  TokenizeQuery(std::shared_ptr<const gpt2::Model> model, std::string text);
  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] bool reads() const override { return true; }
  [[nodiscard]] std::vector<TokenId> take() { return std::move(tokens_); }

 private:
  std::shared_ptr<const gpt2::Model> model_;
  std::string text_;
  std::size_t at_ = 0;  // Bytes that are encoded.
  std::vector<TokenId> tokens_;
};

// Computes whatever a stage needs, for all rows. `inner`: and what is to be read of its block.
struct RunRequest {
  gpt2::Stage goal;
  bool inner = false;
};
class RunQuery : public Query {
 public:
  RunQuery(std::shared_ptr<gpt2::Session> session, const RunRequest& request);
  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] std::optional<gpt2::Stage> goal() const override { return goals_.back().stage; }

 private:
  std::shared_ptr<gpt2::Session> session_;
  std::vector<gpt2::Goal> goals_;
  std::size_t at_ = 0;
};

// Exact values. Throws Error (not_loaded) unless they can be read.
class RegionQuery : public Query {
 public:
  RegionQuery(std::shared_ptr<const gpt2::Session> session, const Region& region);
  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] bool reads() const override { return true; }
  [[nodiscard]] const Region& region() const noexcept { return bands_.region(); }
  [[nodiscard]] std::vector<float> take() { return std::move(values_); }

 private:
  std::shared_ptr<const gpt2::Session> session_;
  Bands bands_;
  std::vector<float> values_;
};

// A region, pooled. Throws Error (not_loaded) unless it can be read.
class PictureQuery : public Query {
 public:
  PictureQuery(std::shared_ptr<const gpt2::Session> session, const PictureRequest& request);
  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] bool reads() const override { return true; }
  [[nodiscard]] Picture take() { return builder_.finish(); }

 private:
  std::shared_ptr<const gpt2::Session> session_;
  Bands bands_;
  PictureBuilder builder_;
};

// Every head of a block whose probabilities can be read.
class HeadsQuery : public Query {
 public:
  HeadsQuery(std::shared_ptr<const gpt2::Session> session, std::size_t block);
  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] bool reads() const override { return true; }
  [[nodiscard]] std::vector<HeadStatistics> take() { return std::move(heads_); }

 private:
  void start_head();

  std::shared_ptr<const gpt2::Session> session_;
  std::size_t block_;
  std::optional<Bands> bands_;
  std::optional<HeadStatisticsBuilder> builder_;
  std::vector<HeadStatistics> heads_;
};

// The identities of a block, which is run first.
class ChecksQuery : public Query {
 public:
  ChecksQuery(std::shared_ptr<gpt2::Session> session, std::shared_ptr<const gpt2::Model> model, std::size_t block);
  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] std::optional<gpt2::Stage> goal() const override { return run_.goal(); }
  [[nodiscard]] bool reads() const override { return true; }
  [[nodiscard]] std::vector<Check> take() const { return checks_.results(); }

 private:
  std::shared_ptr<gpt2::Session> session_;
  RunQuery run_;
  BlockChecks checks_;
};

// The likeliest tokens after a row, which is computed first.
struct NextRequest {
  std::size_t count = 1;
  std::size_t row = 0;
};
class NextQuery : public Query {
 public:
  NextQuery(std::shared_ptr<gpt2::Session> session, const NextRequest& request);
  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] std::optional<gpt2::Stage> goal() const override { return gpt2::Stage{gpt2::StageKind::kLogits, 0}; }
  [[nodiscard]] std::vector<NextToken> take() { return std::move(next_); }

 private:
  std::shared_ptr<gpt2::Session> session_;
  std::size_t count_;
  Bands bands_;
  std::vector<NextToken> next_;
};

// Where one number comes from; what that needs is computed first.
class ExplainQuery : public Query {
 public:
  // Throws Error (bad_argument) for what is no cell.
  ExplainQuery(std::shared_ptr<gpt2::Session> session, const std::string& cell);
  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] std::optional<gpt2::Stage> goal() const override { return goals_.back().stage; }
  [[nodiscard]] const gpt2::Model& model() const noexcept { return session_->model(); }
  [[nodiscard]] Explanation take() { return std::move(explanation_).value(); }

 private:
  std::shared_ptr<gpt2::Session> session_;
  Cell cell_;
  std::vector<gpt2::Goal> goals_;
  std::size_t at_ = 0;
  std::optional<Explanation> explanation_;
};

// What a log shows of a node. Throws Error (not_loaded) unless it can be read.
class LogValuesQuery : public Query {
 public:
  LogValuesQuery(std::shared_ptr<const gpt2::Session> session, const std::string& node);
  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] bool reads() const override { return true; }
  [[nodiscard]] const LogValues& take() const noexcept { return values_; }

 private:
  std::shared_ptr<const gpt2::Session> session_;
  LogValues values_;
};

}  // namespace headflow::analysis
