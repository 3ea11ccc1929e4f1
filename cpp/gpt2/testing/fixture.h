// For tests: the small model of cpp/testdata with what llama.cpp computed for it, and how to compare.
#pragma once

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gguf/header_reader.h"
#include "gpt2/graph.h"
#include "gpt2/model.h"
#include "gpt2/session.h"
#include "npy/npy.h"

namespace headflow::gpt2::testing {

inline const std::filesystem::path kMini = std::filesystem::path(HEADFLOW_TESTDATA) / "gpt2-mini";

inline std::vector<std::byte> file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no test data at " + path.string());
  const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(chars.size());
  std::memcpy(bytes.data(), chars.data(), chars.size());
  return bytes;
}

inline gguf::Header header_of(std::span<const std::byte> file) {
  gguf::HeaderReader reader(file.size());
  reader.push(file);
  reader.finish();
  return reader.take();
}

// A model with every byte present.
inline std::shared_ptr<Model> whole_model(std::span<const std::byte> file) {
  auto model = std::make_shared<Model>(header_of(file));
  model->supply(0, file);
  return model;
}

inline std::shared_ptr<Model> mini_model() {
  return whole_model(file_bytes(kMini / "gpt2-mini.Q8_0.gguf"));
}

// One dump folder: "how" or "cat".
struct Dump {
  explicit Dump(const std::string& folder) : path(kMini / folder) {
    std::ifstream file(path / "trace.json");
    tokens = nlohmann::json::parse(file).at("tokens").get<std::vector<TokenId>>();
  }
  [[nodiscard]] bool has(NodeRef ref) const { return std::filesystem::exists(path / (full_name(ref) + ".npy")); }
  [[nodiscard]] npy::Array array(NodeRef ref) const {
    std::ifstream file(path / (full_name(ref) + ".npy"), std::ios::binary);
    return npy::read(file);
  }

  std::filesystem::path path;
  std::vector<TokenId> tokens;
};

inline void run(Session& session, const Goal& goal, std::uint64_t work = std::numeric_limits<std::uint64_t>::max()) {
  for (Progress progress; !progress.done;) {
    progress = session.advance(goal, work);
    if (progress.blocked) throw std::runtime_error("the model is not whole");
  }
}

// A whole node, all heads, in its logical shape. Runs the stage that it needs.
inline std::vector<float> node_values(Session& session, NodeRef ref,
                                      std::uint64_t work = std::numeric_limits<std::uint64_t>::max()) {
  const NodeInfo& node = info(ref.node);
  const Config& config = session.model().config();
  const std::size_t tokens = session.tokens().size();
  run(session, goal_for(ref, {0, tokens}), work);
  const std::size_t plane = tokens * length(node.columns, config, tokens);
  const std::size_t heads = node.per_head ? config.head_count : 1;
  std::vector<float> values(heads * plane);
  for (std::size_t head = 0; head < heads; ++head) {
    session.read(ref, head, 0, tokens, std::span(values).subspan(head * plane, plane));
  }
  return values;
}

// Every node of every block, in the order of computation.
inline std::vector<NodeRef> all_nodes(const Config& config) {
  std::vector<NodeRef> refs;
  for (const NodeInfo& node : nodes()) {
    if (!node.per_block) {
      refs.push_back({node.node, 0});
      continue;
    }
    for (std::size_t l = 0; l < config.block_count; ++l) refs.push_back({node.node, l});
  }
  return refs;
}

// sqrt(sum (a - b)^2 / sum b^2)
template <typename Reference>
double relative_rms(std::span<const float> a, const Reference& b) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    difference += d * d;
    size += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return std::sqrt(difference / size);
}

template <typename Reference>
double largest_difference(std::span<const float> a, const Reference& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace headflow::gpt2::testing
