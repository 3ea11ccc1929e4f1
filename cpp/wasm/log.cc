#include "wasm/log.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/log/log_values.h"
#include "analysis/log/runtime_log.h"
#include "gpt2/session.h"
#include "wasm/describe.h"
#include "wasm/guard.h"
#include "wasm/values.h"

namespace headflow::wasm {

using emscripten::val;

// What is shown of a node: some of its rows and columns.
struct LogValues {
  Int32Array rows{val::undefined()};
  Int32Array columns{val::undefined()};
  Float32Array values{val::undefined()};
  double sum = 0;
};

namespace {

Int32Array indices(std::span<const std::size_t> from) {
  const std::vector<std::int32_t> numbers(from.begin(), from.end());
  return Int32Array(copy<std::int32_t>(numbers));
}

template <typename Tensor>
val tensor(const Tensor& from) {
  val object = val::object();
  object.set("name", text(from.name));
  object.set("shape", val::array(from.logical_shape));
  object.set("ggmlShape", val::array(from.ggml_shape));
  return object;
}

std::shared_ptr<analysis::LogValues> make_log_values(const gpt2::Session& session, const std::string& node) {
  return std::make_shared<analysis::LogValues>(session, gpt2::parse_node(node, session.model().config()));
}

bool advance_log_values(analysis::LogValues& values, const gpt2::Session& session, double work) {
  return values.advance(session, static_cast<std::uint64_t>(work));
}

LogValues finish_log_values(const analysis::LogValues& values) {
  return {.rows = indices(values.rows()),
          .columns = indices(values.columns()),
          .values = Float32Array(copy<float>(values.values())),
          .sum = values.sum()};
}

}  // namespace

LogEntries log_entries(const gpt2::Model& model, std::size_t tokens, const std::string& filter) {
  val entries = val::array();
  const std::vector<analysis::LogEntry> log = analysis::runtime_log(model.config(), tokens, model.tied_output());
  for (const analysis::LogEntry& entry : analysis::matching(log, filter)) {
    val operands = val::array();
    for (const analysis::LogOperand& operand : entry.operands) {
      val part = tensor(operand);
      part.set("of", text(operand.of));
      operands.call<void>("push", part);
    }
    val object = tensor(entry);
    object.set("stage", stage_to({gpt2::info(entry.ref.node).stage, entry.ref.block}));
    object.set("operation", text(entry.operation));
    object.set("operands", operands);
    object.set("unnamed", entry.unnamed_in_llama_cpp);
    entries.call<void>("push", object);
  }
  return LogEntries(entries);
}

void register_log() {
  emscripten::register_type<LogEntries>(
      "{ name: string; shape: number[]; ggmlShape: number[]; stage: Stage; operation: string; operands: { name: "
      "string; of: string; "
      "shape: number[]; ggmlShape: number[] }[]; unnamed: boolean }[]");

  emscripten::value_object<LogValues>("LogValues")
      .field("rows", &LogValues::rows)
      .field("columns", &LogValues::columns)
      .field("values", &LogValues::values)
      .field("sum", &LogValues::sum);

  emscripten::class_<analysis::LogValues>("LogValuesReader")
      .smart_ptr_constructor("LogValuesReaderPointer", guarded<make_log_values>)
      .function("advance", guarded<advance_log_values>)
      .function("finish", guarded<finish_log_values>);
}

}  // namespace headflow::wasm
