// Q8_0 products: every implementation against the documented order, written out, and against float64.
#include <algorithm>
#include <array>

#include "kernels/test_support.h"

namespace headflow::kernels {
namespace {

constexpr float kUntouched = 12345.5F;

// What the scales and codes of a case are drawn from.
struct Kind {
  std::vector<std::uint16_t> halves;  // Scales of weights and activations; empty for any finite fp16.
  std::vector<int> weights;           // Weight codes; empty for any.
  std::vector<int> activations;       // Activation codes; empty for any in [-127, 127].
};

template <typename T>
T pick(const std::vector<T>& from, Random& random) {
  return from[static_cast<std::size_t>(random.integer(0, static_cast<int>(from.size()) - 1))];
}

struct Case {
  std::size_t rows, columns, tokens;
  Bytes matrix;
  quant::QuantizedRows x;

  Case(std::size_t row_count, std::size_t column_count, std::size_t token_count, std::size_t misalignment,
       const Kind& kind, std::uint32_t seed)
      : rows(row_count),
        columns(column_count),
        tokens(token_count),
        matrix(row_count * blocks() * quant::kQ8_0BlockBytes, misalignment) {
    Random random(seed);
    const auto half = [&] {
      if (!kind.halves.empty()) return pick(kind.halves, random);
      return static_cast<std::uint16_t>(random.integer(0, 1) * 0x8000 + random.integer(0, 0x7bff));
    };
    for (std::size_t block = 0; block < rows * blocks(); ++block) {
      const std::size_t offset = block * quant::kQ8_0BlockBytes;
      matrix.put(offset, half());
      for (std::size_t i = 0; i < quant::kBlockSize; ++i) {
        const int code = kind.weights.empty() ? random.integer(-128, 127) : pick(kind.weights, random);
        matrix.put(offset + 2 + i, static_cast<std::int8_t>(code));
      }
    }
    x.rows = tokens;
    x.columns = columns;
    x.codes = std::vector<std::int16_t>(tokens * columns);
    x.scales = std::vector<float>(tokens * blocks());
    for (std::int16_t& code : x.codes) {
      code = static_cast<std::int16_t>(kind.activations.empty() ? random.integer(-127, 127)
                                                                : pick(kind.activations, random));
    }
    for (float& scale : x.scales) scale = std::abs(value_of_half(half()));
  }

  [[nodiscard]] std::size_t blocks() const { return columns / quant::kBlockSize; }
  [[nodiscard]] std::size_t block_offset(std::size_t row, std::size_t block) const {
    return (row * blocks() + block) * quant::kQ8_0BlockBytes;
  }
  [[nodiscard]] MatrixView view() { return {gguf::TensorType::kQ8_0, matrix.data(), rows, columns}; }

  [[nodiscard]] float weight_scale(std::size_t row, std::size_t block) {
    return value_of_half(matrix.get<std::uint16_t>(block_offset(row, block)));
  }

  [[nodiscard]] std::int64_t integer_sum(std::size_t row, std::size_t token, std::size_t block) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < quant::kBlockSize; ++i) {
      sum += static_cast<std::int64_t>(matrix.get<std::int8_t>(block_offset(row, block) + 2 + i)) *
             x.codes[token * columns + block * quant::kBlockSize + i];
    }
    return sum;
  }

  // s_j for one j: blocks j, j + 4, j + 8, ...
  [[nodiscard]] float partial_sum(std::size_t row, std::size_t token, std::size_t j) {
    float sum = 0;
    for (std::size_t b = j; b < blocks(); b += 4) {
      const float scale = weight_scale(row, b) * x.scales[token * blocks() + b];
      const float term = static_cast<float>(integer_sum(row, token, b)) * scale;
      sum = sum + term;
    }
    return sum;
  }

  [[nodiscard]] float expected(std::size_t row, std::size_t token) {
    const float even = partial_sum(row, token, 0) + partial_sum(row, token, 1);
    const float odd = partial_sum(row, token, 2) + partial_sum(row, token, 3);
    return even + odd;
  }
};

class MatmulQ8_0 : public EveryImplementation {
 protected:
  // Every result has the documented bits, and what lies between the rows of results is left alone.
  static void expect_documented_order(Case& c, std::size_t gap) {
    const std::size_t stride = c.rows + gap;
    std::vector<float> expected(c.tokens == 0 ? 0 : (c.tokens - 1) * stride + c.rows, kUntouched);
    for (std::size_t t = 0; t < c.tokens; ++t) {
      for (std::size_t r = 0; r < c.rows; ++r) expected[t * stride + r] = c.expected(r, t);
    }
    std::vector<float> got(expected.size(), kUntouched);
    kernels().matmul_q8_0(c.view(), c.x, got.data(), stride);
    EXPECT_TRUE(same_bits(got, expected)) << c.rows << " rows, " << c.columns << " columns, " << c.tokens << " tokens";
  }
};

TEST_P(MatmulQ8_0, AnyCountOfRowsAndTokens) {
  for (std::size_t rows = 0; rows <= 9; ++rows) {
    for (std::size_t tokens = 0; tokens <= 9; ++tokens) {
      for (const std::size_t columns : {32U, 64U, 96U, 128U, 160U}) {
        Case c(rows, columns, tokens, (rows + tokens) % 4, {}, static_cast<std::uint32_t>(rows * 16 + tokens));
        expect_documented_order(c, tokens % 3);
      }
    }
  }
}

