#include "tokenizer/test_files.h"

#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "gguf/header_reader.h"

namespace headflow::testing {
namespace {

std::string read_file(const std::string& path, const std::string& advice) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " is missing. " + advice);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

nlohmann::json read_json(const std::string& name) {
  return nlohmann::json::parse(
      read_file(std::string(HEADFLOW_TOKENIZER_TESTDATA) + "/" + name, "It belongs to the sources"));
}

gguf::Header read_header(const std::string& path, const std::string& advice) {
  const std::string file = read_file(path, advice);
  gguf::HeaderReader reader(file.size());
  reader.push(std::as_bytes(std::span(file)));
  reader.finish();
  return reader.take();
}

gguf::Header read_gpt2_vocabulary() {
  return read_header(HEADFLOW_GPT2_VOCABULARY, "Write it with: npm run vocabulary");
}

}  // namespace headflow::testing
