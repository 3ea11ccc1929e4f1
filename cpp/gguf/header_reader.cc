#include "gguf/header_reader.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "gguf/cursor.h"
#include "gguf/magic.h"
#include "gguf/parse.h"
#include "gguf/printable.h"
#include "gguf/tensor_data.h"
#include "gguf/value_parser.h"

namespace headflow::gguf {
namespace {

constexpr std::string_view kAlignmentKey = "general.alignment";
constexpr std::uint64_t kSmallestAlignment = 8;
constexpr std::uint64_t kLargestAlignment = std::uint64_t{1} << 20;

// Notes a key or name; throws where it was there already.
void add_unique(std::unordered_set<std::string>& seen, const std::string& name, const std::string& kind,
                std::uint64_t offset) {
  if (seen.insert(name).second) return;
  throw Error(ErrorCode::kMalformed,
              {at(kind + printable(name), offset), "the same name twice", "distinct names", "The file is damaged"});
}

void require_zeros(std::span<const std::byte> padding, std::uint64_t offset) {
  const auto found = std::ranges::find_if(padding, [](std::byte byte) { return byte != std::byte{0}; });
  if (found == padding.end()) return;
  throw Error(ErrorCode::kMalformed,
              {at("padding between directory and data", offset + static_cast<std::uint64_t>(found - padding.begin())),
               "a byte of " + std::to_string(std::to_integer<unsigned>(*found)), "0",
               "The header's count of tensors is too low, or the file is damaged: fetch it again"});
}

std::uint64_t read_alignment(const Header& header) {
  const std::uint64_t alignment = header.unsigned_integer(kAlignmentKey);
  if (std::has_single_bit(alignment) && alignment >= kSmallestAlignment && alignment <= kLargestAlignment) {
    return alignment;
  }
  throw Error(ErrorCode::kMalformed,
              {at("metadata general.alignment", header.metadata.back().offset), std::to_string(alignment),
               "a power of two from " + std::to_string(kSmallestAlignment) + " to " + std::to_string(kLargestAlignment),
               "The file is damaged"});
}

}  // namespace

struct HeaderReader::State {
  std::optional<std::uint64_t> file_size;
  std::uint64_t position = 0;           // File bytes taken.
  std::vector<std::byte> pending;       // The last of them, not parsed yet.
  std::size_t wanted = kPreambleBytes;  // `pending` must have this many before parsing goes on.
  std::optional<Preamble> preamble;
  std::optional<ValueParser> value;  // Of the last metadata entry, while it is not whole.
  Header header;
  std::unordered_set<std::string> keys;
  std::unordered_set<std::string> names;
  std::optional<std::uint64_t> directory_end;  // Once the directory was read, and the tensors have their places.
  bool complete = false;
  std::exception_ptr failure;  // What was thrown; no more is read after it.

  // Parses the next part; false where bytes are still to come.
  bool parse_next(Cursor& cursor) {
    if (!preamble) return parse_counts(cursor);
    if (value) return parse_value(*value, cursor);
    if (header.metadata.size() < preamble->metadata_count) return parse_key(cursor);
    if (header.tensors.size() < preamble->tensor_count) return parse_tensor_info(cursor);
    return parse_padding(cursor);
  }

  bool parse_counts(Cursor& cursor) {
    preamble = parse_preamble(cursor);
    if (!preamble) return false;
    header.version = preamble->version;
    return true;
  }

  bool parse_key(Cursor& cursor) {
    const std::uint64_t offset = cursor.offset();
    std::optional<EntryHead> head = parse_entry_head(cursor);
    if (!head) return false;
    add_unique(keys, head->key, "metadata ", offset);
    value.emplace(head->type, "metadata " + printable(head->key));
    header.metadata.push_back({.key = std::move(head->key), .value = {}, .offset = offset});
    return true;
  }

  bool parse_value(ValueParser& parser, Cursor& cursor) {
    if (!parser.parse(cursor)) return false;
    MetadataEntry& entry = header.metadata.back();
    entry.value = parser.take();
    value.reset();
    if (entry.key == kAlignmentKey) header.alignment = read_alignment(header);
    return true;
  }

  bool parse_tensor_info(Cursor& cursor) {
    const std::uint64_t offset = cursor.offset();
    std::optional<TensorInfo> tensor = parse_tensor(cursor, header.alignment);
    if (!tensor) return false;
    add_unique(names, tensor->name, "tensor ", offset);
    header.tensors.push_back(std::move(*tensor));
    return true;
  }

  // A count of tensors that is too low would make padding of an entry, and shift every weight behind it.
  bool parse_padding(Cursor& cursor) {
    if (!directory_end) {
      directory_end = cursor.offset();
      place_tensors(header, *directory_end, file_size);
    }
    // Without tensors nothing need follow.
    const std::uint64_t end = !header.tensors.empty() ? header.data_offset
                              : file_size             ? std::min(*file_size, header.data_offset)
                                                      : *directory_end;
    const auto size = static_cast<std::size_t>(end - *directory_end);
    if (!cursor.has(size, "padding before the tensors' data")) return false;
    require_zeros(cursor.take_bytes(size), *directory_end);
    complete = true;
    return true;
  }

  void parse() {
    Cursor cursor(pending, position - pending.size(), file_size);
    while (!complete) {
      if (!parse_next(cursor)) {
        wanted = cursor.wanted();
        pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(cursor.kept()));
        return;
      }
    }
    pending = {};
    keys = {};
    names = {};
  }
};

HeaderReader::HeaderReader(std::optional<std::uint64_t> file_size) : state_(std::make_unique<State>()) {
  state_->file_size = file_size;
}
HeaderReader::~HeaderReader() = default;
HeaderReader::HeaderReader(HeaderReader&&) noexcept = default;
HeaderReader& HeaderReader::operator=(HeaderReader&&) noexcept = default;

void HeaderReader::push(std::span<const std::byte> piece) {
  State& state = *state_;
  if (state.failure) std::rethrow_exception(state.failure);
  if (state.complete) return;
  try {
    state.pending.insert(state.pending.end(), piece.begin(), piece.end());
    state.position += piece.size();
    if (state.pending.size() >= state.wanted) state.parse();
  } catch (...) {
    state.failure = std::current_exception();
    throw;
  }
}

void HeaderReader::finish() const {
  if (state_->failure) std::rethrow_exception(state_->failure);
  if (state_->complete) return;
  if (!state_->preamble) require_gguf(state_->pending);
  const std::string got = position() == 0 ? "an empty file" : "the end of the file";
  throw Error(ErrorCode::kTruncated,
              {at("GGUF header", position()), got, "at least " + std::to_string(needed()) + " more bytes",
               "The file is cut short: fetch it again"});
}

std::uint64_t HeaderReader::needed() const {
  return state_->complete ? 0 : state_->wanted - state_->pending.size();
}

std::uint64_t HeaderReader::position() const {
  return state_->position;
}

const Header* HeaderReader::header() const {
  return state_->complete ? &state_->header : nullptr;
}

Header HeaderReader::take() {
  finish();
  return std::move(state_->header);
}

}  // namespace headflow::gguf
