// For fuzzing: the bytes of a tiny model, and the model.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "gguf/header_reader.h"
#include "gpt2/model.h"

namespace headflow::fuzz {

inline const std::vector<std::byte>& tiny_file() {
  static const std::vector<std::byte> file = [] {
    std::ifstream stream(std::filesystem::path(HEADFLOW_TESTDATA) / "odd/c25-untied-whole.gguf", std::ios::binary);
    const std::vector<char> chars{std::istreambuf_iterator<char>(stream), {}};
    const std::span<const std::byte> bytes = std::as_bytes(std::span(chars));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }();
  return file;
}

inline std::shared_ptr<gpt2::Model> model_of(std::span<const std::byte> file) {
  gguf::HeaderReader reader(file.size());
  reader.push(file);
  reader.finish();
  auto model = std::make_shared<gpt2::Model>(reader.take());
  model->supply(0, file);
  return model;
}

inline const std::shared_ptr<gpt2::Model>& tiny_model() {
  static const std::shared_ptr<gpt2::Model> model = model_of(tiny_file());
  return model;
}

}  // namespace headflow::fuzz
