#include "gpt2/model.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"

namespace headflow::gpt2 {
namespace {

// Rows of the embedding matrices that are reserved together: few enough that a prompt's rows cost little, many enough
// that the output matrix is not in shreds.
constexpr std::size_t kEmbeddingRowsPerPage = 16;

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text = "{";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "}";
}

// A shape without trailing ones, which do not count.
std::vector<std::uint64_t> trimmed(std::vector<std::uint64_t> shape) {
  while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
  return shape;
}

void append_lacking(const TensorStore& store, std::size_t first_row, std::size_t last_row,
                    std::vector<ByteRange>& out) {
  store.present().lacking(store.bytes(first_row, last_row), out);
}

std::vector<ByteRange> joined(std::vector<ByteRange> ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  std::vector<ByteRange> result;
  for (const ByteRange& range : ranges) {
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

}  // namespace

Model::Model(gguf::Header header) : header_(std::move(header)), config_(read_config(header_)), tokenizer_(header_) {
  const std::size_t width = config_.embedding_length;
  token_embedding_ = require("token_embd.weight", width, config_.vocabulary_size, kEmbeddingRowsPerPage);
  position_embedding_ = require("position_embd.weight", width, config_.context_length, kEmbeddingRowsPerPage);

  const std::size_t hidden = config_.feed_forward_length;
  struct Expected {
    const char* name;
    std::size_t columns;
    std::size_t rows;  // 1: a vector
  };
  const std::array<Expected, kBlockTensorCount> expected = {{
      {"attn_norm.weight", width, 1},
      {"attn_norm.bias", width, 1},
      {"attn_qkv.weight", width, 3 * width},
      {"attn_qkv.bias", 3 * width, 1},
      {"attn_output.weight", width, width},
      {"attn_output.bias", width, 1},
      {"ffn_norm.weight", width, 1},
      {"ffn_norm.bias", width, 1},
      {"ffn_up.weight", width, hidden},
      {"ffn_up.bias", hidden, 1},
      {"ffn_down.weight", hidden, width},
      {"ffn_down.bias", width, 1},
  }};
  // Each block needs twelve tensors, so the directory bounds what a lying block count could make us reserve.
  for (std::size_t l = 0; l < config_.block_count; ++l) {
    auto& block = blocks_.emplace_back();
    for (std::size_t i = 0; i < kBlockTensorCount; ++i) {
      block[i] = require("blk." + std::to_string(l) + "." + expected[i].name, expected[i].columns, expected[i].rows,
                         expected[i].rows);
    }
  }
  output_norm_weight_ = require("output_norm.weight", width, 1, 1);
  output_norm_bias_ = require("output_norm.bias", width, 1, 1);
  if (header_.tensor("output.weight") != nullptr) {
    output_ = require("output.weight", width, config_.vocabulary_size, kEmbeddingRowsPerPage);
  }

  by_offset_.resize(tensors_.size());
  for (std::size_t i = 0; i < by_offset_.size(); ++i) by_offset_[i] = i;
  std::ranges::sort(by_offset_, {}, [&](std::size_t i) { return tensors_[i].info().offset; });
}

std::size_t Model::require(std::string_view name, std::size_t columns, std::size_t rows, std::size_t rows_per_page) {
  const gguf::TensorInfo* info = header_.tensor(name);
  const std::string where = "tensor " + std::string(name);
  if (info == nullptr) {
    throw Error(ErrorCode::kMissingTensor, {where, "no such tensor in the file", "one, as every GPT-2 has",
                                            "The file is incomplete or of another architecture"});
  }
  const std::vector<std::uint64_t> wanted = trimmed({columns, rows});
  if (trimmed(info->shape) != wanted) {
    throw Error(ErrorCode::kBadShape, {where, shape_text(info->shape), shape_text(wanted) + " by the metadata",
                                       "The file contradicts itself"});
  }
  if (info->type != gguf::TensorType::kF32 && info->type != gguf::TensorType::kF16 &&
      info->type != gguf::TensorType::kQ8_0) {
    throw Error(ErrorCode::kUnsupportedType,
                {where, gguf::type_name(info->type), "F32, F16 or Q8_0", "Choose the Q8_0 file of this model"});
  }
  tensors_.emplace_back(*info, rows_per_page);
  return tensors_.size() - 1;
}

const TensorStore& Model::tensor(std::size_t block, BlockTensor which) const {
  return tensors_[blocks_[block][which]];
}

std::vector<ByteRange> Model::lacking(Stage stage, std::span<const TokenId> tokens) const {
  std::vector<ByteRange> ranges;
  const auto whole = [&](const TensorStore& store) {
    append_lacking(store, 0, store.rows(), ranges);
  };
  switch (stage.kind) {
    case StageKind::kEmbed:
      for (const TokenId id : tokens) {
        const auto row = static_cast<std::size_t>(id);
        append_lacking(token_embedding(), row, row + 1, ranges);
      }
      append_lacking(position_embedding(), 0, std::min(tokens.size(), config_.context_length), ranges);
      break;
    case StageKind::kAttention:
    case StageKind::kMlp: {
      const bool attention = stage.kind == StageKind::kAttention;
      for (std::size_t i = attention ? kAttnNormWeight : kFfnNormWeight;
           i < (attention ? kFfnNormWeight : kBlockTensorCount); ++i) {
        whole(tensors_[blocks_.at(stage.block)[i]]);
      }
      break;
    }
    case StageKind::kLogits:
      whole(tensors_[output_norm_weight_]);
      whole(tensors_[output_norm_bias_]);
      whole(output_matrix());
      break;
  }
  return joined(std::move(ranges));
}

std::vector<ByteRange> Model::lacking() const {
  std::vector<ByteRange> ranges;
  for (const TensorStore& store : tensors_) append_lacking(store, 0, store.rows(), ranges);
  return joined(std::move(ranges));
}

std::vector<ByteRange> Model::lacking_embeddings() const {
  std::vector<ByteRange> ranges;
  append_lacking(token_embedding(), 0, token_embedding().rows(), ranges);
  append_lacking(position_embedding(), 0, position_embedding().rows(), ranges);
  return joined(std::move(ranges));
}

Stage Model::stage_of(std::size_t tensor) const {
  if (tensor == token_embedding_ || tensor == position_embedding_) return {StageKind::kEmbed, 0};
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    const auto found = std::ranges::find(blocks_[l], tensor);
    if (found == blocks_[l].end()) continue;
    const auto which = static_cast<std::size_t>(found - blocks_[l].begin());
    return {which < kFfnNormWeight ? StageKind::kAttention : StageKind::kMlp, l};
  }
  return {StageKind::kLogits, 0};
}

Model::Destination Model::destination(std::uint64_t offset, std::uint64_t length) {
  // The first tensor that ends after `offset`.
  const auto next =
      std::ranges::upper_bound(by_offset_, offset, {}, [&](std::size_t i) { return tensors_[i].info().bytes().end; });
  if (next == by_offset_.end()) return {{}, length};
  TensorStore& store = tensors_[*next];
  const ByteRange bytes = store.info().bytes();
  if (offset < bytes.begin) return {{}, std::min(length, bytes.begin - offset)};
  const std::span<std::byte> memory = store.writable(offset);
  return {memory.first(static_cast<std::size_t>(std::min<std::uint64_t>(length, memory.size()))), 0};
}

void Model::commit(ByteRange range) {
  auto next = std::ranges::upper_bound(by_offset_, range.begin, {},
                                       [&](std::size_t i) { return tensors_[i].info().bytes().end; });
  for (; next != by_offset_.end() && tensors_[*next].info().offset < range.end; ++next) tensors_[*next].commit(range);
  check_end(range);
}

void Model::check_end(ByteRange range) {
  std::uint64_t zeros = 0;
  for (auto last = by_offset_.rbegin(); last != by_offset_.rend(); ++last) {
    const TensorStore& store = tensors_[*last];
    const std::uint64_t of_store = store.trailing_zeros();
    zeros += of_store;
    if (of_store < store.info().bytes().size()) break;
  }
  if (zeros < kZeroTail) return;
  discard(range);
  throw Error(
      ErrorCode::kBadWeights,
      {"end of the file, before byte " + std::to_string(header_.end_offset), std::to_string(zeros) + " bytes of 0",
       "weights", "The file is incomplete, as a transfer that broke off leaves it: fetch it again"});
}

void Model::discard(ByteRange range) {
  for (TensorStore& store : tensors_) store.discard(range);
}

void Model::read_bytes(std::uint64_t offset, std::span<std::byte> out) const {
  const ByteRange wanted{offset, offset + out.size()};
  for (const TensorStore& store : tensors_) {
    const ByteRange bytes = store.info().bytes();
    const ByteRange part{std::max(wanted.begin, bytes.begin), std::min(wanted.end, bytes.end)};
    if (part.begin >= part.end) continue;
    if (part != wanted || !store.present().contains(part)) {
      throw Error(ErrorCode::kNotLoaded,
                  {"bytes " + std::to_string(wanted.begin) + " to " + std::to_string(wanted.end),
                   "not all of them present in tensor " + store.info().name, "present bytes of one tensor", ""});
    }
    store.read_bytes(offset, out);
  }
}

void Model::supply(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto [memory, skip] = destination(offset, bytes.size());
    if (!memory.empty()) {
      std::memcpy(memory.data(), bytes.data(), memory.size());
      commit({offset, offset + memory.size()});
    }
    const auto step = static_cast<std::size_t>(memory.size() + skip);
    offset += step;
    bytes = bytes.subspan(step);
  }
}

