#include "analysis/queries.h"

#include <algorithm>
#include <string_view>

namespace headflow::analysis {
namespace {

// About what encoding a byte takes, in elements that are copied.
constexpr std::uint64_t kByteWork = 16;

// The goals one after the other: done when the last one is.
gpt2::Progress reach(gpt2::Session& session, const std::vector<gpt2::Goal>& goals, std::size_t& at,
                     std::uint64_t work) {
  gpt2::Progress progress = session.advance(goals[at], work);
  if (progress.done && at + 1 < goals.size()) {
    ++at;
    progress.done = false;
  }
  return progress;
}

Region logits_row(const gpt2::Session& session, std::size_t row) {
  return {{gpt2::Node::kLogits, 0}, 0, {row, row + 1}, {0, session.model().config().vocabulary_size}};
}

gpt2::Progress reading(bool done) {
  return {.done = done};
}

}  // namespace

TokenizeQuery::TokenizeQuery(std::shared_ptr<const gpt2::Model> model, std::string text)
    : model_(std::move(model)), text_(std::move(text)) {}

gpt2::Progress TokenizeQuery::advance(std::uint64_t work) {
  const std::string_view text = text_;
  at_ += model_->tokenizer().encode_some(text.substr(at_), static_cast<std::size_t>(work / kByteWork), tokens_);
  return reading(at_ == text.size());
}

RunQuery::RunQuery(std::shared_ptr<gpt2::Session> session, const RunRequest& request) : session_(std::move(session)) {
  const gpt2::RowRange rows = request.inner ? gpt2::RowRange{0, session_->tokens().size()} : gpt2::RowRange{};
  const gpt2::Stage& stage = request.goal;
  if (request.inner && stage.kind == gpt2::StageKind::kMlp) {
    goals_.push_back({{gpt2::StageKind::kAttention, stage.block}, rows});
  }
  goals_.push_back({stage, rows});
}

gpt2::Progress RunQuery::advance(std::uint64_t work) {
  return reach(*session_, goals_, at_, work);
}

RegionQuery::RegionQuery(std::shared_ptr<const gpt2::Session> session, const Region& region)
    : session_(std::move(session)), bands_(*session_, region) {}

gpt2::Progress RegionQuery::advance(std::uint64_t work) {
  bands_.read(*session_, work,
              [this](std::span<const float> band) { values_.insert(values_.end(), band.begin(), band.end()); });
  return reading(bands_.done());
}

PictureQuery::PictureQuery(std::shared_ptr<const gpt2::Session> session, const PictureRequest& request)
    : session_(std::move(session)),
      bands_(*session_, request.region),
      builder_(request.region.rows.size(), request.region.columns.size(), request.height, request.width) {}

gpt2::Progress PictureQuery::advance(std::uint64_t work) {
  bands_.read(*session_, work, [this](std::span<const float> band) { builder_.add(band); });
  return reading(bands_.done());
}

HeadsQuery::HeadsQuery(std::shared_ptr<const gpt2::Session> session, std::size_t block)
    : session_(std::move(session)), block_(block) {
  start_head();
}

void HeadsQuery::start_head() {
  const std::size_t count = session_->tokens().size();
  bands_.emplace(*session_, Region{{gpt2::Node::kProbabilities, block_}, heads_.size(), {0, count}, {0, count}});
  builder_.emplace(count);
}

gpt2::Progress HeadsQuery::advance(std::uint64_t work) {
  while (work > 0) {
    work = bands_->read(*session_, work, [this](std::span<const float> band) { builder_->add(band); });
    if (!bands_->done()) break;
    heads_.push_back(builder_->finish());
    if (heads_.size() == session_->model().config().head_count) return reading(true);
    start_head();
  }
  return reading(false);
}

ChecksQuery::ChecksQuery(std::shared_ptr<gpt2::Session> session, std::shared_ptr<const gpt2::Model> model,
                         std::size_t block)
    : session_(std::move(session)),
      run_(session_, {{gpt2::StageKind::kMlp, block}, true}),
      checks_(std::move(model), session_->tokens(), block, session_->edits()) {}

gpt2::Progress ChecksQuery::advance(std::uint64_t work) {
  gpt2::Progress progress = run_.advance(work);  // Also what a slice of another query has let go meanwhile.
  if (progress.done) progress.done = checks_.advance(reader(*session_), work);
  return progress;
}

NextQuery::NextQuery(std::shared_ptr<gpt2::Session> session, const NextRequest& request)
    : session_(std::move(session)), count_(request.count), bands_(*session_, logits_row(*session_, request.row)) {}

gpt2::Progress NextQuery::advance(std::uint64_t work) {
  gpt2::Progress progress = bands_.prepare(*session_, work);
  if (progress.done) {
    bands_.read(*session_, work, [this](std::span<const float> logits) { next_ = likeliest(logits, count_); });
  }
  return progress;
}

ExplainQuery::ExplainQuery(std::shared_ptr<gpt2::Session> session, const std::string& cell)
    : session_(std::move(session)),
      cell_(parse_cell(cell, session_->model(), session_->tokens().size())),
      goals_(goals_behind(session_->model(), session_->tokens(), cell_)) {}

gpt2::Progress ExplainQuery::advance(std::uint64_t work) {
  const gpt2::Progress progress = reach(*session_, goals_, at_, work);
  if (progress.done) explanation_.emplace(explain(*session_, cell_));
  return progress;
}

LogValuesQuery::LogValuesQuery(std::shared_ptr<const gpt2::Session> session, const std::string& node)
    : session_(std::move(session)), values_(*session_, gpt2::parse_node(node, session_->model().config())) {}

gpt2::Progress LogValuesQuery::advance(std::uint64_t work) {
  return reading(values_.advance(*session_, work));
}

}  // namespace headflow::analysis
