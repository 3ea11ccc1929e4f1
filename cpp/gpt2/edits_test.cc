// Heads switched off: against a float64 pass that does the same, and what edited sessions share and recompute.

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/error.h"
#include "gpt2/session.h"
#include "gpt2/testing/fixture.h"
#include "gpt2/testing/float64.h"
#include "gpt2/testing/rebuilt.h"

namespace headflow::gpt2 {
namespace {

using testing::all_nodes;
using testing::Dump;
using testing::Float64;
using testing::mini_model;
using testing::node_values;
using testing::relative_rms;
using testing::run;
using testing::same_bits;

constexpr Goal kWhole = {{StageKind::kLogits, 0}};
constexpr std::uint64_t kOneRow = 1;

class EditsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Model> model = mini_model();
  std::vector<TokenId> tokens = Dump("cat").tokens;

  [[nodiscard]] Session session(std::span<const TokenId> prompt, std::vector<Edit> edits) const {
    Session made(model);
    made.set_tokens(prompt);
    made.set_edits(edits);
    return made;
  }

  // Every node of every block, in bits.
  void expect_same(Session& a, Session& b) const {
    for (const NodeRef ref : all_nodes(model->config())) {
      EXPECT_TRUE(same_bits(node_values(a, ref), node_values(b, ref))) << full_name(ref);
    }
  }

  [[nodiscard]] static std::uint64_t bytes(std::span<const Session> sessions) {
    Storage storage;
    for (const Session& session : sessions) session.add_to(storage);
    return total_bytes(storage);
  }
};

const std::vector<std::vector<Edit>> kEdits = {
    {{0, 1, EditKind::kZero}},
    {{1, 3, EditKind::kZero}},
    {{0, 2, EditKind::kMean}},
    {{1, 0, EditKind::kMean}},
    {{0, 0, EditKind::kZero}, {0, 3, EditKind::kMean}, {1, 2, EditKind::kZero}},
};

TEST_F(EditsTest, AsAFloat64PassWithTheSameHeadsOff) {
  // With F32 matrices no activation is rounded, so that only float sums are between the two.
  model = testing::whole_model(testing::all_as(gguf::TensorType::kF32));
  for (const std::vector<Edit>& edits : kEdits) {
    Float64 reference(*model, {.edits = edits});
    reference.forward(tokens);
    Session edited = session(tokens, edits);
    Session plain = session(tokens, {});
    for (const auto& [name, expected] : reference.nodes()) {
      const std::vector<float> values = node_values(edited, parse_node(name, model->config()));
      EXPECT_LE(relative_rms(values, expected), 1e-6) << name;
    }
    EXPECT_GT(relative_rms(node_values(plain, {Node::kLogits, 0}), reference.nodes().at("result_output")), 1e-3);
  }
}

TEST_F(EditsTest, SlicedForkedOrAfreshTheBitsAreTheSame) {
  Session plain = session(tokens, {});
  run(plain, kWhole);
  for (const std::vector<Edit>& edits : kEdits) {
    Session afresh = session(tokens, edits);
    Session by_row = session(tokens, edits);
    run(by_row, kWhole, kOneRow);
    Session forked = plain.fork();
    forked.set_edits(edits);
    expect_same(by_row, afresh);
    expect_same(forked, afresh);
    forked.set_edits({});
    Session all_on = session(tokens, {});
    expect_same(forked, all_on);
  }
}

TEST_F(EditsTest, ContinuingFromTheCacheIsAsComputingAfresh) {
  for (const std::vector<Edit>& edits : kEdits) {
    Session continued = session({}, edits);
    for (std::size_t count = 1; count <= tokens.size(); ++count) {
      continued.set_tokens(std::span(tokens).first(count));
      run(continued, kWhole);
    }
    Session afresh = session(tokens, edits);
    expect_same(continued, afresh);
  }
}

// A mean is over all rows of the prompt: another last token changes even the first row of the blocks after it.
TEST_F(EditsTest, AMeanDependsOnAllRows) {
  const std::vector<Edit> edits = {{0, 2, EditKind::kMean}};
  Session before = session(std::span(tokens).first(4), edits);
  Session after = session(std::span(tokens).first(5), edits);
  const auto first_row = [&](Session& of) {
    std::vector<float> row(model->config().embedding_length);
    run(of, kWhole);
    of.read({Node::kBlockOutput, 0}, 0, 0, 1, row);
    return row;
  };
  EXPECT_FALSE(same_bits(first_row(before), first_row(after)));
}

TEST_F(EditsTest, AllHeadsOffLeavesTheBias) {
  const Config& config = model->config();
  std::vector<Edit> edits;
  for (std::size_t h = 0; h < config.head_count; ++h) edits.push_back({1, h, EditKind::kZero});
  Session edited = session(tokens, edits);
  const std::vector<float> a = node_values(edited, {Node::kAttentionOutput, 1});
  const std::vector<float> bias = model->attention(1).output.bias;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], bias[i % bias.size()]);
}

