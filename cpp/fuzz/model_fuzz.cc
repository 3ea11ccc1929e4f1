// A tiny model with any bytes changed: refused with an Error, or every node of its first block is read and is finite.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/error.h"
#include "fuzz/tiny_model.h"
#include "gpt2/goal.h"
#include "gpt2/graph.h"
#include "gpt2/session.h"

namespace {

using namespace headflow;

constexpr std::size_t kTokens = 3;
constexpr std::size_t kLargest = 1024;  // Of a dimension: larger models only take longer.

void read_node(gpt2::Session& session, const gpt2::NodeInfo& node) {
  const gpt2::NodeRef ref{node.node, 0};
  while (!session.advance(gpt2::goal_for(ref, {0, kTokens}), std::numeric_limits<std::uint64_t>::max()).done) {
  }
  const gpt2::Config& config = session.model().config();
  std::vector<float> values(kTokens * gpt2::length(node.columns, config, kTokens));
  for (std::size_t head = 0; head < (node.per_head ? config.head_count : 1); ++head) {
    session.read(ref, head, 0, kTokens, values);
    const bool masked = node.node == gpt2::Node::kScoresMasked;
    if (!masked && !std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) std::abort();
  }
}

}  // namespace

// Each 5 bytes: a place in the file and its new byte. The first byte is how many of the file's last ones are left out.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::byte> file = fuzz::tiny_file();
  file.resize(file.size() - data[0]);
  for (std::span<const std::uint8_t> rest = std::span(data, size).subspan(1); rest.size() >= 5;
       rest = rest.subspan(5)) {
    std::uint32_t place = 0;
    std::memcpy(&place, rest.data(), sizeof place);
    file[place % file.size()] = static_cast<std::byte>(rest[4]);
  }
  try {
    const std::shared_ptr<gpt2::Model> model = fuzz::model_of(file);
    if (model->config().embedding_length > kLargest || model->config().feed_forward_length > kLargest) return 0;
    gpt2::Session session(model);
    session.set_tokens(std::vector<TokenId>{0, 7, 200});
    for (const gpt2::NodeInfo& node : gpt2::nodes()) read_node(session, node);
  } catch (const Error&) {
  }
  return 0;
}
