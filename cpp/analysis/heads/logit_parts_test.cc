// The parts of a logit add up to it, and each is what a float64 pass writes along the token's direction.

#include "analysis/heads/logit_parts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "gpt2/testing/fixture.h"
#include "gpt2/testing/float64.h"
#include "gpt2/testing/rebuilt.h"

namespace headflow::analysis {
namespace {

using gpt2::testing::Vector;

const std::vector<TokenId> kTokens = {72, 101, 32, 115, 97, 116, 32, 97};
constexpr TokenId kToken = 120;

LogitParts parts_of(gpt2::Session& session, std::size_t row, TokenId token) {
  LogitPartsOf parts(session, row, token);
  while (!parts.advance(1).done) {
  }
  return parts.result();
}

TEST(LogitParts, AddUpToTheLogit) {
  for (const auto type : {gguf::TensorType::kQ8_0, gguf::TensorType::kF32}) {
    const auto model = gpt2::testing::whole_model(gpt2::testing::all_as(type));
    for (const std::vector<gpt2::Edit>& edits :
         {std::vector<gpt2::Edit>{}, {{0, 1, gpt2::EditKind::kZero}, {1, 2, gpt2::EditKind::kMean}}}) {
      gpt2::Session session(model);
      session.set_tokens(kTokens);
      session.set_edits(edits);
      for (const std::size_t row : {std::size_t{0}, kTokens.size() - 1}) {
        const LogitParts parts = parts_of(session, row, kToken);
        EXPECT_LE(std::abs(parts.sum - parts.logit), parts.bound());
        EXPECT_GT(parts.magnitude, std::abs(parts.logit));
      }
    }
  }
}

// The last row of a node of the float64 pass.
Vector last_row(const gpt2::testing::Float64& reference, const std::string& name) {
  const Vector& all = reference.nodes().at(name);
  return {all.end() - static_cast<std::ptrdiff_t>(all.size() / kTokens.size()), all.end()};
}

TEST(LogitParts, AMlpWritesWhatAFloat64PassSays) {
  const auto model = gpt2::testing::whole_model(gpt2::testing::all_as(gguf::TensorType::kF32));
  const std::size_t width = model->config().embedding_length;
  gpt2::testing::Float64 reference(*model);
  reference.forward(kTokens);

  // With X_L's own scale: the logit that X_L - F_0 would give, taken from the logit of X_L.
  const Vector x = last_row(reference, "l_out-1");
  const Vector f = last_row(reference, "ffn_out-0");
  const gpt2::NormWeights norm = model->output_norm();
  std::vector<float> w(width);
  model->output_matrix().read_row(kToken, w);
  double mean = 0;
  double mean_of_f = 0;
  for (std::size_t i = 0; i < width; ++i) {
    mean += x[i] / static_cast<double>(width);
    mean_of_f += f[i] / static_cast<double>(width);
  }
  double variance = 0;
  for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(width);
  const double scale = 1 / std::sqrt(variance + static_cast<double>(model->config().layer_norm_epsilon));
  double expected = 0;
  for (std::size_t i = 0; i < width; ++i) {
    expected += static_cast<double>(w[i]) * static_cast<double>(norm.weight[i]) * scale * (f[i] - mean_of_f);
  }

  gpt2::Session session(model);
  session.set_tokens(kTokens);
  const LogitParts parts = parts_of(session, kTokens.size() - 1, kToken);
  int found = 0;
  for (const LogitPart& part : parts.parts) {
    if (part.source != LogitSource::kMlp || part.block != 0) continue;
    EXPECT_NEAR(part.value, expected, 1e-5 * std::abs(expected) + 1e-7);
    ++found;
  }
  EXPECT_EQ(found, 1);
}

TEST(LogitParts, RefusesWhatIsNone) {
  gpt2::Session session(gpt2::testing::mini_model());
  session.set_tokens(kTokens);
  EXPECT_THROW(LogitPartsOf(session, kTokens.size(), 0), Error);
  EXPECT_THROW(LogitPartsOf(session, 0, -1), Error);
  EXPECT_THROW(LogitPartsOf(session, 0, 272), Error);
}

}  // namespace
}  // namespace headflow::analysis
