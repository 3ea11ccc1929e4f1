// The reference algorithm works in passes: find the pair of lowest rank, merge all its occurrences from left to right,
// repeat. The queue below gives the same without looking at the whole word in each pass: it is ordered by rank, then
// position, and the pairs that a pass creates enter it when the pass is over, so that one whose rank is lower still
// (possible where two merges have the same result) waits as it does there. Of overlapping occurrences ("aaa") the left
// one is merged; the other has then lost its left piece and is skipped.
#include "tokenizer/merge_table.h"

#include <compare>
#include <functional>
#include <queue>
#include <utility>

namespace headflow {
namespace {

constexpr std::uint64_t pair_key(TokenId left, TokenId right) noexcept {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

constexpr TokenId kGone = -1;

// Two neighbours that a merge fits; `left` is where the left piece starts.
struct Candidate {
  std::uint32_t rank;
  std::uint32_t left;
  auto operator<=>(const Candidate&) const = default;
};

// One word while it is being merged: a linked list of pieces, which stay at the place of their first byte.
class WordMerger {
 public:
  WordMerger(const MergeTable& table, const std::vector<TokenId>& pieces) : table_(table) {
    const auto count = static_cast<std::uint32_t>(pieces.size());
    pieces_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) pieces_.push_back({pieces[i], i - 1, i + 1});
    std::vector<Candidate> candidates;
    for (std::uint32_t i = 0; i + 1 < count; ++i) {
      if (const auto candidate = find_candidate(i)) candidates.push_back(*candidate);
    }
    queue_ = Queue(std::greater<>(), std::move(candidates));
  }

  [[nodiscard]] bool done() const { return queue_.empty(); }
  [[nodiscard]] std::uint32_t next_rank() const { return queue_.top().rank; }
  [[nodiscard]] std::size_t weighed() const { return weighed_; }

  // One pass; whether it merged anything: all candidates of a rank may have lost a piece meanwhile.
  bool run_pass() {
    const std::uint32_t rank = next_rank();
    const Merge& merge = table_.merge(rank);
    created_.clear();
    const std::size_t before = merged_;
    while (!queue_.empty() && queue_.top().rank == rank) {
      const std::uint32_t left = queue_.top().left;
      queue_.pop();
      ++weighed_;
      if (holds(left, merge)) join(left, merge.result);
    }
    for (const std::uint32_t left : created_) {
      if (const auto candidate = find_candidate(left)) queue_.push(*candidate);
    }
    return merged_ > before;
  }

  void take_pieces(std::vector<TokenId>& out) const {
    out.clear();
    for (const Piece& piece : pieces_) {
      if (piece.id != kGone) out.push_back(piece.id);
    }
  }

 private:
  struct Piece {
    TokenId id;
    std::uint32_t previous;  // Beyond the end for the first one.
    std::uint32_t next;      // Beyond the end for the last one.
  };
  using Queue = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

  [[nodiscard]] bool holds(std::uint32_t left, const Merge& merge) const {
    const Piece& piece = pieces_[left];
    return piece.id == merge.left && piece.next < pieces_.size() && pieces_[piece.next].id == merge.right;
  }

  void join(std::uint32_t left, TokenId result) {
    ++merged_;
    Piece& piece = pieces_[left];
    Piece& right = pieces_[piece.next];
    right.id = kGone;
    piece.id = result;
    piece.next = right.next;
    if (piece.next < pieces_.size()) {
      pieces_[piece.next].previous = left;
      created_.push_back(left);
    }
    if (piece.previous < pieces_.size()) created_.push_back(piece.previous);
  }

  [[nodiscard]] std::optional<Candidate> find_candidate(std::uint32_t left) const {
    const Piece& piece = pieces_[left];
    if (piece.id == kGone || piece.next >= pieces_.size()) return std::nullopt;
    const auto rank = table_.rank(piece.id, pieces_[piece.next].id);
    if (!rank) return std::nullopt;
    return Candidate{*rank, left};
  }

  const MergeTable& table_;
  std::vector<Piece> pieces_;
  Queue queue_;
  std::vector<std::uint32_t> created_;  // Left pieces of the pairs that this pass made.
  std::size_t weighed_ = 0;
  std::size_t merged_ = 0;
};

}  // namespace

bool MergeTable::add(const Merge& merge) {
  const auto rank = static_cast<std::uint32_t>(merges_.size());
  if (!ranks_.emplace(pair_key(merge.left, merge.right), rank).second) return false;
  merges_.push_back(merge);
  return true;
}

std::optional<std::uint32_t> MergeTable::rank(TokenId left, TokenId right) const {
  const auto found = ranks_.find(pair_key(left, right));
  if (found == ranks_.end()) return std::nullopt;
  return found->second;
}

std::size_t MergeTable::apply(std::vector<TokenId>& pieces) const {
  WordMerger merger(*this, pieces);
  while (!merger.done()) static_cast<void>(merger.run_pass());
  merger.take_pieces(pieces);
  return merger.weighed();
}

std::vector<MergePass> MergeTable::passes(const std::vector<TokenId>& pieces) const {
  WordMerger merger(*this, pieces);
  std::vector<MergePass> passes;
  while (!merger.done()) {
    const std::uint32_t rank = merger.next_rank();
    if (!merger.run_pass()) continue;
    merger.take_pieces(passes.emplace_back(MergePass{.rank = rank, .merge = merges_[rank], .pieces = {}}).pieces);
  }
  return passes;
}

}  // namespace headflow