// What lies below an edit is shared, to the byte; above it each session has its own.
TEST_F(EditsTest, TenSessionsShareWhatTheirEditsLeaveEqual) {
  const Config& config = model->config();
  const std::size_t width_bytes = config.embedding_length * sizeof(float);
  std::vector<TokenId> prompt;
  for (std::size_t t = 0; t < 64; ++t) prompt.push_back(static_cast<TokenId>(t * 5 % 256));

  std::vector<Session> sessions;
  sessions.push_back(session(prompt, {}));
  run(sessions.front(), kWhole);
  const std::uint64_t one = bytes(sessions);
  const std::uint64_t scratch = one - 64 * width_bytes * (1 + 3 * config.block_count);

  for (std::size_t i = 0; i < 9; ++i) sessions.push_back(sessions.front().fork());
  EXPECT_EQ(bytes(sessions), one + 9 * (sessions.back().held_bytes() - 64 * width_bytes * (1 + 3 * config.block_count)))
      << "a fork has no rows of its own";

  for (std::size_t i = 1; i < 10; ++i) {
    sessions[i].set_edits(std::vector<Edit>{{1, i % config.head_count, i < 5 ? EditKind::kZero : EditKind::kMean}});
    run(sessions[i], kWhole);
  }
  // In the last block each has its own X_L; K and V come before the edit.
  const std::uint64_t rows = 64 * width_bytes * (1 + 3 * config.block_count);
  std::uint64_t own = 0;
  for (std::size_t i = 1; i < 10; ++i) own += sessions[i].held_bytes() - rows;
  EXPECT_EQ(bytes(sessions), one + own + 9 * 64 * width_bytes);
  EXPECT_GT(scratch, 0U);
}

TEST_F(EditsTest, AChangedPromptForksWhereItChanges) {
  std::vector<TokenId> prompt(60, 7);
  Session before = session(prompt, {});
  run(before, kWhole);
  Session after = before.fork();
  prompt[40] = 9;
  after.set_tokens(prompt);
  run(after, kWhole);
  Session afresh = session(prompt, {});
  expect_same(after, afresh);
  Storage both;
  before.add_to(both);
  const std::uint64_t one = total_bytes(both);
  after.add_to(both);
  const std::size_t row_bytes =
      model->config().embedding_length * sizeof(float) * (1 + 3 * model->config().block_count);
  EXPECT_LE(total_bytes(both) - one, after.held_bytes() - 40 * row_bytes);
}

// Bounded calls: the rows that a switched head in the last block makes necessary are those of that block alone.
TEST_F(EditsTest, AnEditInTheLastBlockRunsThatBlockAlone) {
  Session edited = session(tokens, {});
  run(edited, kWhole);
  edited.set_edits(std::vector<Edit>{{1, 0, EditKind::kZero}});
  for (Progress progress; !progress.done;) {
    progress = edited.advance(kWhole, kOneRow);
    if (!progress.done) {
      EXPECT_EQ(progress.stage.block, 1U);
    }
  }
}

TEST_F(EditsTest, InnerTensorsStayWithinTheirBudget) {
  std::vector<TokenId> prompt;
  for (std::size_t t = 0; t < model->config().context_length; ++t) prompt.push_back(static_cast<TokenId>(t % 256));
  constexpr std::uint64_t kBudget = 200'000;
  Session small(model, {}, kBudget);
  Session large(model);
  small.set_tokens(prompt);
  large.set_tokens(prompt);
  run(small, kWhole);
  const std::uint64_t without = small.held_bytes();
  const std::size_t width = model->config().embedding_length;
  // To and fro, band by band: what was dropped comes back with the same bits.
  for (int time = 0; time < 2; ++time) {
    for (std::size_t l = 0; l < model->config().block_count; ++l) {
      for (std::size_t first = 0; first + 10 <= prompt.size(); first += 10) {
        for (const Node node : {Node::kAttentionOutput, Node::kMlpOutput}) {
          const NodeRef ref{node, l};
          const RowRange rows{first, first + 10};
          run(small, goal_for(ref, rows));
          run(large, goal_for(ref, rows));
          std::vector<float> a(10 * width);
          std::vector<float> b(10 * width);
          small.read(ref, 0, rows.first, rows.last, a);
          large.read(ref, 0, rows.first, rows.last, b);
          ASSERT_TRUE(same_bits(a, b)) << full_name(ref) << " from row " << first;
          // The pages of the goal at hand are kept whatever they take.
          ASSERT_LE(small.held_bytes(),
                    without + std::max<std::uint64_t>(kBudget, 2 * 64 * 17 * width * sizeof(float)));
        }
      }
    }
  }
}

