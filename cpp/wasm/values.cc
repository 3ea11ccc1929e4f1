#include "wasm/values.h"

#include <cstdint>
#include <string>

namespace headflow::wasm {

using emscripten::val;

Text text(std::string_view utf8) {
  return Text(val::u8string(std::string(utf8).c_str()));
}

void fill(std::span<std::byte> memory, const Uint8Array& bytes, std::size_t first) {
  const auto view = emscripten::typed_memory_view(memory.size(), reinterpret_cast<std::uint8_t*>(memory.data()));
  val(view).call<void>("set", bytes.call<val>("subarray", first, first + memory.size()));
}

void register_values() {
  emscripten::register_type<Uint8Array>("Uint8Array");
  emscripten::register_type<Int32Array>("Int32Array");
  emscripten::register_type<Float32Array>("Float32Array");
  emscripten::register_type<Float64Array>("Float64Array");
  emscripten::register_type<Text>("string");
}

}  // namespace headflow::wasm
