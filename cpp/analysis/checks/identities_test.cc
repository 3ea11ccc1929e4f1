// Every identity holds on runs of the small model, and fails where a fault is put between the run and the check.
#include "analysis/checks/identities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/checks/block_checks.h"
#include "base/error.h"
#include "gpt2/contributions.h"
#include "gpt2/testing/fixture.h"
#include "quant/quant.h"

namespace headflow::analysis {
namespace {

using gpt2::Node;
using gpt2::NodeRef;
using gpt2::testing::Dump;

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

// A traced run of one block of the small model.
struct TracedRun {
  explicit TracedRun(std::size_t block_in, std::vector<TokenId> tokens = Dump("cat").tokens,
                     const std::vector<gpt2::Edit>& edits = {})
      : model(gpt2::testing::mini_model()), session(model), block(block_in) {
    session.set_tokens(tokens);
    session.set_edits(edits);
    const gpt2::RowRange rows{0, session.tokens().size()};
    gpt2::testing::run(session, {{gpt2::StageKind::kAttention, block}, rows});
    gpt2::testing::run(session, {{gpt2::StageKind::kMlp, block}, rows});
  }

  [[nodiscard]] std::vector<Check> checks(const ReadNode& read, std::uint64_t work = kAll) const {
    BlockChecks checks(model, session.tokens(), block, session.edits());
    while (!checks.advance(read, work)) {
    }
    return checks.results();
  }

