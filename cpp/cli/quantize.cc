// `headflow quantize`: a GGUF file's F32 and F16 matrices as Q8_0, in a new file.

#include <cstdint>
#include <span>

#include "cli/commands.h"
#include "cli/input_file.h"
#include "cli/new_file.h"
#include "quant/quantize_file.h"

namespace headflow::cli {

void quantize(const QuantizeOptions& options, std::ostream& out) {
  const InputFile file(options.model);
  file.require_other(options.result);
  const gguf::Header from = file.read_header();
  const gguf::Header to = quant::quantized_header(from);
  NewFile result(options.result);
  quant::quantize_file(
      from, to, [&](std::uint64_t offset, std::span<std::byte> out_bytes) { file.read(offset, out_bytes); },
      [&](std::span<const std::byte> bytes) { result.write(bytes); });
  result.finish();

  std::size_t changed = 0;
  for (const gguf::TensorInfo& tensor : from.tensors) changed += quant::becomes_q8_0(tensor) ? 1 : 0;
  out << changed << " matrices became Q8_0, " << from.tensors.size() - changed
      << " tensors stayed as they were: " << from.end_offset << " bytes are now " << to.end_offset << '\n';
}

}  // namespace headflow::cli
