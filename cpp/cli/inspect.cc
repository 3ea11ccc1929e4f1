// `headflow inspect`: a GGUF file's metadata and tensors, as a listing or as JSON, and whether it is a model.

#include <iomanip>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/input_file.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "gguf/json.h"
#include "gpt2/model.h"

namespace headflow::cli {
namespace {

constexpr std::size_t kShownElements = 4;  // Of an array, in the listing.

// Whether the model can be run, and what of the file it does not use.
void write_use(gguf::Header header, std::ostream& out) {
  try {
    const gpt2::Model model(std::move(header));
    for (const std::string& name : model.unused()) out << "  unused: " << one_line(name) << '\n';
    out << "GPT-2, of which " << model.unused().size() << " tensors are not used\n";
  } catch (const Error& error) {
    out << "No model that Headflow runs: " << one_line(error.what()) << '\n';
  }
}

}  // namespace

void inspect(const InspectOptions& options, std::ostream& out) {
  gguf::Header header = InputFile(options.model).read_header();
  if (options.json) {
    gguf::write_json(header, out);
    return;
  }
  const nlohmann::ordered_json json = gguf::to_json(header, kShownElements);
  out << "GGUF version " << header.version << ", " << header.metadata.size() << " metadata entries, "
      << header.tensors.size() << " tensors, data from byte " << header.data_offset << '\n';
  for (const auto& [key, entry] : json["metadata"].items()) {
    out << "  " << one_line(key) << " (" << entry["type"].get<std::string>() << "): " << one_line(dump(entry["value"]));
    if (entry.contains("length")) out << " ... " << entry["length"] << " in all";
    out << '\n';
  }
  for (const gguf::TensorInfo& tensor : header.tensors) {
    out << "  " << std::left << std::setw(28) << one_line(tensor.name) << ' ' << std::setw(6)
        << gguf::type_name(tensor.type) << std::setw(16) << shape_text(tensor.shape) << " byte " << tensor.offset
        << ", " << tensor.size << " bytes\n";
  }
  say_differences(header);
  write_use(std::move(header), out);
}

}  // namespace headflow::cli
