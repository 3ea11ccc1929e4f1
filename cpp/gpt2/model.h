// A GPT-2 model: its configuration, tokenizer and weights, shared by all sessions. It does no I/O: it says which bytes
// of the file a stage still lacks, and takes them in any order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/byte_range.h"
#include "gguf/header.h"
#include "gpt2/config.h"
#include "gpt2/graph.h"
#include "gpt2/stage.h"
#include "gpt2/weights.h"
#include "gpt2/whole_file.h"
#include "tokenizer/tokenizer.h"

namespace headflow::gpt2 {

// A layer norm's weight and bias, [D] each.
struct NormWeights {
  std::vector<float> weight;
  std::vector<float> bias;
};

// y = x W + b; in the file each stored row of the matrix is one output.
struct LinearWeights {
  kernels::MatrixView matrix;
  std::vector<float> bias;
};

struct AttentionWeights {
  NormWeights norm;
  LinearWeights qkv;     // D -> 3D: Q, K, V side by side, each H heads of D_h
  LinearWeights output;  // D -> D; head h reads elements h*D_h .. of every stored row
};

struct MlpWeights {
  NormWeights norm;
  LinearWeights up;    // D -> 4D
  LinearWeights down;  // 4D -> D
};

class Model {
 public:
  // Checks that the file is a whole model, that every tensor is there with the shape that the metadata asks for and a
  // type that can be computed with, and that none belongs to a block that is not counted.
  explicit Model(gguf::Header header);

  [[nodiscard]] const gguf::Header& header() const noexcept { return header_; }
  [[nodiscard]] const Config& config() const noexcept { return config_; }
  [[nodiscard]] const Tokenizer& tokenizer() const noexcept { return tokenizer_; }
  // Whether the output matrix is token_embd itself.
  [[nodiscard]] bool tied_output() const noexcept {
    return places_[static_cast<std::size_t>(Weight::kOutputTable)].empty();
  }

  // The file bytes that `stage` still lacks, ascending and disjoint, neighbours joined.
  // For kEmbed: the rows of `tokens` and of their positions; other stages do not look at `tokens`.
  [[nodiscard]] std::vector<ByteRange> lacking(Stage stage, std::span<const TokenId> tokens) const;
  // The same for all that the model uses.
  [[nodiscard]] std::vector<ByteRange> lacking() const;
  // The same for the embeddings of every token and position.
  [[nodiscard]] std::vector<ByteRange> lacking_embeddings() const;
  [[nodiscard]] bool has(Stage stage, std::span<const TokenId> tokens) const { return lacking(stage, tokens).empty(); }

  // Memory for the file bytes from `offset` on, contiguous, at most `length`; reserves it if need be. Empty where
  // `offset` lies in no tensor; then `skip` is how many bytes lie before the next tensor (or up to `length`).
  struct Destination {
    std::span<std::byte> memory;
    std::uint64_t skip = 0;
  };
  [[nodiscard]] Destination destination(std::uint64_t offset, std::uint64_t length);
  // Says that the memory was filled. Throws Error (bad_weights) for what cannot be weights (TensorStore::commit), and
  // for a file whose last kZeroTail bytes are 0.
  void commit(ByteRange range);
  // Makes file bytes absent again: what they held turned out to be wrong.
  void discard(ByteRange range);
  // Copies bytes of the file, all of which must be present; throws Error (not_loaded) otherwise.
  void read_bytes(std::uint64_t offset, std::span<std::byte> out) const;
  // Both in one, for bytes that are at hand.
  void supply(std::uint64_t offset, std::span<const std::byte> bytes);

  [[nodiscard]] std::uint64_t present_bytes() const;
  [[nodiscard]] std::uint64_t reserved_bytes() const;

  // The tensors that the model uses (embeddings, blocks, output), with what is present of each.
  [[nodiscard]] std::span<const TensorStore> tensors() const noexcept { return tensors_; }
  // The first stage that needs the tensor of this index.
  [[nodiscard]] Stage stage_of(std::size_t tensor) const { return stages_[tensor]; }
  // Names of the file's tensors that the model does not use, in the file's order.
  [[nodiscard]] std::span<const std::string> unused() const noexcept { return unused_; }
  // Whether tokenizer.ggml.add_bos_token asks for a token before every text. Here none is added; llama.cpp adds one.
  [[nodiscard]] bool asks_for_bos() const { return gpt2::asks_for_bos(header_); }

  // Weights of a stage, for which `lacking` must be empty; throws Error (not_loaded) otherwise.
  [[nodiscard]] AttentionWeights attention(std::size_t block) const;
  [[nodiscard]] MlpWeights mlp(std::size_t block) const;
  [[nodiscard]] NormWeights output_norm() const;
  // Of this block, where it belongs to one. The output matrix of a tied model is token_embd itself.
  [[nodiscard]] const TensorStore& tensor(Weight weight, std::size_t block) const;
  [[nodiscard]] const TensorStore& token_embedding() const { return tensor(Weight::kTokenTable, 0); }
  [[nodiscard]] const TensorStore& position_embedding() const { return tensor(Weight::kPositionTable, 0); }
  // [V, D], in pages of rows.
  [[nodiscard]] const TensorStore& output_matrix() const { return tensor(Weight::kOutputTable, 0); }

 private:
  // The file's tensors by name.
  using Directory = std::unordered_map<std::string_view, const gguf::TensorInfo*>;
  // Adds the tensor and takes it out of the directory; throws Error unless it is there as the graph says.
  void require(Directory& directory, Weight weight, std::size_t block);
  // The first stage that needs it.
  [[nodiscard]] Stage first_need(Weight weight, std::size_t block) const;
  [[nodiscard]] std::vector<float> vector(const TensorStore& store) const;
  [[nodiscard]] NormWeights norm(const TensorStore& weight, const TensorStore& bias) const;
  [[nodiscard]] LinearWeights linear(const TensorStore& weight, const TensorStore& bias) const;
  void require_present(Stage stage) const;
  // After a commit of `range`, which it makes absent again if the file ends in zeros.
  void check_end(ByteRange range);

  gguf::Header header_;
  Config config_;
  Tokenizer tokenizer_;
  std::vector<TensorStore> tensors_;  // Those that the model uses: embeddings, blocks, output.
  std::vector<Stage> stages_;         // Of each of tensors_.
  std::vector<std::string> unused_;
  std::vector<std::size_t> by_offset_;                               // Indices into tensors_, ascending by file offset.
  std::array<std::vector<std::size_t>, kWeightCount> places_;        // Indices into tensors_, by weight and block.
  std::array<std::vector<Operand>, kStageKindCount> stage_weights_;  // What each kind of stage needs.
};

}  // namespace headflow::gpt2
