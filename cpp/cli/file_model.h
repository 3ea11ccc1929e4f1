// A model from a file, read by the ranges that its stages lack.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "cli/input_file.h"
#include "gpt2/model.h"
#include "gpt2/session.h"

namespace headflow::cli {

class FileModel {
 public:
  // Reads the header. Throws Error, also where the file cannot be opened.
  explicit FileModel(const std::filesystem::path& path);

  [[nodiscard]] const InputFile& file() const noexcept { return file_; }

  [[nodiscard]] const gpt2::Model& model() const noexcept { return *model_; }
  [[nodiscard]] std::shared_ptr<const gpt2::Model> shared() const noexcept { return model_; }

  // Brings all that is lacking.
  void load_all();
  // Brings what `stage` lacks.
  void load(gpt2::Stage stage, std::span<const TokenId> tokens);

  // Runs a session to `goal`, loading stage by stage what it needs on the way.
  void run(gpt2::Session& session, const gpt2::Goal& goal);
  // The same for a question that advances a run by itself.
  template <typename Query>
  void run(const gpt2::Session& session, Query& query) {
    run_by([&] { return query.advance(kUnlimited); }, session);
  }

 private:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  void load(const std::vector<ByteRange>& ranges);
  void run_by(const std::function<gpt2::Progress()>& advance, const gpt2::Session& session);

  InputFile file_;
  std::shared_ptr<gpt2::Model> model_;
};

}  // namespace headflow::cli
