// Registers the questions about what heads do, and what `advance` tells of any work.
#pragma once

#include <cstddef>

#include "gpt2/session.h"
#include "wasm/describe.h"

namespace headflow::wasm {

struct Progress {
  bool done = false;
  bool blocked = false;
  Stage stage;
  std::size_t rows = 0;
};

[[nodiscard]] inline Progress progress_to(const gpt2::Progress& progress) {
  return {progress.done, progress.blocked, stage_to(progress.stage), progress.rows};
}

void register_head_queries();

}  // namespace headflow::wasm
