#include "gpt2/config.h"

#include <cmath>
#include <string>

#include "base/error.h"

namespace headflow::gpt2 {
namespace {

// Far above any GPT-2; a product of three fits 64 bits. What must fit memory is checked by its size in bytes.
constexpr std::uint64_t kLargestDimension = 1 << 20;

std::size_t dimension(const gguf::Header& header, std::string_view key) {
  const std::uint64_t value = header.unsigned_integer(key);
  if (value == 0 || value > kLargestDimension) {
    throw Error(ErrorCode::kMalformed, {"metadata " + std::string(key), std::to_string(value),
                                        "a number from 1 to " + std::to_string(kLargestDimension)});
  }
  return static_cast<std::size_t>(value);
}

}  // namespace

Config read_config(const gguf::Header& header) {
  const std::string& architecture = header.string("general.architecture");
  if (architecture != "gpt2") {
    throw Error(ErrorCode::kUnsupportedModel, {"metadata general.architecture", '"' + architecture + '"', "\"gpt2\"",
                                               "Headflow runs GPT-2 models only"});
  }
  Config config;
  config.block_count = dimension(header, "gpt2.block_count");
  config.context_length = dimension(header, "gpt2.context_length");
  config.embedding_length = dimension(header, "gpt2.embedding_length");
  config.feed_forward_length = dimension(header, "gpt2.feed_forward_length");
  config.head_count = dimension(header, "gpt2.attention.head_count");
  config.vocabulary_size = header.strings("tokenizer.ggml.tokens").size();

  if (config.embedding_length % config.head_count != 0) {
    throw Error(ErrorCode::kMalformed,
                {"metadata gpt2.attention.head_count", std::to_string(config.head_count),
                 "a divisor of gpt2.embedding_length " + std::to_string(config.embedding_length)});
  }
  config.head_dim = config.embedding_length / config.head_count;

  constexpr std::string_view kKvHeads = "gpt2.attention.head_count_kv";
  if (header.find(kKvHeads) != nullptr && header.unsigned_integer(kKvHeads) != config.head_count) {
    throw Error(ErrorCode::kUnsupportedModel,
                {"metadata " + std::string(kKvHeads), std::to_string(header.unsigned_integer(kKvHeads)),
                 "gpt2.attention.head_count " + std::to_string(config.head_count),
                 "Grouped key and value heads are not GPT-2's"});
  }

  const double epsilon = header.number("gpt2.attention.layer_norm_epsilon");
  if (!(epsilon > 0.0) || !(epsilon < 1.0)) {
    throw Error(ErrorCode::kMalformed,
                {"metadata gpt2.attention.layer_norm_epsilon", std::to_string(epsilon), "a number between 0 and 1"});
  }
  config.layer_norm_epsilon = static_cast<float>(epsilon);
  return config;
}

}  // namespace headflow::gpt2
