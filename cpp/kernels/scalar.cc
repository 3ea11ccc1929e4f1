// The kernels in plain C++: the documented order written down, and the reference for every other implementation.
#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/kernels.h"

namespace headflow::kernels {
namespace {

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

float dot_q8_0(const std::byte* row, const std::int16_t* codes, const float* scales, std::size_t blocks) {
  std::array<float, 4> sums{};
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::byte* block = row + b * quant::kQ8_0BlockBytes;
    std::array<std::int8_t, quant::kBlockSize> weights;
    std::memcpy(weights.data(), block + sizeof(std::uint16_t), weights.size());
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < quant::kBlockSize; ++i) sum += weights[i] * codes[b * quant::kBlockSize + i];
    const float scale = quant::f16_to_f32(load<std::uint16_t>(block)) * scales[b];
    sums[b % 4] += static_cast<float>(sum) * scale;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void matmul_q8_0(const MatrixView& w, const quant::QuantizedRows& x, float* out, std::size_t out_stride) {
  const std::size_t blocks = w.columns / quant::kBlockSize;
  for (std::size_t r = 0; r < w.rows; ++r) {
    const std::byte* row = w.data + r * blocks * quant::kQ8_0BlockBytes;
    for (std::size_t t = 0; t < x.rows; ++t) {
      out[t * out_stride + r] = dot_q8_0(row, x.codes.data() + t * x.columns, x.scales.data() + t * blocks, blocks);
    }
  }
}

// `a_at(i)` gives a_i.
template <typename At>
float dot_of(const At& a_at, const float* b, std::size_t n) {
  std::array<float, 16> p{};
  for (std::size_t i = 0; i < n; ++i) p[i % 16] += a_at(i) * b[i];
  std::array<float, 4> q;
  for (std::size_t j = 0; j < q.size(); ++j) q[j] = (p[j] + p[j + 4]) + (p[j + 8] + p[j + 12]);
  return (q[0] + q[1]) + (q[2] + q[3]);
}

void matmul_float(const MatrixView& w, const float* x, std::size_t tokens, float* out, std::size_t out_stride) {
  const bool half = w.type == gguf::TensorType::kF16;
  const std::size_t row_bytes = w.columns * (half ? sizeof(std::uint16_t) : sizeof(float));
  for (std::size_t r = 0; r < w.rows; ++r) {
    const std::byte* row = w.data + r * row_bytes;
    const auto f16_at = [row](std::size_t i) {
      return quant::f16_to_f32(load<std::uint16_t>(row + i * 2));
    };
    const auto f32_at = [row](std::size_t i) {
      return load<float>(row + i * 4);
    };
    for (std::size_t t = 0; t < tokens; ++t) {
      const float* token = x + t * w.columns;
      out[t * out_stride + r] = half ? dot_of(f16_at, token, w.columns) : dot_of(f32_at, token, w.columns);
    }
  }
}

float dot(const float* a, const float* b, std::size_t n) {
  return dot_of([a](std::size_t i) { return a[i]; }, b, n);
}

void add_scaled(float a, const float* x, float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

constexpr Kernels kScalar = {"scalar", matmul_q8_0, matmul_float, dot, add_scaled};

}  // namespace

const Kernels& scalar() noexcept {
  return kScalar;
}

}  // namespace headflow::kernels
