// `headflow trace`: every tensor of a forward pass as NAME.npy, with trace.json beside them.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/file_set.h"
#include "cli/new_file.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "gpt2/graph.h"
#include "gpt2/graph_json.h"
#include "npy/npy.h"

namespace headflow::cli {
namespace {

// Rows that are read at once: logits of a long prompt are never held whole.
constexpr std::size_t kRowsAtOnce = 16;
constexpr int kIndent = 1;

// The files that an older trace names.
std::optional<std::vector<std::string>> files_of(const nlohmann::ordered_json& trace) {
  if (!trace.contains("nodes") || !trace["nodes"].is_object() || !trace.contains("tokens")) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [node, description] : trace["nodes"].items()) names.push_back(node + ".npy");
  return names;
}

// In the order of computation; without `names`, all nodes of all blocks but those that are made on request.
std::vector<gpt2::NodeRef> wanted_nodes(const std::vector<std::string>& names, const gpt2::Config& config) {
  std::vector<gpt2::NodeRef> wanted;
  for (const std::string& name : names) wanted.push_back(gpt2::parse_node(name, config));
  if (names.empty()) {
    for (const gpt2::NodeInfo& node : gpt2::nodes()) {
      if (node.storage == gpt2::NodeStorage::kOnRequest) continue;
      for (std::size_t l = 0; l < (node.per_block ? config.block_count : 1); ++l) wanted.push_back({node.node, l});
    }
  }
  const auto order = [&](gpt2::NodeRef ref) {
    const gpt2::NodeInfo& node = gpt2::info(ref.node);
    return std::pair(gpt2::Stage{node.stage, ref.block}.order(config.block_count), ref.node);
  };
  std::ranges::sort(wanted, {}, order);
  const auto duplicates = std::ranges::unique(wanted);
  wanted.erase(duplicates.begin(), duplicates.end());
  return wanted;
}

void write_node(FileModel& model, gpt2::Session& session, gpt2::NodeRef ref, FileSet& files) {
  const gpt2::Config& config = session.model().config();
  const gpt2::NodeInfo& node = gpt2::info(ref.node);
  const std::size_t tokens = session.tokens().size();
  std::vector<std::size_t> shape;
  for (const gpt2::Axis axis : gpt2::logical_axes(node)) shape.push_back(gpt2::length(axis, config, tokens));

  NewFile file(files.place(gpt2::full_name(ref) + ".npy"));
  std::ostringstream header;
  npy::write_header(header, shape);
  file.write(header.view());
  std::vector<float> values;
  for (std::size_t head = 0; head < (node.per_head ? config.head_count : 1); ++head) {
    for (std::size_t first = 0; first < tokens; first += kRowsAtOnce) {
      const std::size_t last = std::min(tokens, first + kRowsAtOnce);
      model.run(session, gpt2::goal_for(ref, {first, last}));
      values.resize((last - first) * shape.back());
      session.read(ref, head, first, last, values);
      file.write(std::as_bytes(std::span(values)));
    }
  }
  file.finish();
}

}  // namespace

void trace(const TraceOptions& options, std::ostream& out) {
  FileModel file(options.run.model);
  const gpt2::Model& model = file.model();
  const std::vector<gpt2::NodeRef> wanted = wanted_nodes(options.nodes, model.config());
  gpt2::Session session = make_session(file, options.run);
  const std::span<const TokenId> tokens = session.tokens();
  FileSet files(options.directory, "trace.json", files_of);

  nlohmann::ordered_json nodes = nlohmann::ordered_json::object();
  for (const gpt2::NodeRef ref : wanted) {
    write_node(file, session, ref, files);
    nodes[gpt2::full_name(ref)] = gpt2::to_json(ref, model.config(), tokens.size());
  }

  const gpt2::Config& config = model.config();
  const nlohmann::ordered_json manifest = {
      {"tokens", std::vector<TokenId>(tokens.begin(), tokens.end())},
      {"off", off_json(session.edits())},
      {"pieces", pieces_json(model.tokenizer(), tokens)},
      {"bytes", bytes_json(model.tokenizer(), tokens)},
      {"model",
       {{"file", options.run.model.filename().string()},
        {"block_count", config.block_count},
        {"context_length", config.context_length},
        {"embedding_length", config.embedding_length},
        {"feed_forward_length", config.feed_forward_length},
        {"head_count", config.head_count},
        {"head_dim", config.head_dim},
        {"vocabulary_size", config.vocabulary_size},
        {"layer_norm_epsilon", config.layer_norm_epsilon},
        {"tied_output", model.tied_output()}}},
      {"nodes", nodes},
  };
  files.finish(dump(manifest, kIndent) + "\n",
               [&](const std::filesystem::path& path) { file.file().require_other(path); });
  out << "wrote " << wanted.size() << " nodes of " << tokens.size() << " tokens to "
      << one_line(options.directory.string()) << '\n';
}

}  // namespace headflow::cli
