// A question about a model or a run, answered in bounded slices: a typed request at construction, a typed answer taken
// once it is done. What a query is given and what it answers are its own `Request` and `take()`.
#pragma once

#include <cstdint>
#include <optional>

#include "gpt2/session.h"
#include "gpt2/stage.h"

namespace headflow::analysis {

class Query {
 public:
  Query() = default;
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  virtual ~Query() = default;

  // One slice of about `work` multiply-accumulates, of which an element that is copied counts as one. `blocked`: the
  // model lacks weights of `stage`; once they are there it goes on. `stage` and `rows` tell how far it is.
  virtual gpt2::Progress advance(std::uint64_t work) = 0;

  // The last stage whose weights it needs, as far as is known; empty where it needs none.
  [[nodiscard]] virtual std::optional<gpt2::Stage> goal() const { return std::nullopt; }

  // Whether a first part of the answer can be taken before the rest is done.
  [[nodiscard]] virtual bool ready() const { return false; }

  // Whether the next slice reads what has been computed: that takes another time per multiply-accumulate.
  [[nodiscard]] virtual bool reads() const { return false; }
};

}  // namespace headflow::analysis
