// The embedded model on the prompt that the page opens with: what its heads do to the name that comes back. The numbers
// are a float64 pass's on the dequantized weights, with activations as they are.

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/heads/head_effects.h"
#include "analysis/heads/logit_parts.h"
#include "gpt2/testing/fixture.h"
#include "gpt2/testing/rebuilt.h"

namespace headflow::analysis {
namespace {

using gpt2::EditKind;

constexpr std::string_view kPrompt = "A dog named Captain Moon met a fox. The fox asked Captain";
constexpr std::string_view kMoon = " Moon";

struct Known {
  std::size_t block;
  std::size_t head;
  EditKind kind;
  double after;
};
constexpr double kBefore = 0.9738;
constexpr std::array<Known, 6> kKnown = {{{3, 2, EditKind::kZero, 0.3010},
                                          {2, 6, EditKind::kZero, 0.3297},
                                          {3, 7, EditKind::kZero, 0.5991},
                                          {3, 6, EditKind::kZero, 0.7868},
                                          {3, 2, EditKind::kMean, 0.5308},
                                          {2, 6, EditKind::kMean, 0.4532}}};

gpt2::testing::Bytes embedded() {
  const auto models = std::filesystem::path(HEADFLOW_TESTDATA) / ".." / ".." / "models";
  return gpt2::testing::file_bytes(models / "headflow-small.Q8_0.gguf");
}

// `bound`: how far the probabilities may be from those of float64.
void expect_known(const gpt2::testing::Bytes& file, double bound) {
  const auto model = gpt2::testing::whole_model(file);
  for (const EditKind kind : {EditKind::kZero, EditKind::kMean}) {
    gpt2::Session session(model);
    session.set_tokens(model->tokenizer().encode(kPrompt));
    HeadEffects effects(session, kind);
    while (!effects.advance(100'000'000).done) {
    }
    EXPECT_EQ(model->tokenizer().bytes(effects.first()), kMoon);
    EXPECT_NEAR(effects.before(), kBefore, bound);
    for (const Known& known : kKnown) {
      if (known.kind != kind) continue;
      for (const HeadEffect& effect : effects.effects()) {
        if (effect.block != known.block || effect.head != known.head) continue;
        EXPECT_NEAR(effect.after, known.after, bound) << known.block << '.' << known.head;
      }
    }
  }
}

// With its matrices as F32, nothing is rounded: the edits alone are compared.
TEST(Moon, HeadsSwitchedOffWithoutRounding) {
  const auto floats = [](const std::string&) {
    return gguf::TensorType::kF32;
  };
  expect_known(gpt2::testing::rebuilt(embedded(), floats, false), 1e-4);
}

// As the page runs it, activations rounded to Q8_0: 0.014 at most for zero, 0.024 for the mean (head 2.6).
TEST(Moon, HeadsSwitchedOff) {
  expect_known(embedded(), 0.025);
}

TEST(Moon, WhatHeadsWriteIsNotWhatTheirAbsenceCosts) {
  const auto model = gpt2::testing::whole_model(embedded());
  gpt2::Session session(model);
  session.set_tokens(model->tokenizer().encode(kPrompt));
  LogitPartsOf parts(session, session.tokens().size() - 1, *model->tokenizer().find(kMoon));
  while (!parts.advance(100'000'000).done) {
  }
  const LogitParts& found = parts.result();
  EXPECT_LE(std::abs(found.sum - found.logit), found.bound());
  const auto written = [&](std::size_t block, std::size_t head) {
    for (const LogitPart& part : found.parts) {
      if (part.source == LogitSource::kHead && part.block == block && part.head == head) return part.value;
    }
    return 0.0;
  };
  EXPECT_NEAR(written(3, 2), 4.79, 0.03);
  EXPECT_NEAR(written(3, 7), 3.77, 0.03);
  EXPECT_NEAR(written(3, 6), 2.52, 0.03);
  EXPECT_NEAR(written(3, 4), 1.06, 0.03);
  EXPECT_NEAR(written(2, 6), 0.15, 0.03);
}

}  // namespace
}  // namespace headflow::analysis