TEST_P(MatmulQ8_0, WideRows) {
  for (const std::size_t columns : {192U, 224U, 256U, 288U, 768U, 1600U, 3072U}) {
    for (const std::size_t tokens : {1U, 2U, 3U, 4U, 7U}) {
      Case c(5, columns, tokens, 1, {}, static_cast<std::uint32_t>(columns));
      expect_documented_order(c, 0);
    }
  }
}

TEST_P(MatmulQ8_0, ManyRows) {
  for (const std::size_t rows : {31U, 32U, 33U, 64U, 100U}) {
    Case c(rows, 96, 6, 0, {}, static_cast<std::uint32_t>(rows));
    expect_documented_order(c, 5);
  }
}

TEST_P(MatmulQ8_0, AnyAlignment) {
  for (std::size_t misalignment = 0; misalignment < 16; ++misalignment) {
    Case c(3, 224, 5, misalignment, {}, 7);
    expect_documented_order(c, 1);
  }
}

TEST_P(MatmulQ8_0, ExtremeInputs) {
  const Kind kinds[] = {
      {{0x7bff}, {127}, {127}},                            // The largest sums and scales.
      {{0x7bff}, {-128}, {127}},                           //
      {{0x7bff}, {-128}, {-127}},                          //
      {{0x0000}, {}, {}},                                  // Zero scales.
      {{0x8000}, {}, {}},                                  // Negative zero scales.
      {{0x0000, 0x8000}, {-1, 0, 1}, {-1, 0, 1}},          //
      {{0x0001, 0x8001, 0x03ff, 0x0400, 0x83ff}, {}, {}},  // Subnormal scales and the first normal one.
      {{0x0001}, {1, 0}, {1, 0, -1}},                      // The smallest terms.
      {{0x3c00, 0xbc00}, {127, -127}, {127, -127}},        // Terms that cancel.
      {{}, {0}, {}},                                       // Sums of zero.
  };
  std::uint32_t seed = 0;
  for (const Kind& kind : kinds) {
    for (const std::size_t columns : {32U, 96U, 128U, 192U, 768U}) {
      for (const std::size_t tokens : {1U, 3U, 5U}) {
        Case c(3, columns, tokens, 2, kind, ++seed);
        expect_documented_order(c, 1);
      }
    }
  }
}

// One activation is left at 1, so the product reads a weight's value: every fp16 scale must come out exactly.
TEST_P(MatmulQ8_0, EveryFiniteScaleIsExact) {
  constexpr std::size_t kHalves = 0x7c00;
  Case c(2 * kHalves, 32, 1, 0, {{0x3c00}, {0}, {0}}, 0);
  c.x.codes[31] = 1;
  std::vector<float> expected(c.rows);
  for (std::size_t r = 0; r < c.rows; ++r) {
    const auto half = static_cast<std::uint16_t>(r < kHalves ? r : 0x8000 + r - kHalves);
    c.matrix.put(c.block_offset(r, 0), half);
    c.matrix.put(c.block_offset(r, 0) + 2 + 31, std::int8_t{1});
    expected[r] = value_of_half(half) + 0.0F;
  }
  std::vector<float> got(c.rows);
  kernels().matmul_q8_0(c.view(), c.x, got.data(), c.rows);
  EXPECT_TRUE(same_bits(got, expected));
}

// The longest chain of roundings is a partial sum's, then two more for the result and one for the term itself.
TEST_P(MatmulQ8_0, AgreesWithFloat64) {
  for (const std::size_t columns : {32U, 160U, 768U, 3072U}) {
    Case c(6, columns, 3, 1, {}, static_cast<std::uint32_t>(columns) + 1);
    std::vector<float> got(c.tokens * c.rows);
    kernels().matmul_q8_0(c.view(), c.x, got.data(), c.rows);
    std::vector<float> weights(columns);
    for (std::size_t r = 0; r < c.rows; ++r) {
      const std::span<const std::byte> row{c.matrix.data() + c.block_offset(r, 0), c.blocks() * quant::kQ8_0BlockBytes};
      quant::dequantize_row(gguf::TensorType::kQ8_0, row, weights);
      for (std::size_t t = 0; t < c.tokens; ++t) {
        double sum = 0;
        double magnitude = 0;
        for (std::size_t b = 0; b < c.blocks(); ++b) {
          double term = 0;
          for (std::size_t i = b * quant::kBlockSize; i < (b + 1) * quant::kBlockSize; ++i) {
            term += static_cast<double>(weights[i]) * c.x.codes[t * columns + i] * c.x.scales[t * c.blocks() + b];
          }
          sum += term;
          magnitude += std::abs(term);
        }
        const double roundings = static_cast<double>((c.blocks() + 3) / 4 + 3);
        EXPECT_NEAR(got[t * c.rows + r], sum, roundings * 0x1.001p-24 * magnitude) << columns << " columns";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MatmulQ8_0, ::testing::ValuesIn(all().begin(), all().end()), MatmulQ8_0::name_of);

}  // namespace
}  // namespace headflow::kernels
