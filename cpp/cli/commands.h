// The subcommands of `headflow`. Each takes its options and writes to `out`; what goes wrong is thrown as Error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/sampling/sampler.h"
#include "tokenizer/tokenizer.h"

namespace headflow::cli {

struct InspectOptions {
  std::filesystem::path model;
  bool json = false;
};
void inspect(const InspectOptions& options, std::ostream& out);

struct TokenizeOptions {
  std::filesystem::path model;
  std::string text;
  bool merges = false;  // And how each word's bytes become tokens.
  bool json = false;
};
void tokenize(const TokenizeOptions& options, std::ostream& out);

// A run: a prompt or token ids, and heads that are switched off in it.
struct RunOptions {
  std::filesystem::path model;
  std::string prompt;
  std::vector<TokenId> tokens;   // Used where it is not empty.
  std::vector<std::string> off;  // "block.head"
  std::string off_by = "zero";   // Or "mean": what stands in the place of their outputs.
  bool json = false;
};

struct TraceOptions {
  RunOptions run;
  std::vector<std::string> nodes;  // Full names; empty: all nodes of all blocks.
  std::filesystem::path directory = ".";
};
// Writes NAME.npy for every node and trace.json.
void trace(const TraceOptions& options, std::ostream& out);

struct NextOptions {
  RunOptions run;
  std::size_t count = 10;
};
// The likeliest next tokens, with probabilities over the full vocabulary.
void next(const NextOptions& options, std::ostream& out);

// For each head: what it attends to on this prompt, what it writes into the likeliest token's logit, and what switching
// it off does to that token.
void heads(const RunOptions& options, std::ostream& out);

struct LensOptions {
  RunOptions run;
  std::size_t count = 5;
};
// What would come next after the embeddings and after each block.
void lens(const LensOptions& options, std::ostream& out);

struct PartsOptions {
  RunOptions run;
  std::optional<TokenId> token;    // By default the likeliest.
  std::optional<TokenId> against;  // The logit less this token's.
};
// What wrote the logit of a token after the last one.
void parts(const PartsOptions& options, std::ostream& out);

struct TensorOptions {
  std::filesystem::path model;
  std::string name;
  std::size_t bins = 24;
  bool json = false;
};
// What a tensor of the file holds.
void tensor(const TensorOptions& options, std::ostream& out);

struct ExplainOptions {
  std::filesystem::path model;
  std::string prompt;
  std::string cell;  // As text, see analysis/cell.h.
  bool json = false;
};
// Where one number comes from.
void explain(const ExplainOptions& options, std::ostream& out);

struct LogOptions {
  std::filesystem::path model;
  std::string prompt;
  std::string filter;    // A regular expression over the names of nodes and their operands; empty: all.
  bool logical = false;  // Logical shapes instead of ggml's.
};
// The nodes in execution order, as llama.cpp's runtime log lists them.
void log(const LogOptions& options, std::ostream& out);

struct GenerateOptions {
  std::filesystem::path model;
  std::string prompt;
  std::size_t count = 32;
  analysis::SamplerOptions sampler;
  bool json = false;  // Token by token, and what each step of the sampling removed.
};
// Writes the prompt and its continuation as it arises, or each token as a line of JSON.
void generate(const GenerateOptions& options, std::ostream& out);

struct QuantizeOptions {
  std::filesystem::path model;
  std::filesystem::path result;
};
// Writes the file anew with its F32 and F16 matrices as Q8_0.
void quantize(const QuantizeOptions& options, std::ostream& out);

struct ShardOptions {
  std::filesystem::path model;
  std::uint64_t piece_size = 0;     // Bytes.
  bool whole = false;               // The file stays as it is, and only its manifest is written.
  std::filesystem::path directory;  // Empty: the file's own.
};
// Writes the file in pieces, with a manifest of hashes.
void shard(const ShardOptions& options, std::ostream& out);

struct VerifyOptions {
  std::filesystem::path model;
  // Without one: the numbers published for GPT-2 small, where the model is of its shape.
  std::optional<std::filesystem::path> golden;
};
// The identities of every block, and known numbers; whether all hold.
[[nodiscard]] bool verify(const VerifyOptions& options, std::ostream& out);

struct EvaluateOptions {
  std::filesystem::path model;
  std::filesystem::path corpus;  // Holds *-heldout.txt.gz.
  bool json = false;
};
// Bits per byte on held-out text, and what each head attends to.
void evaluate(const EvaluateOptions& options, std::ostream& out);

}  // namespace headflow::cli
