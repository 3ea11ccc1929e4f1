#include "gpt2/whole_file.h"

#include <charconv>
#include <string>

#include "base/error.h"
#include "gguf/printable.h"

namespace headflow::gpt2 {
namespace {

constexpr std::string_view kNumber = "split.no";  // From 0.
constexpr std::string_view kCount = "split.count";
constexpr std::string_view kTensorCount = "split.tensors.count";
constexpr std::string_view kBlockPrefix = "blk.";

// N of "blk.N."; nothing for other names.
std::optional<std::uint64_t> block_of(std::string_view name) {
  if (!name.starts_with(kBlockPrefix)) return std::nullopt;
  name.remove_prefix(kBlockPrefix.size());
  std::uint64_t block = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), block);
  const bool followed = end != name.data() + name.size() && *end == '.';
  if (failure == std::errc::result_out_of_range && followed) return UINT64_MAX;
  if (failure != std::errc{} || !followed) return std::nullopt;
  return block;
}

}  // namespace

std::optional<Part> part_of(const gguf::Header& header) {
  if (header.find(kCount) == nullptr) return std::nullopt;
  const std::uint64_t count = header.unsigned_integer(kCount);
  if (count <= 1) return std::nullopt;
  const std::uint64_t number = header.unsigned_integer(kNumber);
  if (number >= count) {
    throw Error(ErrorCode::kMalformed, {"metadata " + std::string(kNumber), std::to_string(number),
                                        "a number below " + std::string(kCount) + " " + std::to_string(count)});
  }
  return Part{number + 1, count};
}

bool is_vocabulary_only(const gguf::Header& header) {
  return header.tensors.empty() && header.find("tokenizer.ggml.tokens") != nullptr;
}

void require_whole_model(const gguf::Header& header) {
  if (const std::optional<Part> part = part_of(header)) {
    throw Error(ErrorCode::kUnsupportedModel,
                {"metadata " + std::string(kCount),
                 "part " + std::to_string(part->number) + " of " + std::to_string(part->count), "a whole model",
                 "Join the parts with llama.cpp's \"llama-gguf-split --merge FIRST-PART WHOLE.gguf\", and open that"});
  }
  if (is_vocabulary_only(header)) {
    throw Error(ErrorCode::kMissingTensor,
                {"file", "a vocabulary and no weights", "a model",
                 "Its metadata can be listed and texts be split into its tokens; nothing can be computed"});
  }
  if (header.find(kTensorCount) != nullptr && header.unsigned_integer(kTensorCount) != header.tensors.size()) {
    throw Error(ErrorCode::kMissingTensor,
                {"metadata " + std::string(kTensorCount), std::to_string(header.unsigned_integer(kTensorCount)),
                 "the file's " + std::to_string(header.tensors.size()) + " tensors",
                 "The file is a part of a model: join the parts again"});
  }
}

void require_blocks_counted(const gguf::Header& header, std::size_t block_count) {
  for (const gguf::TensorInfo& tensor : header.tensors) {
    const std::optional<std::uint64_t> block = block_of(tensor.name);
    if (!block || *block < block_count) continue;
    throw Error(ErrorCode::kMalformed, {"tensor " + gguf::printable(tensor.name), "a block beyond the last",
                                        "blocks 0 to " + std::to_string(block_count - 1) + ", as gpt2.block_count says",
                                        "The file contradicts itself: with fewer blocks it would be another model"});
  }
}

bool asks_for_bos(const gguf::Header& header) {
  const gguf::Value* const value = header.find("tokenizer.ggml.add_bos_token");
  const bool* const asks = value != nullptr ? std::get_if<bool>(&value->data) : nullptr;
  return asks != nullptr && *asks;
}

}  // namespace headflow::gpt2
