#include "gguf/header_reader.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "gguf/cursor.h"
#include "gguf/parse.h"

namespace headflow::gguf {
namespace {

// Where a file's size is not known: no header is larger, so no length in one may be.
constexpr std::uint64_t kLargestHeader = std::uint64_t{1} << 30;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kLargestAlignment = std::uint64_t{1} << 16;

std::uint64_t alignment_of(const Header& header) {
  constexpr std::string_view kKey = "general.alignment";
  if (header.find(kKey) == nullptr) return kDefaultAlignment;
  const std::uint64_t alignment = header.unsigned_integer(kKey);
  if (alignment < 8 || alignment > kLargestAlignment || (alignment & (alignment - 1)) != 0) {
    throw Error(ErrorCode::kMalformed, {"metadata general.alignment", std::to_string(alignment),
                                        "a power of two from 8 to " + std::to_string(kLargestAlignment)});
  }
  return alignment;
}

// Turns offsets into file offsets, and checks that the tensors lie in the file, aligned and apart.
void place_tensors(Header& header, std::uint64_t header_end, std::optional<std::uint64_t> file_size) {
  header.alignment = alignment_of(header);
  header.data_offset = (header_end + header.alignment - 1) / header.alignment * header.alignment;
  header.end_offset = header.data_offset;
  for (TensorInfo& tensor : header.tensors) {
    const std::string where = "tensor " + tensor.name;
    if (tensor.offset % header.alignment != 0 || tensor.offset > (std::uint64_t{1} << 62)) {
      throw Error(ErrorCode::kMalformed, {where, "data at offset " + std::to_string(tensor.offset),
                                          "a multiple of the alignment " + std::to_string(header.alignment), "The file is damaged"});
    }
    tensor.offset += header.data_offset;
    header.end_offset = std::max(header.end_offset, tensor.bytes().end);
    if (file_size && tensor.bytes().end > *file_size) {
      throw Error(ErrorCode::kTruncated, {where, "a file of " + std::to_string(*file_size) + " bytes",
                                          std::to_string(tensor.bytes().end) + " bytes or more",
                                          "The file was cut short: fetch it again"});
    }
  }
  std::vector<const TensorInfo*> order;
  for (const TensorInfo& tensor : header.tensors) order.push_back(&tensor);
  std::ranges::sort(order, {}, &TensorInfo::offset);
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i]->offset < order[i - 1]->bytes().end) {
      throw Error(ErrorCode::kMalformed, {"tensor " + order[i]->name, "data at byte " + std::to_string(order[i]->offset),
                                          "none before byte " + std::to_string(order[i - 1]->bytes().end) + ", where tensor " +
                                              order[i - 1]->name + " ends",
                                          "The file is damaged"});
    }
  }
}

}  // namespace

struct HeaderReader::State {
  std::optional<std::uint64_t> file_size;
  std::vector<std::byte> pending;  // Taken but not parsed yet.
  std::uint64_t parsed = 0;        // File bytes parsed.
  std::size_t wanted = 1;          // `pending` must have this many bytes before parsing goes on.
  std::optional<Preamble> preamble;
  Header header;
  std::unordered_set<std::string> keys;
  std::unordered_set<std::string> names;
  bool complete = false;

  // Adds a key or name; throws where it was there already.
  static void add_unique(std::unordered_set<std::string>& seen, const std::string& text, const std::string& where) {
    if (seen.insert(text).second) return;
    throw Error(ErrorCode::kMalformed, {where, "the same name twice", "distinct names", "The file is damaged"});
  }

  // Parses the next part; false where bytes are still to come.
  bool parse_next(Cursor& cursor) {
    if (!preamble) {
      preamble = parse_preamble(cursor);
      if (!preamble) return false;
      header.version = preamble->version;
    } else if (header.metadata.size() < preamble->metadata_count) {
      std::optional<MetadataEntry> entry = parse_metadata(cursor);
      if (!entry) return false;
      add_unique(keys, entry->key, "metadata " + entry->key + ", at byte " + std::to_string(entry->offset));
      header.metadata.push_back(std::move(*entry));
    } else {
      const std::uint64_t offset = cursor.offset();
      std::optional<TensorInfo> tensor = parse_tensor(cursor);
      if (!tensor) return false;
      add_unique(names, tensor->name, "tensor " + tensor->name + ", at byte " + std::to_string(offset));
      header.tensors.push_back(std::move(*tensor));
    }
    return true;
  }

  [[nodiscard]] bool all_parsed() const {
    return preamble && header.metadata.size() == preamble->metadata_count && header.tensors.size() == preamble->tensor_count;
  }

  void parse() {
    std::size_t used = 0;
    while (!all_parsed()) {
      const std::span<const std::byte> rest = std::span(pending).subspan(used);
      Cursor cursor(rest, parsed, file_size.value_or(kLargestHeader));
      if (!parse_next(cursor)) {
        pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(used));
        wanted = cursor.wanted();
        return;
      }
      used += cursor.taken();
      parsed += cursor.taken();
    }
    pending.clear();
    place_tensors(header, parsed, file_size);
    complete = true;
  }
};

HeaderReader::HeaderReader(std::optional<std::uint64_t> file_size) : state_(std::make_unique<State>()) {
  state_->file_size = file_size;
}
HeaderReader::~HeaderReader() = default;
HeaderReader::HeaderReader(HeaderReader&&) noexcept = default;
HeaderReader& HeaderReader::operator=(HeaderReader&&) noexcept = default;

void HeaderReader::push(std::span<const std::byte> piece) {
  if (state_->complete) return;
  state_->pending.insert(state_->pending.end(), piece.begin(), piece.end());
  if (state_->pending.size() >= state_->wanted) state_->parse();
}

void HeaderReader::finish() const {
  if (state_->complete) return;
  throw Error(ErrorCode::kTruncated,
              {"GGUF header, at byte " + std::to_string(position()), position() == 0 ? "an empty file" : "the end of the file",
               "at least " + std::to_string(needed()) + " more bytes", "The file was cut short: fetch it again"});
}

std::uint64_t HeaderReader::needed() const {
  return state_->complete ? 0 : std::max<std::size_t>(state_->wanted, state_->pending.size() + 1) - state_->pending.size();
}

std::uint64_t HeaderReader::position() const { return state_->parsed + state_->pending.size(); }

const Header* HeaderReader::header() const { return state_->complete ? &state_->header : nullptr; }

Header HeaderReader::take() { return std::move(state_->header); }

}  // namespace headflow::gguf
