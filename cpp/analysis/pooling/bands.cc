#include "analysis/pooling/bands.h"

#include <vector>

namespace headflow::analysis {

Bands::Bands(const gpt2::Session& session, const Region& region) : region_(region), next_(region.rows.first) {
  check(session, region);
}

gpt2::Progress Bands::prepare(gpt2::Session& session, std::uint64_t work) const {
  const gpt2::RowRange rows{next_, region_.rows.last};
  const gpt2::Goal goal = gpt2::goal_for(region_.node, rows);
  if (session.readable(region_.node, rows)) return {true, false, goal.stage, rows.size()};
  return session.advance(goal, work);
}

std::uint64_t Bands::read(const gpt2::Session& session, std::uint64_t work,
                          const std::function<void(std::span<const float>)>& use) {
  if (done()) return work;
  Region band = region_;
  band.rows.first = next_;
  band.rows.last = next_ + rows_within(session, band, work);
  std::vector<float> values(band.size());
  analysis::read(session, band, values);
  use(values);
  next_ = band.rows.last;
  const std::uint64_t spent = band.rows.size() * row_work(session, band.node.node);
  return work > spent ? work - spent : 0;
}

}  // namespace headflow::analysis
