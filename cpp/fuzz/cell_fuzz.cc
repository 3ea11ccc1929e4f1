// Any text as the name of a cell: refused with an Error, or a cell whose own text names it again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analysis/explanation/cell.h"
#include "base/error.h"
#include "fuzz/tiny_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headflow;
  constexpr std::size_t kTokens = 3;
  const gpt2::Model& model = *fuzz::tiny_model();
  const std::string name(reinterpret_cast<const char*>(data), size);
  std::string text;
  try {
    text = analysis::text(analysis::parse_cell(name, model, kTokens), model);
  } catch (const Error&) {
    return 0;
  }
  try {
    if (analysis::text(analysis::parse_cell(text, model, kTokens), model) != text) std::abort();
  } catch (const Error&) {
    std::abort();
  }
  return 0;
}
