// What the benchmarks compute: a Q8_0 matrix and rounded activation rows of random numbers, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/kernels.h"

namespace headflow::bench {

// A product [tokens, columns] x [columns, rows].
struct Shape {
  const char* name;
  std::size_t rows;
  std::size_t columns;
  std::size_t tokens;

  [[nodiscard]] double multiplications() const {
    return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(tokens);
  }
};

// W_QKV of GPT-2 small fits in a second-level cache. 126 MB is what its blocks and output matrix come to: read once
// through, every byte comes from memory.
inline constexpr Shape kShapes[] = {
    {"768x2304, 1 token", 2304, 768, 1},
    {"768x2304, 2 tokens", 2304, 768, 2},
    {"768x2304, 3 tokens", 2304, 768, 3},
    {"768x2304, 4 tokens", 2304, 768, 4},
    {"768x2304, 16 tokens", 2304, 768, 16},
    {"3072x768, 1 token", 768, 3072, 1},
    {"126 MB once through, 1 token", 154412, 768, 1},
    {"126 MB once through, 4 tokens", 154412, 768, 4},
};

class Workload {
 public:
  explicit Workload(const Shape& shape) : shape_(shape) {
    const std::size_t blocks = shape.rows * shape.columns / quant::kBlockSize;
    matrix_.resize(blocks * quant::kQ8_0BlockBytes);
    std::minstd_rand random;
    for (std::byte& code : matrix_) code = static_cast<std::byte>(random() >> 8);
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::uint16_t scale = quant::f32_to_f16(0.001F * static_cast<float>(1 + random() % 7));
      std::memcpy(matrix_.data() + b * quant::kQ8_0BlockBytes, &scale, sizeof scale);
    }
    std::vector<float> x(shape.tokens * shape.columns);
    for (float& value : x) value = static_cast<float>(random() % 2001) * 0.001F - 1;
    quant::quantize_activations(x, shape.tokens, shape.columns, rows_);
    out_.resize(shape.tokens * shape.rows);
  }

  void run(const kernels::Kernels& kernels) {
    const kernels::MatrixView view{gguf::TensorType::kQ8_0, matrix_.data(), shape_.rows, shape_.columns};
    kernels.matmul_q8_0(view, rows_, out_.data(), shape_.rows);
  }

  [[nodiscard]] const std::vector<float>& out() const { return out_; }

 private:
  Shape shape_;
  std::vector<std::byte> matrix_;
  quant::QuantizedRows rows_;
  std::vector<float> out_;
};

}  // namespace headflow::bench
