// Any text as a file of known numbers: refused with an Error, or compared.
#include <cstdint>
#include <string_view>

#include "analysis/checks/published.h"
#include "base/error.h"
#include "fuzz/tiny_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headflow;
  try {
    (void)analysis::compare_with({reinterpret_cast<const char*>(data), size}, fuzz::tiny_model());
  } catch (const Error&) {
  }
  return 0;
}
