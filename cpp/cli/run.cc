#include "cli/run.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "cli/terminal.h"
#include "gpt2/whole_file.h"

namespace headflow::cli {
namespace {

// "3.2": head 2 of block 3.
gpt2::Edit parse_edit(const std::string& text, gpt2::EditKind kind) {
  gpt2::Edit edit{.kind = kind};
  const char* const end = text.data() + text.size();
  const auto [dot, failure] = std::from_chars(text.data(), end, edit.block);
  if (failure == std::errc{} && dot != end && *dot == '.') {
    const auto [last, second] = std::from_chars(dot + 1, end, edit.head);
    if (second == std::errc{} && last == end) return edit;
  }
  throw Error(ErrorCode::kBadArgument, {"--off", '"' + text + '"', "block.head, such as 3.2"});
}

nlohmann::ordered_json byte_list(std::string_view bytes) {
  auto list = nlohmann::ordered_json::array();
  for (const char byte : bytes) list.push_back(static_cast<unsigned char>(byte));
  return list;
}

}  // namespace

gpt2::Session make_session(const FileModel& file, const RunOptions& options) {
  const std::vector<TokenId> tokens =
      options.tokens.empty() ? file.model().tokenizer().encode(options.prompt) : options.tokens;
  if (tokens.empty()) {
    throw Error(ErrorCode::kBadArgument, {"--prompt", "no token", "at least one", "Give a text or token ids"});
  }
  if (options.tokens.empty()) say_differences(file.model().header());
  std::vector<gpt2::Edit> edits;
  const gpt2::EditKind kind = options.off_by == "mean" ? gpt2::EditKind::kMean : gpt2::EditKind::kZero;
  for (const std::string& head : options.off) edits.push_back(parse_edit(head, kind));
  gpt2::Session session(file.shared());
  session.set_tokens(tokens);
  session.set_edits(edits);
  return session;
}

void say_differences(const gguf::Header& header) {
  if (!gpt2::asks_for_bos(header)) return;
  std::cerr << "headflow: note: tokenizer.ggml.add_bos_token is true: llama.cpp puts the token that begins a text "
               "before every prompt; here none is added\n";
}

nlohmann::ordered_json off_json(std::span<const gpt2::Edit> edits) {
  auto list = nlohmann::ordered_json::array();
  for (const gpt2::Edit& edit : edits) {
    list.push_back(
        {{"block", edit.block}, {"head", edit.head}, {"by", edit.kind == gpt2::EditKind::kMean ? "mean" : "zero"}});
  }
  return list;
}

nlohmann::ordered_json token_json(const Tokenizer& tokenizer, TokenId id) {
  return {{"id", id}, {"piece", tokenizer.bytes(id)}, {"bytes", byte_list(tokenizer.bytes(id))}};
}

nlohmann::ordered_json pieces_json(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  auto list = nlohmann::ordered_json::array();
  for (const TokenId id : tokens) list.push_back(tokenizer.bytes(id));
  return list;
}

nlohmann::ordered_json bytes_json(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  auto list = nlohmann::ordered_json::array();
  for (const TokenId id : tokens) list.push_back(byte_list(tokenizer.bytes(id)));
  return list;
}

std::string token_text(const Tokenizer& tokenizer, TokenId id) {
  return quoted(tokenizer.bytes(id));
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace headflow::cli