  std::shared_ptr<gpt2::Model> model;
  gpt2::Session session;
  std::size_t block;
};

// Reads as the session does, then lets `fault` change what was read of `node`.
template <typename Fault>
ReadNode faulty(const gpt2::Session& session, Node node, Fault fault) {
  return [&session, node, fault](NodeRef ref, std::size_t head, std::size_t first, std::size_t last,
                                 std::span<float> out) {
    session.read(ref, head, first, last, out);
    if (ref.node == node) fault(head, first, last, out);
  };
}

std::vector<Identity> failing(const std::vector<Check>& checks) {
  std::vector<Identity> failed;
  for (const Check& check : checks) {
    if (!check.holds()) failed.push_back(check.identity);
  }
  return failed;
}

TEST(Identities, HoldWithHeadsSwitchedOff) {
  const std::vector<gpt2::Edit> zero = {{0, 1, gpt2::EditKind::kZero}, {1, 2, gpt2::EditKind::kZero}};
  const std::vector<gpt2::Edit> mean = {{1, 2, gpt2::EditKind::kMean}};
  for (const std::size_t block : {0U, 1U}) {
    const TracedRun off(block, Dump("cat").tokens, zero);
    EXPECT_EQ(failing(off.checks(reader(off.session))), std::vector<Identity>{});
    const TracedRun by_mean(block, Dump("cat").tokens, mean);
    const std::vector<Check> checks = by_mean.checks(reader(by_mean.session));
    EXPECT_EQ(failing(checks), std::vector<Identity>{});
    // From the block of a mean on, a row depends on those after it.
    for (const Check& check : checks) {
      const bool rows_alone = check.identity == Identity::kCausality || check.identity == Identity::kContinuation;
      EXPECT_EQ(check.compared == 0, rows_alone && block == 1) << name(check.identity);
    }
  }
}

TEST(Identities, HoldInEveryBlock) {
  for (const std::size_t block : {0U, 1U}) {
    const TracedRun run(block);
    const std::vector<Check> checks = run.checks(reader(run.session));
    ASSERT_EQ(checks.size(), kIdentityCount);
    const std::size_t tokens = run.session.tokens().size();
    for (const Check& check : checks) {
      EXPECT_TRUE(check.holds()) << name(check.identity) << ": " << check.error << " above " << check.bound;
      EXPECT_GE(check.compared, tokens) << name(check.identity);
    }
  }
}

TEST(Identities, ErrorsOfSumsAreSeen) {
  // Sums in float and in double differ: an error of exactly 0 would mean that nothing was compared.
  const TracedRun run(1);
  for (const Check& check : run.checks(reader(run.session))) {
    const bool exact = check.bound == 0;
    EXPECT_EQ(check.error == 0, exact) << name(check.identity);
  }
}

TEST(Identities, SlicesFindTheSame) {
  const TracedRun run(1);
  const std::vector<Check> whole = run.checks(reader(run.session));
  for (const std::uint64_t work : {1U, 20000U, 300000U}) {
    const std::vector<Check> sliced = run.checks(reader(run.session), work);
    for (std::size_t i = 0; i < kIdentityCount; ++i) {
      EXPECT_EQ(sliced[i].error, whole[i].error) << name(whole[i].identity);
      EXPECT_EQ(sliced[i].compared, whole[i].compared) << name(whole[i].identity);
    }
  }
}

TEST(Identities, OneTokenAndEqualTokens) {
  for (const std::vector<TokenId>& tokens : {std::vector<TokenId>{5}, std::vector<TokenId>{7, 7, 7, 7}}) {
    const TracedRun run(1, tokens);
    EXPECT_TRUE(failing(run.checks(reader(run.session))).empty());
  }
  const TracedRun run(0, {5});
  EXPECT_THROW(BlockChecks(run.model, {}, 0), Error);
}

TEST(Identities, ASoftmaxRowThatSumsToLess) {
  const TracedRun run(0);
  const auto read = faulty(run.session, Node::kProbabilities,
                           [](std::size_t head, std::size_t first, std::size_t, std::span<float> out) {
                             if (head == 2 && first == 0) out[0] -= 1e-6F;
                           });
  EXPECT_EQ(failing(run.checks(read)), (std::vector{Identity::kSoftmaxSum, Identity::kHeadOutput}));
}

TEST(Identities, AWeightAboveTheDiagonal) {
  const TracedRun run(0);
  const std::size_t tokens = run.session.tokens().size();
  const auto read = faulty(run.session, Node::kProbabilities,
                           [&](std::size_t head, std::size_t first, std::size_t, std::span<float> out) {
                             if (head == 1 && first == 0) out[tokens - 1] = 1e-30F;
                           });
  EXPECT_EQ(failing(run.checks(read)), std::vector{Identity::kMaskedZero});
}

TEST(Identities, NotANumberAboveTheDiagonal) {
  const TracedRun run(0);
  const auto read =
      faulty(run.session, Node::kProbabilities, [](std::size_t, std::size_t first, std::size_t, std::span<float> out) {
        if (first == 0) out[1] = std::numeric_limits<float>::quiet_NaN();
      });
  EXPECT_EQ(failing(run.checks(read)), std::vector{Identity::kMaskedZero});
}

TEST(Identities, ValuesOfAnotherHead) {
  const TracedRun run(0);
  const ReadNode read = [&](NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out) {
    run.session.read(ref, ref.node == Node::kValue ? 3 - head : head, first, last, out);
  };
  EXPECT_EQ(failing(run.checks(read)), std::vector{Identity::kHeadOutput});
}

TEST(Identities, HeadsInAnotherOrder) {
  const TracedRun run(0);
  const ReadNode read = [&](NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out) {
    const bool swapped = ref.node == Node::kHeadOutput && head < 2;
    run.session.read(ref, swapped ? 1 - head : head, first, last, out);
  };
  EXPECT_EQ(failing(run.checks(read)), (std::vector{Identity::kHeadOutput, Identity::kConcat}));
}

TEST(Identities, AnAttentionOutputWithoutItsBias) {
  const TracedRun run(0);
  const ReadNode read = [&](NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out) {
    if (ref.node == Node::kAttentionOutput) ref.node = Node::kProjectionProduct;
    run.session.read(ref, head, first, last, out);
  };
  EXPECT_EQ(failing(run.checks(read)), (std::vector{Identity::kContributions, Identity::kResidual, Identity::kCausality,
                                                    Identity::kContinuation}));
}

TEST(Identities, ABlockOutputWithoutItsMlp) {
  const TracedRun run(1);
  const ReadNode read = [&](NodeRef ref, std::size_t head, std::size_t first, std::size_t last, std::span<float> out) {
    if (ref == NodeRef{Node::kBlockOutput, 1}) ref.node = Node::kResidual;
    run.session.read(ref, head, first, last, out);
  };
  EXPECT_EQ(failing(run.checks(read)),
            (std::vector{Identity::kResidual, Identity::kCausality, Identity::kContinuation}));
}

// A run in which a row knows what follows: what it is compared with has another token there.
TEST(Identities, ARowThatKnowsALaterToken) {
  const TracedRun run(0);
  const auto read =
      faulty(run.session, Node::kQkv, [](std::size_t, std::size_t first, std::size_t, std::span<float> out) {
        if (first == 0) out[3] = std::nextafter(out[3], 10.0F);
      });
  const std::vector<Check> checks = run.checks(read);
  EXPECT_EQ(failing(checks), (std::vector{Identity::kCausality, Identity::kContinuation}));
  EXPECT_EQ(checks[static_cast<std::size_t>(Identity::kCausality)].error, 1);
}

// A fault behind the place where the second run continues.
TEST(Identities, ARowThatContinuesDifferently) {
  const TracedRun run(0);
  const std::size_t last_row = run.session.tokens().size() - 1;
  const auto read =
      faulty(run.session, Node::kGelu, [&](std::size_t, std::size_t, std::size_t last, std::span<float> out) {
        if (last == last_row + 1) out.back() = std::nextafter(out.back(), 10.0F);
      });
  EXPECT_EQ(failing(run.checks(read)), std::vector{Identity::kContinuation});
}

TEST(Contributions, FollowTheOrderOfTheOutputMatrix) {
  // Two heads of width 2 and a matrix that is told apart from its transpose: stored row i is output i.
  gpt2::Config config;
  config.embedding_length = 4;
  config.head_count = 2;
  config.head_dim = 2;
  std::vector<float> w(16);
  std::iota(w.begin(), w.end(), 1.0F);
  const gpt2::LinearWeights output{{gguf::TensorType::kF32, std::as_bytes(std::span(w)).data(), 4, 4}, {1, 1, 1, -1}};
  const std::vector<float> concat = {1, 2, -3, 4};
  const gpt2::HeadContributions parts = gpt2::head_contributions(config, output, concat);
  EXPECT_EQ(parts.values, (std::vector<double>{1 * 1 + 2 * 2, 1 * 5 + 2 * 6, 1 * 9 + 2 * 10, 1 * 13 + 2 * 14,  //
                                               -3 * 3 + 4 * 4, -3 * 7 + 4 * 8, -3 * 11 + 4 * 12, -3 * 15 + 4 * 16}));
  EXPECT_EQ(parts.magnitudes[0], 1 + 4 + 9 + 16 + 1);
  EXPECT_EQ(parts.magnitudes[3], 13 + 28 + 45 + 64 + 1);
}

TEST(Contributions, RoundABlockAcrossTheBorderOfTwoHeads) {
  // D_h = 16: the first block of 32 has elements of heads 0 and 1, whose largest belongs to head 1.
  std::vector<float> x(64, 0.3F);
  x[20] = 127.0F;
  const std::vector<float> used = quant::as_used(gguf::TensorType::kQ8_0, x, 64);
  EXPECT_EQ(used[0], 0.0F) << "0.3 of a scale of 1";
  EXPECT_EQ(used[20], 127.0F);
  EXPECT_NEAR(used[40], 0.3F, 2e-4F);
  EXPECT_EQ(quant::as_used(gguf::TensorType::kF32, x, 64), x);
  EXPECT_EQ(quant::as_used(gguf::TensorType::kF16, x, 64)[0], 0x1.334p-2F) << "0.3 in fp16";
}

}  // namespace
}  // namespace headflow::analysis
