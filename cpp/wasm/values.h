// JavaScript values of one known type, named so that the generated declarations are precise, and copies into them.
#pragma once

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace headflow::wasm {

EMSCRIPTEN_DECLARE_VAL_TYPE(Uint8Array)
EMSCRIPTEN_DECLARE_VAL_TYPE(Int32Array)
EMSCRIPTEN_DECLARE_VAL_TYPE(Float32Array)
EMSCRIPTEN_DECLARE_VAL_TYPE(Float64Array)
EMSCRIPTEN_DECLARE_VAL_TYPE(Text)

// A new JavaScript array with these elements. Never a view of wasm memory, which growth would detach.
template <typename T>
[[nodiscard]] emscripten::val copy(std::span<const T> elements) {
  return emscripten::val(emscripten::typed_memory_view(elements.size(), elements.data()))
      .template call<emscripten::val>("slice");
}

[[nodiscard]] Text text(std::string_view utf8);

// Fills wasm memory from part of a JavaScript array, starting at its element `first`.
void fill(std::span<std::byte> memory, const Uint8Array& bytes, std::size_t first);

void register_values();

}  // namespace headflow::wasm
