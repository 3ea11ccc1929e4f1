// Whether a file is GGUF at all, and what it looks like where it is not.
#pragma once

#include <cstddef>
#include <span>

namespace headflow::gguf {

inline constexpr std::size_t kMagicBytes = 24;

// `start`: the file's first bytes, of which kMagicBytes at most are looked at: with so many every kind of file known
// here is recognised, and the answer is the same however the file was cut.
// Throws kBadMagic, with what to do, where no GGUF file begins so.
void require_gguf(std::span<const std::byte> start);

}  // namespace headflow::gguf
