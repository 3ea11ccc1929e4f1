#include "gpt2/model.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"

namespace headflow::gpt2 {
namespace {

// Rows of the embedding matrices that are reserved together: few enough that a prompt's rows cost little, many enough
// that the output matrix is not in shreds.
constexpr std::size_t kEmbeddingRowsPerPage = 16;

// What one allocation can hold: in WebAssembly, offsets in a tensor must fit 32 bits too.
constexpr std::uint64_t kLargestTensor = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());

// How many tokens at the end of the vocabulary only fill it up, as converters do: of type "unused", or spelled [PADn].
std::size_t padding_tokens(const gguf::Header& header) {
  constexpr std::uint64_t kUnused = 5;
  const std::vector<std::string>& tokens = header.strings("tokenizer.ggml.tokens");
  const gguf::Value* const value = header.find("tokenizer.ggml.token_type");
  const auto* const types = value != nullptr ? std::get_if<gguf::Array>(&value->data) : nullptr;
  const bool typed = types != nullptr && types->size() == tokens.size() &&
                     std::holds_alternative<std::vector<std::byte>>(types->elements);
  const auto is_padding = [&](std::size_t id) {
    if (tokens[id].starts_with("[PAD")) return true;
    if (!typed) return false;
    const gguf::Value type = types->number(id);
    const auto* const whole = std::get_if<std::uint64_t>(&type.data);
    const auto* const integer = std::get_if<std::int64_t>(&type.data);
    return (whole != nullptr && *whole == kUnused) || (integer != nullptr && *integer == std::int64_t{kUnused});
  };
  std::size_t count = 0;
  while (count < tokens.size() && is_padding(tokens.size() - 1 - count)) ++count;
  return count;
}

gguf::Header whole(gguf::Header header) {
  require_whole_model(header);
  return header;
}

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

Model::Model(gguf::Header header)
    : header_(whole(std::move(header))), config_(read_config(header_)), tokenizer_(header_) {
  require_blocks_counted(header_, config_.block_count);
  Directory directory;
  directory.reserve(header_.tensors.size());
  for (const gguf::TensorInfo& tensor : header_.tensors) directory.emplace(tensor.name, &tensor);

  for (std::size_t kind = 0; kind < stage_weights_.size(); ++kind) {
    stage_weights_[kind] = weights_of(static_cast<StageKind>(kind));
  }
  // Embeddings, blocks, output. Each block needs its tensors, so the directory bounds what a lying block count could
  // make us reserve.
  require(directory, Weight::kTokenTable, 0);
  require(directory, Weight::kPositionTable, 0);
  for (std::size_t l = 0; l < config_.block_count; ++l) {
    for (const WeightInfo& weight : weights()) {
      if (weight.per_block) require(directory, weight.weight, l);
    }
  }
  require(directory, Weight::kFinalNorm, 0);
  require(directory, Weight::kFinalNormBias, 0);
  if (directory.contains(info(Weight::kOutputTable).name)) require(directory, Weight::kOutputTable, 0);
  for (const gguf::TensorInfo& tensor : header_.tensors) {
    if (directory.contains(tensor.name)) unused_.push_back(tensor.name);
  }

  by_offset_.resize(tensors_.size());
  for (std::size_t i = 0; i < by_offset_.size(); ++i) by_offset_[i] = i;
  std::ranges::sort(by_offset_, {}, [&](std::size_t i) { return tensors_[i].info().offset; });
}

void Model::require(Directory& directory, Weight weight, std::size_t block) {
  const WeightInfo& description = gpt2::info(weight);
  const std::size_t columns = length(description.columns, config_, 0);
  const std::size_t rows = description.rows ? length(*description.rows, config_, 0) : 1;
  const bool by_token = description.rows == Axis::kVocabulary;
  const std::string name = full_name(weight, block, false);
  const std::string where = "tensor " + name;
  const auto found = directory.find(name);
  if (found == directory.end()) {
    throw Error(ErrorCode::kMissingTensor, {where, "no such tensor in the file", "one, as every GPT-2 has",
                                            "The file is incomplete or of another architecture"});
  }
  const gguf::TensorInfo& info = *found->second;
  const std::vector<std::uint64_t> wanted = trimmed({columns, rows});
  const std::vector<std::uint64_t> shape = trimmed(info.shape);
  if (shape != wanted) {
    const bool padded = by_token && shape.size() == 2 && shape[0] == columns && shape[1] > rows;
    throw Error(ErrorCode::kBadShape,
                {where, shape_text(info.shape), shape_text(wanted) + " by the metadata",
                 padded ? "This is a padded vocabulary: " + std::to_string(shape[1] - rows) + " rows more than the " +
                              std::to_string(rows) +
                              " tokens; convert the model again, so that its vocabulary names the padding too"
                        : "The file contradicts itself"});
  }
  if (info.type != gguf::TensorType::kF32 && info.type != gguf::TensorType::kF16 &&
      info.type != gguf::TensorType::kQ8_0) {
    throw Error(ErrorCode::kUnsupportedType,
                {where, gguf::type_name(info.type), "F32, F16 or Q8_0", "Choose the Q8_0 file of this model"});
  }
  if (info.size > kLargestTensor) {
    throw Error(ErrorCode::kUnsupportedModel,
                {where, std::to_string(info.size) + " bytes", "at most " + std::to_string(kLargestTensor) + " here",
                 "The model is too large for this machine's address space"});
  }
  places_[static_cast<std::size_t>(weight)].push_back(tensors_.size());
  stages_.push_back(first_need(weight, block));
  const bool in_pages = by_token || description.table;
  tensors_.emplace_back(info, in_pages ? kEmbeddingRowsPerPage : rows, by_token ? padding_tokens(header_) : 0);
  directory.erase(found);
}

Stage Model::first_need(Weight weight, std::size_t block) const {
  const auto needs = [&](const std::vector<Operand>& needed) {
    return std::ranges::find(needed, Source(weight), &Operand::source) != needed.end();
  };
  const auto found = std::ranges::find_if(stage_weights_, needs);
  return {static_cast<StageKind>(found - stage_weights_.begin()), block};
}

const TensorStore& Model::tensor(Weight weight, std::size_t block) const {
  const Weight stored = weight == Weight::kOutputTable && tied_output() ? Weight::kTokenTable : weight;
  return tensors_[places_[static_cast<std::size_t>(stored)].at(gpt2::info(stored).per_block ? block : 0)];
}

std::vector<ByteRange> Model::lacking(Stage stage, std::span<const TokenId> tokens) const {
  std::vector<ByteRange> ranges;
  for (const Operand& operand : stage_weights_[static_cast<std::size_t>(stage.kind)]) {
    const TensorStore& store = tensor(std::get<Weight>(operand.source), stage.block);
    if (operand.row == Index::kTokenId) {
      for (const TokenId id : tokens) {
        const auto row = static_cast<std::size_t>(id);
        append_lacking(store, row, row + 1, ranges);
      }
    } else if (operand.row == Index::kRow) {
      append_lacking(store, 0, std::min(tokens.size(), store.rows()), ranges);
    } else {
      append_lacking(store, 0, store.rows(), ranges);
    }
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
    // Padding tokens' rows may be 0, and then say nothing about what lies before them.
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
  return {norm(tensor(Weight::kAttentionNorm, block), tensor(Weight::kAttentionNormBias, block)),
          linear(tensor(Weight::kQkv, block), tensor(Weight::kQkvBias, block)),
          linear(tensor(Weight::kProjection, block), tensor(Weight::kProjectionBias, block))};
}

MlpWeights Model::mlp(std::size_t block) const {
  require_present({StageKind::kMlp, block});
  return {norm(tensor(Weight::kMlpNorm, block), tensor(Weight::kMlpNormBias, block)),
          linear(tensor(Weight::kUp, block), tensor(Weight::kUpBias, block)),
          linear(tensor(Weight::kDown, block), tensor(Weight::kDownBias, block))};
}

NormWeights Model::output_norm() const {
  require_present({StageKind::kLogits, 0});
  return norm(tensor(Weight::kFinalNorm, 0), tensor(Weight::kFinalNormBias, 0));
}

}  // namespace headflow::gpt2