TEST_F(EditsTest, ALensIsTheFinalNormOfAnyBlock) {
  Session made = session(tokens, {});
  run(made, kWhole);
  const std::size_t depth = model->config().block_count;
  const std::size_t vocabulary = model->config().vocabulary_size;
  std::vector<float> lens(vocabulary);
  std::vector<float> logits(vocabulary);
  made.read_lens(depth, Node::kLogits, tokens.size() - 1, tokens.size(), lens);
  made.read({Node::kLogits, 0}, 0, tokens.size() - 1, tokens.size(), logits);
  EXPECT_TRUE(same_bits(lens, logits));

  // After one block: the float64 pass's final norm and output of X_1.
  Float64 reference(*model, {.rounds_activations = true});
  reference.logits(reference.mlp(0, reference.attention(0, reference.embed(tokens))));
  std::vector<float> all(tokens.size() * vocabulary);
  made.read_lens(1, Node::kLogits, 0, tokens.size(), all);
  EXPECT_LE(relative_rms(all, reference.nodes().at("result_output")), 1e-6);
}

// Any order of prompts, edits and goals: what is read is what a session made for it computes.
TEST_F(EditsTest, AnyHistoryGivesTheSameBits) {
  std::mt19937 random(11);
  const Config& config = model->config();
  const std::vector<NodeRef> refs = all_nodes(config);
  std::vector<Session> sessions;
  sessions.push_back(session(tokens, {}));
  for (int step = 0; step < 120; ++step) {
    if (sessions.size() < 4) sessions.push_back(sessions[random() % sessions.size()].fork());
    Session& changed = sessions[random() % sessions.size()];
    std::vector<TokenId> prompt(changed.tokens().begin(), changed.tokens().end());
    std::vector<Edit> edits(changed.edits().begin(), changed.edits().end());
    switch (random() % 6) {
      case 0: prompt.push_back(static_cast<TokenId>(random() % 256)); break;
      case 1:
        if (prompt.size() > 1) prompt.pop_back();
        break;
      case 2: prompt[random() % prompt.size()] = static_cast<TokenId>(random() % 256); break;
      case 3: edits = {}; break;
      case 4: edits = kEdits[random() % kEdits.size()]; break;
      default: changed = changed.fork();
    }
    prompt.resize(std::min(prompt.size(), config.context_length));
    changed.set_tokens(prompt);
    changed.set_edits(edits);
    // Not always to the end, and not always all rows.
    const NodeRef ref = refs[random() % refs.size()];
    const RowRange rows{random() % prompt.size(), prompt.size()};
    run(changed, goal_for(ref, rows), random() % 2 == 0 ? kOneRow : 100'000);
    std::vector<float> found(rows.size() * length(info(ref.node).columns, config, prompt.size()));
    std::vector<float> expected(found.size());
    changed.read(ref, 0, rows.first, rows.last, found);
    Session afresh = session(prompt, edits);
    run(afresh, goal_for(ref, {0, prompt.size()}));
    afresh.read(ref, 0, rows.first, rows.last, expected);
    ASSERT_TRUE(same_bits(found, expected)) << "step " << step << ", " << full_name(ref);
  }
}

TEST_F(EditsTest, TheLastLogitsTakeNoOtherRowOfTheLastBlock) {
  Session last = session(tokens, {});
  const std::size_t count = tokens.size();
  run(last, {{StageKind::kLogits, 0}, {count - 1, count}}, kOneRow);
  EXPECT_TRUE(last.readable({Node::kLogits, 0}, {count - 1, count}));
  EXPECT_FALSE(last.readable({Node::kLogits, 0}, {count - 2, count}));
  EXPECT_FALSE(last.readable({Node::kBlockOutput, 1}, {0, count}));
  Session all = session(tokens, {});
  expect_same(last, all);
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

TEST_F(EditsTest, RefusesWhatItCannotDo) {
  Session made = session(tokens, {{0, 1, EditKind::kZero}});
  const auto set = [&](std::vector<Edit> edits) {
    return code_of([&] { made.set_edits(edits); });
  };
  EXPECT_EQ(set({{2, 0, EditKind::kZero}}), ErrorCode::kBadArgument);
  EXPECT_EQ(set({{0, 4, EditKind::kZero}}), ErrorCode::kBadArgument);
  EXPECT_EQ(set({{0, 0, EditKind::kZero}, {0, 0, EditKind::kMean}}), ErrorCode::kBadArgument);
  EXPECT_EQ(made.edits().size(), 1U) << "refused edits leave the old ones";
  std::vector<float> logits(model->config().vocabulary_size);
  EXPECT_EQ(code_of([&] { made.read_lens(0, Node::kLogits, 0, 1, logits); }), ErrorCode::kNotLoaded);
  EXPECT_EQ(code_of([&] { made.read_lens(0, Node::kConcat, 0, 1, logits); }), ErrorCode::kBadArgument);
  run(made, kWhole);
  EXPECT_EQ(code_of([&] { made.read_lens(3, Node::kLogits, 0, 1, logits); }), ErrorCode::kNotLoaded);
}

}  // namespace
}  // namespace headflow::gpt2
