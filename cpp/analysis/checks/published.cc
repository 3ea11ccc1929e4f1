#include "analysis/checks/published.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/checks/golden.h"
#include "analysis/sampling/next_token.h"
#include "base/error.h"
#include "gpt2/session.h"

namespace headflow::analysis {
namespace {

using Json = nlohmann::ordered_json;
using gpt2::Node;

constexpr std::uint64_t kWork = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view kPrompt = "prompt ";
constexpr std::string_view kGreedy = "greedy ";

std::string number_text(double value) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

// Of the golden file, besides prompts.
constexpr std::array<std::string_view, 4> kOtherKeys = {"what", "tolerances", "gguf", "tokenize"};
constexpr int kDeepest = 16;
constexpr std::size_t kMostGreedy = 4096;

[[noreturn]] void refuse_key(const std::string& key, std::string expected) {
  throw Error(ErrorCode::kMalformed,
              {"golden \"" + key + '"', "a key or value that nothing is compared with", std::move(expected)});
}

// Deeper ones than any that is in form are not even read: whoever goes through them would run out of stack.
Json parse(std::string_view golden) {
  const auto shallow = [](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    if (depth > kDeepest) {
      throw Error(ErrorCode::kMalformed, {"golden file", "lists within lists, more than " + std::to_string(kDeepest),
                                          "JSON in the form of gpt2-small.json"});
    }
    return true;
  };
  Json json = Json::parse(golden, shallow);
  if (json.is_object()) return json;
  throw Error(ErrorCode::kMalformed, {"golden file", json.type_name(), "an object in the form of gpt2-small.json"});
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Comparer {
 public:
  Comparer(const Json& golden, std::shared_ptr<const gpt2::Model> model) : golden_(golden), model_(std::move(model)) {}

  std::vector<Comparison> run() {
    if (golden_.contains("gguf")) compare_header(golden_.at("gguf"));
    if (golden_.contains("tokenize")) compare_tokens(golden_.at("tokenize"));
    for (const auto& [key, prompt] : golden_.items()) {
      if (key.starts_with(kPrompt)) {
        compare_prompt(key.substr(kPrompt.size()), prompt);
      } else if (std::ranges::find(kOtherKeys, key) == kOtherKeys.end()) {
        refuse_key(key, R"("gguf", "tokenize", "tolerances", "what" or "prompt TEXT")");
      }
    }
    return std::move(comparisons_);
  }

 private:
  [[nodiscard]] double tolerance(const char* of) const { return golden_.at("tolerances").at(of).get<double>(); }

  void add_text(std::string what, const Json& expected, const Json& got) {
    const bool same = expected == got;
    comparisons_.push_back(
        {std::move(what), text_of(expected), text_of(got), same ? 0 : std::numeric_limits<double>::infinity(), 0});
  }

  void add_number(std::string what, double expected, double got, double most) {
    const double difference = std::abs(got - expected);
    // What is no number differs by more than any tolerance.
    comparisons_.push_back({std::move(what), number_text(expected), number_text(got),
                            difference >= 0 ? difference : std::numeric_limits<double>::infinity(), most});
  }

  [[nodiscard]] Json metadata(const std::string& key) const {
    const gguf::Value* const value = model_->header().find(key);
    if (value == nullptr) return "absent";
    if (const auto* const text = std::get_if<std::string>(&value->data)) return *text;
    return model_->header().unsigned_integer(key);
  }

  void compare_tensor(const std::string& name, const Json& expected) {
    const gguf::TensorInfo* const tensor = model_->header().tensor(name);
    if (tensor == nullptr) return add_text("tensor " + name, expected, "absent");
    add_text("shape of " + name, expected.at("shape"), tensor->shape);
    if (expected.contains("type")) add_text("type of " + name, expected.at("type"), gguf::type_name(tensor->type));
  }

  void compare_header(const Json& expected) {
    for (const auto& [key, value] : expected.items()) {
      if (key == "tensors") {
        for (const auto& [name, tensor] : value.items()) compare_tensor(name, tensor);
      } else if (key == "tensors_per_block") {
        const auto count = std::ranges::count_if(
            model_->header().tensors, [](const gguf::TensorInfo& tensor) { return tensor.name.starts_with("blk.0."); });
        add_text("tensors of block 0", value, count);
      } else {
        add_text(key, value, metadata(key));
      }
    }
  }

  void compare_tokens(const Json& expected) {
    for (const auto& [text, value] : expected.items()) {
      if (text == "merge_ranks") {
        const std::vector<std::string>& merges = model_->header().strings("tokenizer.ggml.merges");
        for (const auto& [merge, rank] : value.items()) {
          add_text("rank of merge \"" + merge + '"', rank, std::ranges::find(merges, merge) - merges.begin());
        }
      } else {
        add_text("tokens of " + Json(text).dump(), value, model_->tokenizer().encode(text));
      }
    }
  }

  void run_to(gpt2::Session& session, const gpt2::Goal& goal) const {
    while (!session.advance(goal, kWork).done) {
    }
  }

  void compare_row(gpt2::Session& session, const KnownRow& known, const std::string& prompt) {
    const gpt2::NodeInfo& node = gpt2::info(known.node.node);
    run_to(session, gpt2::goal_for(known.node, {known.row, known.row + 1}));
    std::vector<float> row(gpt2::length(node.columns, model_->config(), session.tokens().size()));
    session.read(known.node, known.head, known.row, known.row + 1, row);
    for (const KnownElement& element : known.elements) {
      const std::string head = node.per_head ? ", head " + std::to_string(known.head) : "";
      add_number(gpt2::full_name(known.node) + head + " [" + std::to_string(known.row) + ", " +
                     std::to_string(element.column) + "] of " + prompt,
                 element.value, static_cast<double>(row[element.column]),
                 tolerance(known.node.node == Node::kScores ? "scores" : "values"));
    }
  }

  [[nodiscard]] std::vector<float> last_logits(gpt2::Session& session) const {
    run_to(session, gpt2::goal_for({Node::kLogits, 0}, {session.tokens().size() - 1, session.tokens().size()}));
    std::vector<float> logits(model_->config().vocabulary_size);
    session.read({Node::kLogits, 0}, 0, session.tokens().size() - 1, session.tokens().size(), logits);
    return logits;
  }

  void compare_next(gpt2::Session& session, const Json& expected, const std::string& prompt) {
    const std::vector<NextToken> found = likeliest(last_logits(session), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string what = std::to_string(i + 1) + ". next token of " + prompt;
      add_text(what, expected[i].at("id"), found.at(i).id);
      add_number(what + ", log probability", expected[i].at("logprob").get<double>(), std::log(found.at(i).probability),
                 tolerance("logprobs"));
    }
  }

  // "greedy 3 tokens": the text, continued by the likeliest token three times.
  void compare_greedy(gpt2::Session& session, const std::string& key, const Json& expected, std::string prompt) {
    std::size_t count = 0;
    if (std::from_chars(key.data() + kGreedy.size(), key.data() + key.size(), count).ec != std::errc{} ||
        count > kMostGreedy) {
      throw Error(ErrorCode::kMalformed, {"golden \"" + key + '"', "no number", "\"greedy 3 tokens\""});
    }
    std::vector<TokenId> tokens(session.tokens().begin(), session.tokens().end());
    for (std::size_t i = 0; i < count; ++i) {
      session.set_tokens(tokens);
      tokens.push_back(likeliest(last_logits(session), 1).front().id);
    }
    add_text(key + " after " + std::move(prompt), expected, model_->tokenizer().decode(tokens));
  }

  void compare_prompt(const std::string& text, const Json& expected) {
    const std::string prompt = Json(text).dump();
    if (!expected.is_object()) refuse_key("prompt " + text, "an object");
    gpt2::Session session(model_);
    const std::vector<TokenId> tokens = model_->tokenizer().encode(text);
    session.set_tokens(tokens);
    for (const KnownRow& row : known_rows(expected, model_->config(), tokens.size())) compare_row(session, row, prompt);
    for (const auto& [key, value] : expected.items()) {
      if (key == "next token") {
        compare_next(session, value, prompt);
      } else if (key.starts_with(kGreedy)) {
        compare_greedy(session, key, value, prompt);
      } else if (!is_row_key(key)) {
        refuse_key(key, R"("next token", "greedy N tokens", "embd", "pos_embd", "inpL" or "block N")");
      }
    }
  }

  const Json& golden_;
  std::shared_ptr<const gpt2::Model> model_;
  std::vector<Comparison> comparisons_;
};

}  // namespace

bool shaped_like_gpt2_small(const gpt2::Model& model) {
  const gpt2::Config& config = model.config();
  constexpr gpt2::Config kSmall = {.block_count = 12,
                                   .context_length = 1024,
                                   .embedding_length = 768,
                                   .feed_forward_length = 3072,
                                   .head_count = 12,
                                   .head_dim = 64,
                                   .vocabulary_size = 50257,
                                   .layer_norm_epsilon = 1e-5F};
  return config == kSmall && model.tokenizer().encode("How are") == std::vector<TokenId>{2437, 389};
}

std::vector<Comparison> compare_with(std::string_view golden, std::shared_ptr<const gpt2::Model> model) {
  try {
    const Json json = parse(golden);
    return Comparer(json, std::move(model)).run();
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::kMalformed, {"golden file", error.what(), "JSON in the form of gpt2-small.json"});
  }
}

}  // namespace headflow::analysis
