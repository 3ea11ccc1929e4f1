// Cuts a GGUF file into pieces and hashes it, in one pass. No I/O of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gguf/header.h"
#include "shard/manifest.h"

namespace headflow::shard {

// Pieces of `piece_size` bytes, the last one smaller, for a file of `size` bytes: NAME-00001-of-00007.part and so on.
// Without hashes yet. Throws Error (bad_argument) where there would be more than 99,999, or none.
[[nodiscard]] std::vector<Part> plan_pieces(const std::string& name, std::uint64_t size, std::uint64_t piece_size);

// Fills `out` with the file's bytes from `offset` on.
using ReadAt = std::function<void(std::uint64_t offset, std::span<std::byte> out)>;
// Takes the next bytes of a piece; `last` where they are its last ones.
using PieceSink = std::function<void(const Part& piece, std::span<const std::byte> bytes, bool last)>;

// Reads the file of this header once, about a megabyte at a time, and hands its bytes out by piece.
// `pieces`: as planned, one after another the file. Throws Error (unsupported_type) for a tensor whose size is unknown.
[[nodiscard]] Manifest split(const gguf::Header& header, const std::string& name, std::vector<Part> pieces,
                             const ReadAt& read, const PieceSink& write);

}  // namespace headflow::shard
