// `headflow quantize`: a GGUF file's F32 and F16 matrices as Q8_0, in a new file.

#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/new_file.h"
#include "quant/quantize_file.h"

namespace headflow::cli {

void quantize(const QuantizeOptions& options, std::ostream& out) {
  const gguf::Header from = read_header(options.model);
  const gguf::Header to = quant::quantized_header(from);
  if (std::filesystem::exists(options.result) && std::filesystem::equivalent(options.model, options.result)) {
    throw Error(ErrorCode::kBadArgument,
                {options.result.string(), "the file to be read", "another one", "Give the new file another name"});
  }
  NewFile result(options.result);
  quant::quantize_file(from, to, open_bytes(options.model),
                       [&](std::span<const std::byte> bytes) { result.write(bytes); });
  result.finish();

  std::size_t changed = 0;
  for (const gguf::TensorInfo& tensor : from.tensors) changed += quant::becomes_q8_0(tensor) ? 1 : 0;
  out << changed << " matrices became Q8_0, " << from.tensors.size() - changed
      << " tensors stayed as they were: " << from.end_offset << " bytes are now " << to.end_offset << '\n';
}

}  // namespace headflow::cli
