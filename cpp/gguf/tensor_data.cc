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

void require_apart(const std::vector<TensorInfo>& tensors) {
  std::vector<const TensorInfo*> order;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.size != 0) order.push_back(&tensor);
  }
  std::ranges::sort(order, {}, &TensorInfo::offset);
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
  require_apart(header.tensors);
}

}  // namespace headflow::gguf
