// A session gives the same bits however it is sliced, continued, interleaved or traced, with every kernel.

#include "gpt2/session.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "gpt2/testing/fixture.h"

namespace headflow::gpt2 {
namespace {

using testing::all_nodes;
using testing::Dump;
using testing::mini_model;
using testing::node_values;
using testing::run;
using testing::same_bits;

constexpr std::uint64_t kOneRow = 1;

std::vector<std::vector<float>> all_values(Session& session,
                                           std::uint64_t work = std::numeric_limits<std::uint64_t>::max()) {
  std::vector<std::vector<float>> values;
  for (const NodeRef ref : all_nodes(session.model().config())) values.push_back(node_values(session, ref, work));
  return values;
}

void expect_same(const Session& session, const std::vector<std::vector<float>>& a,
                 const std::vector<std::vector<float>>& b) {
  const std::vector<NodeRef> refs = all_nodes(session.model().config());
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same_bits(a[i], b[i])) << full_name(refs[i]);
}

// FNV-1a, 64 bits, over the bytes of the values.
std::uint64_t fingerprint(std::span<const float> values) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::byte byte : std::as_bytes(values)) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3U;
  return hash;
}

class SessionTest : public ::testing::Test {
 protected:
  std::shared_ptr<Model> model = mini_model();
  std::vector<TokenId> tokens = Dump("cat").tokens;

  [[nodiscard]] Session session(std::span<const TokenId> prompt, Arithmetic arithmetic = {}) const {
    Session made(model, arithmetic);
    made.set_tokens(prompt);
    return made;
  }
};

TEST_F(SessionTest, RowByRowIsAsAllAtOnce) {
  Session at_once = session(tokens);
  Session by_row = session(tokens);
  expect_same(at_once, all_values(at_once), all_values(by_row, kOneRow));
}

TEST_F(SessionTest, EveryKernelGivesTheSameBits) {
  Session standard = session(tokens);
  const auto expected = all_values(standard);
  for (const kernels::Kernels* const kernels : kernels::all()) {
    Session other = session(tokens, {kernels, &kernels::gelu});
    SCOPED_TRACE(kernels->name);
    expect_same(standard, all_values(other), expected);
  }
}

// Natively and in WebAssembly, scalar and SIMD: every build must find these fingerprints. They were taken from this
// engine; that they are of the right numbers is what llama_cpp_test.cc and float64_test.cc show.
TEST_F(SessionTest, EveryBuildGivesTheSameBits) {
  std::ifstream file(testing::kMini / "fingerprints.json");
  const nlohmann::json expected = nlohmann::json::parse(file);
  Session made = session(tokens);
  nlohmann::ordered_json found;
  for (const NodeRef ref : all_nodes(model->config())) {
    found[full_name(ref)] = std::to_string(fingerprint(node_values(made, ref)));
  }
  EXPECT_EQ(nlohmann::json(found), expected) << found.dump(1);
}

TEST_F(SessionTest, ContinuingFromTheCacheIsAsComputingAfresh) {
  Session continued = session(std::span(tokens).first(1));
  for (std::size_t count = 1; count <= tokens.size(); ++count) {
    continued.set_tokens(std::span(tokens).first(count));
    run(continued, {{StageKind::kLogits, 0}});
  }
  Session afresh = session(tokens);
  expect_same(afresh, all_values(continued), all_values(afresh));
}

TEST_F(SessionTest, ALaterTokenChangesNoEarlierRow) {
  Session before = session(tokens);
  const auto expected = all_values(before);
  std::vector<TokenId> changed = tokens;
  const std::size_t position = 7;
  changed[position] = 42;
  Session after = session(changed);
  const std::vector<NodeRef> refs = all_nodes(model->config());
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const std::vector<float> values = node_values(after, refs[i]);
    const NodeInfo& node = info(refs[i].node);
    // Raw scores above the diagonal do see later keys; the mask is what hides them.
    if (node.node == Node::kScores || node.node == Node::kScoresScaled) continue;
    const std::size_t columns = length(node.columns, model->config(), tokens.size());
    for (std::size_t plane = 0; plane < values.size(); plane += tokens.size() * columns) {
      EXPECT_TRUE(same_bits(std::span(values).subspan(plane, position * columns),
                            std::span(expected[i]).subspan(plane, position * columns)))
          << full_name(refs[i]);
    }
  }
}

TEST_F(SessionTest, AChangedMiddleKeepsOnlyTheBeginning) {
  std::vector<TokenId> changed = tokens;
  changed[5] = 42;
  Session reused = session(changed);
  (void)all_values(reused);
  reused.set_tokens(tokens);
  Session afresh = session(tokens);
  expect_same(afresh, all_values(reused), all_values(afresh));
}

