// Turns the F32 and F16 matrices of a GGUF file into Q8_0, as ggml's reference rounds. No I/O of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "gguf/header.h"
#include "gguf/writer.h"

namespace headflow::quant {

// Whether a tensor becomes Q8_0: an F32 or F16 matrix with rows of whole blocks, unless it holds the positions.
// Vectors (norms and biases) stay as they are.
[[nodiscard]] bool becomes_q8_0(const gguf::TensorInfo& tensor);

// The header of the new file, laid out: general.file_type says "mostly Q8_0", everything else is as it was.
// Throws Error (unsupported_type) for a tensor of a type whose size is unknown.
[[nodiscard]] gguf::Header quantized_header(const gguf::Header& header);

// Fills `out` with the old file's bytes from `offset` on.
using ReadAt = std::function<void(std::uint64_t offset, std::span<std::byte> out)>;

// Writes the new file, in pieces of about a megabyte. `to`: quantized_header(from).
// Throws Error (bad_weights) at a value that is not finite, or too large for a Q8_0 block.
void quantize_file(const gguf::Header& from, const gguf::Header& to, const ReadAt& read, const gguf::Sink& write);

}  // namespace headflow::quant
