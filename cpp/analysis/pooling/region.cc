#include "analysis/pooling/region.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace headflow::analysis {

namespace {

void check(const Interval& interval, std::size_t length, std::string_view what, const gpt2::NodeRef& node) {
  if (interval.first < interval.last && interval.last <= length) return;
  throw Error(ErrorCode::kBadArgument,
              {.where = std::string(what) + " of " + gpt2::full_name(node),
               .got = "[" + std::to_string(interval.first) + ", " + std::to_string(interval.last) + ")",
               .expected = "a part of [0, " + std::to_string(length) + ") that is not empty"});
}

std::size_t width(const gpt2::Session& session, gpt2::Node node) {
  return gpt2::length(gpt2::info(node).columns, session.model().config(), session.tokens().size());
}

}  // namespace

std::uint64_t row_work(const gpt2::Session& session, gpt2::Node node) {
  const gpt2::Config& config = session.model().config();
  const std::uint64_t columns = std::max<std::size_t>(1, width(session, node));
  // Whole stored rows of W_O are read, and the products are the head's.
  if (node == gpt2::Node::kHeadContribution) return columns * (columns + config.head_dim);
  switch (gpt2::info(node).columns) {
    case gpt2::Axis::kKeys: return columns * config.head_dim;
    case gpt2::Axis::kVocabulary: return columns * config.embedding_length;
    default: return columns;
  }
}

void check(const gpt2::Session& session, const Region& region) {
  check(region.rows, session.tokens().size(), "rows", region.node);
  check(region.columns, width(session, region.node.node), "columns", region.node);
  const std::size_t heads = session.model().config().head_count;
  if (gpt2::info(region.node.node).per_head && region.head >= heads) {
    throw Error(ErrorCode::kBadArgument, {.where = "head of " + gpt2::full_name(region.node),
                                          .got = std::to_string(region.head),
                                          .expected = "less than " + std::to_string(heads)});
  }
}

std::size_t rows_within(const gpt2::Session& session, const Region& region, std::uint64_t work) {
  const std::uint64_t rows = work / row_work(session, region.node.node);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(rows, 1, std::max<std::size_t>(1, region.rows.size())));
}

void read(const gpt2::Session& session, const Region& region, std::span<float> out) {
  check(session, region);
  const std::size_t columns = width(session, region.node.node);
  if (region.columns.size() == columns) {
    session.read(region.node, region.head, region.rows.first, region.rows.last, out);
    return;
  }
  std::vector<float> rows(region.rows.size() * columns);
  session.read(region.node, region.head, region.rows.first, region.rows.last, rows);
  for (std::size_t r = 0; r < region.rows.size(); ++r) {
    const auto row = std::span(rows).subspan(r * columns + region.columns.first, region.columns.size());
    std::ranges::copy(row, out.subspan(r * region.columns.size()).begin());
  }
}

}  // namespace headflow::analysis