TEST_F(SessionTest, InterleavedSessionsAreAsAlone) {
  const std::vector<TokenId> other_tokens = Dump("how").tokens;
  Session a = session(tokens);
  Session b = session(other_tokens);
  bool done = false;
  while (!done) {
    const Progress pa = a.advance({{StageKind::kLogits, 0}}, kOneRow);
    const Progress pb = b.advance({{StageKind::kLogits, 0}}, kOneRow);
    done = pa.done && pb.done;
  }
  Session alone_a = session(tokens);
  Session alone_b = session(other_tokens);
  expect_same(a, all_values(a), all_values(alone_a));
  expect_same(b, all_values(b), all_values(alone_b));
}

TEST_F(SessionTest, PreparedOnTheWayIsAsPreparedLater) {
  Session on_the_way = session(tokens);
  const RowRange all{0, tokens.size()};
  run(on_the_way, {{StageKind::kMlp, 1}, all}, 4 * kOneRow);
  Session later = session(tokens);
  run(later, {{StageKind::kLogits, 0}});
  run(later, {{StageKind::kMlp, 1}, all});
  for (const NodeRef ref : all_nodes(model->config())) {
    if (ref.block != 1) continue;
    EXPECT_TRUE(same_bits(node_values(on_the_way, ref), node_values(later, ref))) << full_name(ref);
  }
}

TEST_F(SessionTest, Identities) {
  Session made = session(tokens);
  const std::size_t count = tokens.size();
  for (std::size_t l = 0; l < model->config().block_count; ++l) {
    const std::vector<float> p = node_values(made, {Node::kProbabilities, l});
    const std::vector<float> masked = node_values(made, {Node::kScoresMasked, l});
    for (std::size_t row = 0; row < p.size() / count; ++row) {
      double sum = 0;
      for (std::size_t key = 0; key < count; ++key) {
        sum += static_cast<double>(p[row * count + key]);
        if (key <= row % count) continue;
        EXPECT_EQ(p[row * count + key], 0.0F);
        EXPECT_EQ(masked[row * count + key], -std::numeric_limits<float>::infinity());
      }
      EXPECT_NEAR(sum, 1.0, 1e-6);
    }
    // Concat is the heads' outputs side by side.
    const std::vector<float> o = node_values(made, {Node::kHeadOutput, l});
    const std::vector<float> concat = node_values(made, {Node::kConcat, l});
    const std::size_t head_dim = model->config().head_dim;
    for (std::size_t i = 0; i < concat.size(); ++i) {
      const std::size_t t = i / model->config().embedding_length;
      const std::size_t column = i % model->config().embedding_length;
      EXPECT_EQ(concat[i], o[(column / head_dim * count + t) * head_dim + column % head_dim]);
    }
  }
}

TEST_F(SessionTest, OneTokenAttendsToItself) {
  Session made = session(std::span(tokens).first(1));
  for (const float p : node_values(made, {Node::kProbabilities, 0})) EXPECT_EQ(p, 1.0F);
}

TEST_F(SessionTest, NoTokenIsDoneAtOnce) {
  Session made(model);
  EXPECT_TRUE(made.advance({{StageKind::kLogits, 0}}, kOneRow).done);
}

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::kMalformed;
}

TEST_F(SessionTest, RefusesWhatItCannotDo) {
  Session made = session(tokens);
  const std::vector<TokenId> long_prompt(model->config().context_length + 1, 0);
  EXPECT_EQ(code_of([&] { made.set_tokens(long_prompt); }), ErrorCode::kContextOverflow);
  EXPECT_EQ(code_of([&] { made.set_tokens(std::vector<TokenId>{272}); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code_of([&] { made.set_tokens(std::vector<TokenId>{-1}); }), ErrorCode::kBadArgument);
  EXPECT_TRUE(std::ranges::equal(made.tokens(), tokens)) << "a refused prompt leaves the old one";
  EXPECT_EQ(code_of([&] { made.advance({{StageKind::kMlp, 2}}, kOneRow); }), ErrorCode::kBadArgument);

  std::vector<float> row(tokens.size());
  const NodeRef p{Node::kProbabilities, 0};
  EXPECT_EQ(code_of([&] { made.read(p, 0, 0, 1, row); }), ErrorCode::kNotLoaded);
  run(made, {{StageKind::kAttention, 0}, {0, tokens.size()}});
  EXPECT_EQ(code_of([&] { made.read(p, 4, 0, 1, row); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code_of([&] { made.read(p, 0, 1, 0, row); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code_of([&] { made.read(p, 0, tokens.size(), tokens.size() + 1, row); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code_of([&] { made.read(p, 0, 0, 2, row); }), ErrorCode::kBadArgument);
}

TEST_F(SessionTest, TheWholeContextWorks) {
  std::vector<TokenId> prompt;
  for (std::size_t t = 0; t < model->config().context_length; ++t) prompt.push_back(static_cast<TokenId>(t * 7 % 256));
  Session made = session(prompt);
  run(made, {{StageKind::kLogits, 0}}, 200'000);
  std::vector<float> logits(model->config().vocabulary_size);
  made.read({Node::kLogits, 0}, 0, prompt.size() - 1, prompt.size(), logits);
  for (const float logit : logits) EXPECT_TRUE(std::isfinite(logit));
}

}  // namespace
}  // namespace headflow::gpt2
