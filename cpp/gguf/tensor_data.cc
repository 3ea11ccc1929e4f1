#include "gguf/tensor_data.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "gguf/printable.h"

namespace headflow::gguf {
namespace {

std::string where(const TensorInfo& tensor) {
  return at("data of tensor " + printable(tensor.name), tensor.offset);
}

void require_in_file(const TensorInfo& tensor, std::uint64_t file_size) {
  const std::uint64_t end = tensor.bytes().end;
  if (end <= file_size) return;
  throw Error(ErrorCode::kTruncated,
              {where(tensor), "a file of " + std::to_string(file_size) + " bytes", "at least " + std::to_string(end),
               "The file is cut short or damaged: fetch it again"});
}

[[noreturn]] void refuse_gap(ByteRange gap, const Header& header) {
  throw Error(ErrorCode::kMalformed,
              {at("data", gap.begin), std::to_string(gap.size()) + " bytes that no tensor has",
               "at most the alignment, " + std::to_string(header.alignment),
               "The directory does not name all that the file holds: it is damaged, fetch it again"});
}

// The tensors of known size, by place.
std::vector<const TensorInfo*> placed(const std::vector<TensorInfo>& tensors) {
  std::vector<const TensorInfo*> order;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.size != 0) order.push_back(&tensor);
  }
  std::ranges::sort(order, {}, &TensorInfo::offset);
  return order;
}

// Where a tensor of unknown size lies, nobody knows what belongs to it: then only overlaps can be seen.
void require_no_gaps(const Header& header, const std::vector<const TensorInfo*>& order,
                     std::optional<std::uint64_t> file_size) {
  if (order.size() < header.tensors.size()) return;
  std::uint64_t end = header.data_offset;
  for (const TensorInfo* const tensor : order) {
    if (tensor->offset - end > header.alignment) refuse_gap({end, tensor->offset}, header);
    end = tensor->bytes().end;
  }
  if (file_size && *file_size > end && *file_size - end > header.alignment) refuse_gap({end, *file_size}, header);
}

void require_apart(const std::vector<const TensorInfo*>& order) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    const TensorInfo& before = *order[i - 1];
    if (order[i]->offset >= before.bytes().end) continue;
    throw Error(ErrorCode::kMalformed,
                {where(*order[i]), "bytes that tensor " + printable(before.name) + " has too",
                 "none before byte " + std::to_string(before.bytes().end), "The file is damaged"});
  }
}

}  // namespace

void place_tensors(Header& header, std::uint64_t header_end, std::optional<std::uint64_t> file_size) {
  header.data_offset = (header_end + header.alignment - 1) / header.alignment * header.alignment;
  header.end_offset = header_end;
  for (TensorInfo& tensor : header.tensors) {
    tensor.offset += header.data_offset;
    header.end_offset = std::max(header.end_offset, tensor.bytes().end);
    if (file_size) require_in_file(tensor, *file_size);
  }
  const std::vector<const TensorInfo*> order = placed(header.tensors);
  require_apart(order);
  require_no_gaps(header, order, file_size);
}

}  // namespace headflow::gguf
