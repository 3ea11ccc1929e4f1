#include "wasm/guard.h"

#include <new>
#include <string>
#include <string_view>

#include "base/error.h"
#include "wasm/values.h"

namespace headflow::wasm {

using emscripten::val;

namespace {

val engine_error(std::string_view code, std::string_view message, const Error::Parts& parts) {
  val error = val::global("Error").new_(text(message));
  error.set("name", "EngineError");
  error.set("code", text(code));
  error.set("where", text(parts.where));
  error.set("got", text(parts.got));
  error.set("expected", text(parts.expected));
  return error;
}

}  // namespace

val javascript_error(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) {
    return engine_error(name(error->code()), error->what(), error->parts());
  }
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    const Error error(ErrorCode::kOutOfMemory, {.where = "memory of the engine",
                                                .got = "no more from the browser",
                                                .expected = "",
                                                .hint = "Close other models or tabs, or use a shorter prompt"});
    return engine_error(name(error.code()), error.what(), error.parts());
  }
  return engine_error("internal", exception.what(), {});
}

}  // namespace headflow::wasm
