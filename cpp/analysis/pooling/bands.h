// Reads a region from the top in bands of whole rows, each of which fits a slice of bounded work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "analysis/pooling/region.h"
#include "gpt2/session.h"

namespace headflow::analysis {

class Bands {
 public:
  // Throws Error (bad_argument) where the region leaves its node's tensor for the session's tokens.
  Bands(const gpt2::Session& session, const Region& region);

  [[nodiscard]] const Region& region() const noexcept { return region_; }
  [[nodiscard]] bool done() const noexcept { return next_ == region_.rows.last; }

  // Computes what the next rows need. Not done, or blocked: `read` has to wait.
  [[nodiscard]] gpt2::Progress prepare(gpt2::Session& session, std::uint64_t work) const;

  // Hands the next rows to `use`, at least one, as many as about `work` affords; returns the work that is left.
  // Throws Error (not_loaded) where they are not prepared.
  std::uint64_t read(const gpt2::Session& session, std::uint64_t work,
                     const std::function<void(std::span<const float>)>& use);

 private:
  Region region_;
  std::size_t next_;
};

}  // namespace headflow::analysis
