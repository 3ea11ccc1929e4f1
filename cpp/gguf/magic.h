// Whether a file is GGUF at all, and what it looks like where it is not.
#pragma once

#include <cstddef>
#include <span>

namespace headflow::gguf {

// `start`: the file's first bytes; with 24 of them every kind of file known here is recognised.
// Throws kBadMagic, with what to do, where no GGUF file begins so.
void require_gguf(std::span<const std::byte> start);

}  // namespace headflow::gguf
