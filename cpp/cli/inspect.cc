// `headflow inspect`: a GGUF file's metadata and tensors, as a listing or as JSON.

#include <iomanip>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/text.h"
#include "gguf/json.h"

namespace headflow::cli {
namespace {

constexpr std::size_t kShownElements = 4;  // Of an array, in the listing.
constexpr int kIndent = 2;

}  // namespace

void inspect(const InspectOptions& options, std::ostream& out) {
  const gguf::Header header = read_header(options.model);
  if (options.json) {
    out << dump(gguf::to_json(header, std::numeric_limits<std::size_t>::max()), kIndent) << '\n';
    return;
  }
  const nlohmann::ordered_json json = gguf::to_json(header, kShownElements);
  out << "GGUF version " << header.version << ", " << header.metadata.size() << " metadata entries, "
      << header.tensors.size() << " tensors, data from byte " << header.data_offset << '\n';
  for (const auto& [key, entry] : json["metadata"].items()) {
    out << "  " << key << " (" << entry["type"].get<std::string>() << "): " << dump(entry["value"]);
    if (entry.contains("length")) out << " ... " << entry["length"] << " in all";
    out << '\n';
  }
  for (const gguf::TensorInfo& tensor : header.tensors) {
    out << "  " << std::left << std::setw(28) << tensor.name << ' ' << std::setw(6) << gguf::type_name(tensor.type)
        << std::setw(16) << shape_text(tensor.shape) << " byte " << tensor.offset << ", " << tensor.size << " bytes\n";
  }
}

}  // namespace headflow::cli