std::uint64_t Model::present_bytes() const {
  std::uint64_t bytes = 0;
  for (const TensorStore& store : tensors_) bytes += store.present().size();
  return bytes;
}

std::uint64_t Model::reserved_bytes() const {
  std::uint64_t bytes = 0;
  for (const TensorStore& store : tensors_) bytes += store.reserved_bytes();
  return bytes;
}

void Model::require_present(Stage stage) const {
  const std::vector<ByteRange> gaps = lacking(stage, {});
  if (gaps.empty()) return;
  throw Error(ErrorCode::kNotLoaded,
              {"weights of block " + std::to_string(stage.block),
               "nothing at bytes " + std::to_string(gaps.front().begin) + " to " + std::to_string(gaps.front().end),
               "all bytes of the stage", "Load what Model::lacking names first"});
}

std::vector<float> Model::vector(const TensorStore& store) const {
  std::vector<float> values(store.columns());
  store.read_row(0, values);
  return values;
}

NormWeights Model::norm(const TensorStore& weight, const TensorStore& bias) const {
  return {vector(weight), vector(bias)};
}

LinearWeights Model::linear(const TensorStore& weight, const TensorStore& bias) const {
  return {weight.page(0), vector(bias)};
}

AttentionWeights Model::attention(std::size_t block) const {
  require_present({StageKind::kAttention, block});
  return {norm(tensor(block, kAttnNormWeight), tensor(block, kAttnNormBias)),
          linear(tensor(block, kQkvWeight), tensor(block, kQkvBias)),
          linear(tensor(block, kOutputWeight), tensor(block, kOutputBias))};
}

MlpWeights Model::mlp(std::size_t block) const {
  require_present({StageKind::kMlp, block});
  return {norm(tensor(block, kFfnNormWeight), tensor(block, kFfnNormBias)),
          linear(tensor(block, kUpWeight), tensor(block, kUpBias)),
          linear(tensor(block, kDownWeight), tensor(block, kDownBias))};
}

NormWeights Model::output_norm() const {
  require_present({StageKind::kLogits, 0});
  return norm(tensors_[output_norm_weight_], tensors_[output_norm_bias_]);
}

}  // namespace headflow::gpt2
