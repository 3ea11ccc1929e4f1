// Prints how far the engine's nodes are from llama.cpp's and from a float64 reference, as the tables of
// docs/numbers.md: for the two prompts of cpp/testdata/gpt2-mini, the larger distance of both.

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "gpt2/testing/fixture.h"
#include "gpt2/testing/float64.h"
#include "gpt2/testing/stages.h"

namespace headflow::gpt2::testing {
namespace {

struct Distance {
  double largest = 0;
  double rms = 0;
};

// One table: per node, a distance for each of three ways to compare.
class Table {
 public:
  template <typename Reference>
  void add(NodeRef ref, std::size_t way, std::span<const float> values, const Reference& expected) {
    if (values.size() != expected.size()) throw std::runtime_error("shapes differ at " + full_name(ref));
    Distance& distance = rows_[full_name(ref)].at(way);
    distance.largest = std::max(distance.largest, largest_difference(values, expected));
    distance.rms = std::max(distance.rms, relative_rms(values, expected));
  }

  void print(const Config& config, const std::array<const char*, 3>& ways) const {
    std::cout << "| node |";
    for (const char* way : ways) std::cout << ' ' << way << ": largest | rel. RMS |";
    std::cout << "\n|---|---|---|---|---|---|---|\n";
    for (const NodeRef ref : all_nodes(config)) {
      const auto row = rows_.find(full_name(ref));
      if (row == rows_.end()) continue;
      std::cout << "| `" << row->first << "` |";
      for (const Distance& distance : row->second) std::cout << number(distance.largest) << number(distance.rms);
      std::cout << '\n';
    }
  }

 private:
  static std::string number(double value) {
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), value == 0 ? " 0 |" : " %.1e |", value);
    return text.data();
  }

  std::map<std::string, std::array<Distance, 3>> rows_;
};

Matrix matrix(std::span<const float> values, std::size_t columns) {
  Matrix rows;
  for (std::size_t at = 0; at < values.size(); at += columns) {
    rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(at),
                      values.begin() + static_cast<std::ptrdiff_t>(at + columns));
  }
  return rows;
}

// The float64 reference, each stage fed with llama.cpp's input to it.
std::map<std::string, Vector> float64_stages(const Model& model, const Dump& dump) {
  Float64 reference(model);
  const std::size_t width = model.config().embedding_length;
  for (std::size_t l = 0; l < model.config().block_count; ++l) {
    reference.attention(l, matrix(block_input(dump, l), width));
    reference.mlp(l, matrix(dump.array({Node::kResidual, l}).values, width));
  }
  reference.logits(matrix(block_input(dump, model.config().block_count), width));
  return reference.nodes();
}

void add_prompt(const char* folder, Table& llama, Table& float64) {
  const Dump dump(folder);
  const auto model = mini_model();
  Session session(model);
  session.set_tokens(dump.tokens);
  Arithmetic its;
  its.gelu = gelu_through_f16;
  Session its_session(model, its);
  its_session.set_tokens(dump.tokens);
  const NodeValues stages = engine_stages(*model, dump, false);
  const NodeValues its_stages = engine_stages(*model, dump, true);
  const std::map<std::string, Vector> reference_stages = float64_stages(*model, dump);
  Float64 reference(*model);
  reference.forward(dump.tokens);
  Float64 rounded(*model, {.rounds_activations = true});
  rounded.forward(dump.tokens);

  for (const NodeRef ref : all_nodes(model->config())) {
    const std::string name = full_name(ref);
    const std::vector<float> values = node_values(session, ref);
    if (dump.has(ref)) {
      const std::vector<float> expected = dump.array(ref).values;
      const auto stage = its_stages.find(name);
      llama.add(ref, 0, stage == its_stages.end() ? values : stage->second, expected);
      llama.add(ref, 1, node_values(its_session, ref), expected);
      llama.add(ref, 2, values, expected);
    }
    if (!reference.nodes().contains(name)) continue;
    const auto stage = stages.find(name);
    float64.add(ref, 0, stage == stages.end() ? values : stage->second,
                stage == stages.end() ? reference.nodes().at(name) : reference_stages.at(name));
    float64.add(ref, 1, values, rounded.nodes().at(name));
    float64.add(ref, 2, values, reference.nodes().at(name));
  }
}

void print() {
  Table llama;
  Table float64;
  for (const char* folder : {"how", "cat"}) add_prompt(folder, llama, float64);
  const Config config = mini_model()->config();
  std::cout << "### From llama.cpp\n\n";
  llama.print(config, {"stage by stage", "end to end, its GELU", "end to end"});
  std::cout << "\n### From float64 on the dequantized weights\n\n";
  float64.print(config, {"stage by stage", "end to end, activations rounded alike", "end to end"});
}

}  // namespace
}  // namespace headflow::gpt2::testing

int main() {
  try {
    headflow::gpt2::testing::print();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "agreement: " << error.what() << '\n';
    return 1;
  }
}
