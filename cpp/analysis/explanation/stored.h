// Elements of a tensor of the file, as they are stored there: code times scale where it is Q8_0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/pooling/region.h"
#include "gpt2/weights.h"

namespace headflow::analysis {

struct StoredElements {
  std::vector<float> values;
  // Q8_0 only, one per element: values[i] = scales[i] * codes[i], exactly.
  std::vector<std::int16_t> codes;
  std::vector<float> scales;
};

// Elements `columns` of one stored row. Throws Error (not_loaded) where the row is not present.
[[nodiscard]] StoredElements read_stored(const gpt2::TensorStore& store, std::size_t row, Interval columns);

// Where an element lies in the file, and for Q8_0 also its block's scale.
struct StoredPlace {
  std::uint64_t offset = 0;
  std::uint64_t scale_offset = 0;  // As `offset` where there is no scale.
};
[[nodiscard]] StoredPlace place_of(const gpt2::TensorStore& store, std::size_t row, std::size_t column);

// Elements of an activation row as a product with a matrix of this type uses them; the whole row is rounded.
[[nodiscard]] StoredElements round_activations(gguf::TensorType type, std::span<const float> row, Interval columns);

}  // namespace headflow::analysis
