#include "analysis/figure.h"

#include <algorithm>
#include <utility>

#include "gpt2/graph.h"

namespace headflow::analysis {
namespace {

// Sets both, or neither.
void set_run(gpt2::Session& session, const FigureRequest& request) {
  const std::vector<gpt2::Edit> before(session.edits().begin(), session.edits().end());
  session.set_edits(request.edits);
  try {
    session.set_tokens(request.tokens);
  } catch (...) {
    session.set_edits(before);
    throw;
  }
}

std::size_t order(const gpt2::Stage& stage) {
  switch (stage.kind) {
    case gpt2::StageKind::kEmbed: return 0;
    case gpt2::StageKind::kAttention: return 1 + 2 * stage.block;
    case gpt2::StageKind::kMlp: return 2 + 2 * stage.block;
    case gpt2::StageKind::kLogits: break;
  }
  return static_cast<std::size_t>(-1);
}

}  // namespace

FigureQuery::FigureQuery(std::shared_ptr<gpt2::Session> session, const FigureRequest& request)
    : session_(std::move(session)), next_count_(request.next) {
  set_run(*session_, request);
  const std::size_t count = request.tokens.size();
  for (const PictureRequest& picture : request.pictures) add(picture.region, &picture, false);
  for (const Region& region : request.regions) add(region, nullptr, false);
  if (!request.heads_of) return;
  for (std::size_t head = 0; head < session_->model().config().head_count; ++head) {
    const Region weights{{gpt2::Node::kProbabilities, *request.heads_of}, head, {0, count}, {0, count}};
    const PictureRequest thumbnail{weights, request.thumbnail, request.thumbnail};
    add(weights, &thumbnail, true);
  }
}

void FigureQuery::add(const Region& region, const PictureRequest* picture, bool head) {
  Task task{Bands(*session_, region), std::nullopt, std::nullopt, {}, head};
  if (picture != nullptr) {
    task.picture.emplace(region.rows.size(), region.columns.size(), picture->height, picture->width);
  }
  if (head) task.statistics.emplace(region.rows.size());
  const gpt2::Stage stage = gpt2::goal_for(region.node, {region.rows.first, region.rows.last}).stage;
  if (!goal_ || order(stage) > order(*goal_)) goal_ = stage;
  tasks_.push_back(std::move(task));
}

void FigureQuery::finish(Task& task) {
  if (task.picture) (task.thumbnail ? figure_.thumbnails : figure_.pictures).push_back(task.picture->finish());
  if (task.statistics) figure_.heads.push_back(task.statistics->finish());
  if (!task.picture) figure_.regions.push_back(std::move(task.values));
}

gpt2::Progress FigureQuery::advance(std::uint64_t work) {
  gpt2::Progress progress{.done = true, .rows = session_->tokens().size()};
  reads_ = false;
  while (at_ < tasks_.size() && work > 0) {
    Task& task = tasks_[at_];
    progress = task.bands.prepare(*session_, work);
    if (!progress.done) return progress;
    progress.done = false;
    work = task.bands.read(*session_, work, [&task](std::span<const float> band) {
      if (task.picture) task.picture->add(band);
      if (task.statistics) task.statistics->add(band);
      if (!task.picture) task.values.insert(task.values.end(), band.begin(), band.end());
    });
    if (!task.bands.done()) break;
    finish(task);
    ++at_;
  }
  reads_ = at_ < tasks_.size();
  if (reads_) return progress;
  if (next_count_ == 0) done_ = true;
  if (shown_ && !done_) return advance_next(work);
  progress.done = done_;
  if (!done_) goal_ = gpt2::Stage{gpt2::StageKind::kLogits, 0};
  return progress;
}

gpt2::Progress FigureQuery::advance_next(std::uint64_t work) {
  const std::size_t count = session_->tokens().size();
  const std::size_t vocabulary = session_->model().config().vocabulary_size;
  Bands last(*session_,
             {{gpt2::Node::kLogits, 0}, 0, {count - std::min<std::size_t>(count, 1), count}, {0, vocabulary}});
  gpt2::Progress progress = last.prepare(*session_, work);
  if (!progress.done) return progress;
  last.read(*session_, work, [&](std::span<const float> logits) { figure_.next = likeliest(logits, next_count_); });
  done_ = true;
  return progress;
}

Figure FigureQuery::take() {
  shown_ = true;
  figure_.last = done_;
  return std::exchange(figure_, {});
}

}  // namespace headflow::analysis
