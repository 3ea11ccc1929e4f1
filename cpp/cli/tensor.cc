// `headflow tensor`: what a tensor of the file holds, as a histogram of its values and of its blocks' scales.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/weights/tensor_summary.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "cli/text.h"

namespace headflow::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBarLength = 60;
constexpr std::uint64_t kSlice = 1 << 20;

Json number_json(const analysis::NumberSummary& numbers) {
  const analysis::Histogram& bins = numbers.histogram;
  return {{"count", numbers.count},
          {"smallest", numbers.smallest},
          {"largest", numbers.largest},
          {"mean", numbers.mean},
          {"root_mean_square", numbers.root_mean_square},
          {"histogram", {{"low", bins.low}, {"high", bins.high}, {"counts", bins.counts}}}};
}

void print(const char* what, const analysis::NumberSummary& numbers, std::ostream& out) {
  out << numbers.count << ' ' << what << " from " << numbers.smallest << " to " << numbers.largest << ", mean "
      << numbers.mean << ", root mean square " << numbers.root_mean_square << '\n';
  const auto& [low, high, counts] = numbers.histogram;
  const std::uint64_t most = std::ranges::max(counts);
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    const double from = low + (high - low) * static_cast<double>(bin) / static_cast<double>(counts.size());
    out << fixed(from, 6) << '\t' << counts[bin] << '\t' << std::string(counts[bin] * kBarLength / most, '#') << '\n';
  }
}

}  // namespace

void tensor(const TensorOptions& options, std::ostream& out) {
  FileModel file(options.model);
  const gpt2::Model& model = file.model();
  const auto found = std::ranges::find(model.tensors(), options.name,
                                       [](const gpt2::TensorStore& store) { return store.info().name; });
  if (found == model.tensors().end()) {
    throw Error(ErrorCode::kBadArgument,
                {"NAME", '"' + options.name + '"', "a tensor that the model uses", "headflow inspect lists the names"});
  }
  file.load_all();
  analysis::TensorSummaryOf query(*found, options.bins);
  while (!query.advance(kSlice)) {
  }
  const analysis::TensorSummary& summary = query.result();
  const gguf::TensorInfo& info = found->info();
  if (options.json) {
    Json json{{"name", info.name},
              {"type", gguf::type_name(info.type)},
              {"shape", info.shape},
              {"values", number_json(summary.values)}};
    if (summary.scales) json["scales"] = number_json(*summary.scales);
    out << dump(json) << '\n';
    return;
  }
  out << one_line(info.name) << ' ' << gguf::type_name(info.type) << ' ' << shape_text(info.shape) << '\n';
  print("values", summary.values, out);
  if (summary.scales) print("scales", *summary.scales, out);
}

}  // namespace headflow::cli
