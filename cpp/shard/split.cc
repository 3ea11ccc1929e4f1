#include "shard/split.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "gguf/printable.h"
#include "shard/sha256.h"

namespace headflow::shard {
namespace {

constexpr std::uint64_t kMostPieces = 99'999;  // As many as five digits count.
constexpr std::uint64_t kReadBytes = std::uint64_t{1} << 20;

std::string five_digits(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(5 - std::min<std::size_t>(5, digits.size()), '0') + digits;
}

// Hashes parts that lie one after another, with other bytes between them or not, as all bytes of the file go by.
class Hasher {
 public:
  struct Place {
    std::uint64_t begin = 0;
    Part* part = nullptr;
  };

  explicit Hasher(std::vector<Place> places) : places_(std::move(places)) {
    std::ranges::stable_sort(places_, {}, &Place::begin);
    finish_whole(0);
  }

  // The next byte at which a part begins or ends; `limit` if that comes before.
  [[nodiscard]] std::uint64_t border(std::uint64_t at, std::uint64_t limit) const {
    if (next_ == places_.size()) return limit;
    const Place& place = places_[next_];
    return std::min(limit, at < place.begin ? place.begin : place.begin + place.part->size);
  }

  // Bytes from `at` on that reach across no border.
  void update(std::uint64_t at, std::span<const std::byte> bytes) {
    if (next_ == places_.size() || at < places_[next_].begin) return;
    hash_.update(bytes);
    finish_whole(at + bytes.size());
  }

 private:
  // Ends the parts that end at `end`: those that are empty too.
  void finish_whole(std::uint64_t end) {
    for (; next_ < places_.size() && places_[next_].begin + places_[next_].part->size <= end; ++next_) {
      places_[next_].part->sha256 = std::exchange(hash_, Sha256()).finish();
    }
  }

  std::vector<Place> places_;
  std::size_t next_ = 0;
  Sha256 hash_;
};

std::vector<Hasher::Place> consecutive(std::vector<Part>& parts) {
  std::vector<Hasher::Place> places;
  std::uint64_t begin = 0;
  for (Part& part : parts) {
    places.push_back({begin, &part});
    begin += part.size;
  }
  return places;
}

// The header and the tensors, which share no byte.
std::vector<Hasher::Place> contents(const gguf::Header& header, Manifest& manifest) {
  std::vector<Hasher::Place> places = {{0, &manifest.header}};
  for (std::size_t i = 0; i < header.tensors.size(); ++i) {
    places.push_back({header.tensors[i].offset, &manifest.tensors[i]});
  }
  return places;
}

std::vector<Part> tensor_parts(const gguf::Header& header) {
  std::vector<Part> parts;
  for (const gguf::TensorInfo& tensor : header.tensors) {
    if (tensor.size == 0) {
      throw Error(ErrorCode::kUnsupportedType, {"tensor " + gguf::printable(tensor.name),
                                                "type " + gguf::type_name(tensor.type), "a type of known size"});
    }
    parts.push_back({tensor.name, tensor.size, {}});
  }
  return parts;
}

}  // namespace

std::vector<Part> plan_pieces(const std::string& name, std::uint64_t size, std::uint64_t piece_size) {
  const std::uint64_t count = piece_size == 0 ? 0 : size / piece_size + (size % piece_size != 0 ? 1 : 0);
  if (count == 0 || count > kMostPieces) {
    throw Error(ErrorCode::kBadArgument,
                {"pieces of " + std::to_string(piece_size) + " bytes", std::to_string(count) + " pieces",
                 "1 to " + std::to_string(kMostPieces), "Give another size"});
  }
  std::vector<Part> pieces;
  for (std::uint64_t i = 0; i < count; ++i) {
    pieces.push_back({name + "-" + five_digits(i + 1) + "-of-" + five_digits(count) + ".part",
                      std::min(piece_size, size - i * piece_size),
                      {}});
  }
  return pieces;
}

Manifest split(const gguf::Header& header, const std::string& name, std::vector<Part> pieces, const ReadAt& read,
               const PieceSink& write) {
  std::uint64_t size = 0;
  for (const Part& piece : pieces) size += piece.size;
  Manifest manifest{.file = {name, size, {}},
                    .header = {{}, std::min(size, header.data_offset), {}},
                    .pieces = std::move(pieces),
                    .tensors = tensor_parts(header)};
  Sha256 whole;
  Hasher piece_hasher(consecutive(manifest.pieces));
  Hasher content_hasher(contents(header, manifest));
  std::vector<std::byte> buffer;
  std::uint64_t at = 0;
  for (const Part& piece : manifest.pieces) {
    for (const std::uint64_t end = at + piece.size; at < end; at += buffer.size()) {
      buffer.resize(static_cast<std::size_t>(content_hasher.border(at, std::min(end, at + kReadBytes)) - at));
      read(at, buffer);
      whole.update(buffer);
      piece_hasher.update(at, buffer);
      content_hasher.update(at, buffer);
      write(piece, buffer, at + buffer.size() == end);
    }
  }
  manifest.file.sha256 = whole.finish();
  return manifest;
}

}  // namespace headflow::shard
