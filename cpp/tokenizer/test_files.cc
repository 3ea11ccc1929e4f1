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

gguf::Header read_header(const std::string& path, const std::string& advice) {
  const std::string file = read_file(path, advice);
  gguf::HeaderReader reader(file.size());
  reader.push(std::as_bytes(std::span(file)));
  reader.finish();
  return reader.take();
}

constexpr const char* kCommitted = "It belongs to the sources";

}  // namespace

nlohmann::json read_json(const std::string& name) {
  return nlohmann::json::parse(read_file(std::string(HEADFLOW_TOKENIZER_TESTDATA) + "/" + name, kCommitted));
}

gguf::Header read_gpt2_vocabulary() {
  return read_header(HEADFLOW_GPT2_VOCABULARY, "Write it with: npm run vocabulary");
}

gguf::Header read_mini_vocabulary() {
  return read_header(std::string(HEADFLOW_GPT2_MINI) + "/gpt2-mini.Q8_0.gguf", kCommitted);
}

std::vector<TokenId> traced_tokens(const std::string& trace) {
  const std::string path = std::string(HEADFLOW_GPT2_MINI) + "/" + trace + "/trace.json";
  return nlohmann::json::parse(read_file(path, kCommitted)).at("tokens").get<std::vector<TokenId>>();
}

}  // namespace headflow::testing
