// What one figure shows, asked once: a prompt and its edits, pictures and regions of one block, what each head does
// there, and the next tokens. The first part of the answer is all but the next tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/heads/head_statistics.h"
#include "analysis/pooling/bands.h"
#include "analysis/pooling/picture.h"
#include "analysis/query.h"
#include "analysis/sampling/next_token.h"
#include "gpt2/edit.h"
#include "gpt2/session.h"

namespace headflow::analysis {

struct PictureRequest {
  Region region;
  std::size_t height = 1;  // Bins, at most.
  std::size_t width = 1;
};

struct FigureRequest {
  std::vector<TokenId> tokens;
  std::vector<gpt2::Edit> edits;
  std::vector<PictureRequest> pictures;
  std::vector<Region> regions;
  std::optional<std::size_t> heads_of;  // The block whose heads are measured and pictured.
  std::size_t thumbnail = 0;            // Bins of a head's picture in each direction, at most.
  std::size_t next = 0;                 // How many of the likeliest next tokens.
};

struct Figure {
  std::vector<Picture> pictures;
  std::vector<std::vector<float>> regions;
  std::vector<HeadStatistics> heads;
  std::vector<Picture> thumbnails;
  std::vector<NextToken> next;
  bool last = false;  // Nothing is still to come.
};

class FigureQuery : public Query {
 public:
  using Request = FigureRequest;

  // Sets the session's tokens and edits. Throws Error (bad_argument, context_overflow) for what the model or the prompt
  // does not have; tokens and edits that are refused leave the session as it was.
  FigureQuery(std::shared_ptr<gpt2::Session> session, const FigureRequest& request);

  gpt2::Progress advance(std::uint64_t work) override;
  [[nodiscard]] std::optional<gpt2::Stage> goal() const override { return goal_; }
  [[nodiscard]] bool ready() const override { return at_ == tasks_.size() && !shown_; }
  [[nodiscard]] bool reads() const override { return reads_; }

  // What has not been taken before.
  [[nodiscard]] Figure take();

 private:
  // A region that is read into a picture, a head's statistics or as it is.
  struct Task {
    Bands bands;
    std::optional<PictureBuilder> picture;
    std::optional<HeadStatisticsBuilder> statistics;
    std::vector<float> values;
    bool thumbnail = false;
  };

  void add(const Region& region, const PictureRequest* picture, bool head);
  void finish(Task& task);
  gpt2::Progress advance_next(std::uint64_t work);

  std::shared_ptr<gpt2::Session> session_;
  std::vector<Task> tasks_;
  std::size_t at_ = 0;  // Tasks that are done.
  std::size_t next_count_;
  std::optional<gpt2::Stage> goal_;
  Figure figure_;
  bool reads_ = false;
  bool shown_ = false;  // The first part was taken.
  bool done_ = false;
};

}  // namespace headflow::analysis
