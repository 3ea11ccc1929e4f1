#include "gguf/header_reader.h"

#include <bit>
#include <exception>
#include <set>
#include <string>
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
void add_unique(std::set<std::string>& seen, const std::string& name, const std::string& kind, std::uint64_t offset) {
  if (seen.insert(name).second) return;
  throw Error(ErrorCode::kMalformed,
              {at(kind + printable(name), offset), "the same name twice", "distinct names", "The file is damaged"});
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
  std::set<std::string> keys;
  std::set<std::string> names;
  bool complete = false;
  std::exception_ptr failure;  // What was thrown; no more is read after it.

  [[nodiscard]] bool all_parsed() const {
    return preamble && !value && header.metadata.size() == preamble->metadata_count &&
           header.tensors.size() == preamble->tensor_count;
  }

  // Parses the next part; false where bytes are still to come.
  bool parse_next(Cursor& cursor) {
    if (!preamble) return parse_counts(cursor);
    if (value) return parse_value(*value, cursor);
    if (header.metadata.size() < preamble->metadata_count) return parse_key(cursor);
    return parse_tensor_info(cursor);
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

  void parse() {
    Cursor cursor(pending, position - pending.size(), file_size);
    while (!all_parsed()) {
      if (!parse_next(cursor)) {
        wanted = cursor.wanted();
        pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(cursor.kept()));
        return;
      }
    }
    place_tensors(header, cursor.offset(), file_size);
    complete = true;
    pending = {};
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
