// Heads switched off, as JavaScript names them.
#pragma once

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpt2/edit.h"

namespace headflow::wasm {

EMSCRIPTEN_DECLARE_VAL_TYPE(EditKindName)
EMSCRIPTEN_DECLARE_VAL_TYPE(EditList)

struct Edit {
  std::size_t block = 0;
  std::size_t head = 0;
  EditKindName by{emscripten::val("zero")};
};

// Throws Error (bad_argument) for what is no kind.
[[nodiscard]] inline gpt2::EditKind edit_kind_from(const EditKindName& name) {
  const auto text = name.as<std::string>();
  if (text == "zero") return gpt2::EditKind::kZero;
  if (text == "mean") return gpt2::EditKind::kMean;
  throw Error(ErrorCode::kBadArgument, {.where = "what replaces a head", .got = text, .expected = "zero or mean"});
}

[[nodiscard]] inline std::vector<gpt2::Edit> edits_from(const EditList& list) {
  std::vector<gpt2::Edit> edits;
  for (const Edit& edit : emscripten::vecFromJSArray<Edit>(list)) {
    edits.push_back({edit.block, edit.head, edit_kind_from(edit.by)});
  }
  return edits;
}

inline void register_edits() {
  emscripten::register_type<EditKindName>("'zero' | 'mean'");
  emscripten::register_type<EditList>("Edit[]");
  emscripten::value_object<Edit>("Edit").field("block", &Edit::block).field("head", &Edit::head).field("by", &Edit::by);
}

}  // namespace headflow::wasm
