// The boundary that C++ exceptions do not cross: what is bound is wrapped, and throws a JavaScript Error instead.
#pragma once

#include <emscripten/val.h>

#include <exception>
#include <utility>

namespace headflow::wasm {

// Error{name: "EngineError", code, message, where, got, expected} for any exception that the engine throws.
[[nodiscard]] emscripten::val javascript_error(const std::exception& exception);

template <auto function>
struct Guard;

template <typename Result, typename... Arguments, Result (*function)(Arguments...)>
struct Guard<function> {
  static Result call(Arguments... arguments) {
    emscripten::val error;
    try {
      return function(std::forward<Arguments>(arguments)...);
    } catch (const std::exception& exception) {
      error = javascript_error(exception);
    }
    error.throw_();
  }
};

// A plain function pointer to `function`, guarded.
template <auto function>
inline constexpr auto guarded = &Guard<function>::call;

}  // namespace headflow::wasm
