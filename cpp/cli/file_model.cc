#include "cli/file_model.h"

#include <limits>
#include <vector>

namespace headflow::cli {

FileModel::FileModel(const std::filesystem::path& path)
    : file_(path), model_(std::make_shared<gpt2::Model>(file_.read_header())) {}

void FileModel::load_all() {
  load(model_->lacking());
}

void FileModel::load(gpt2::Stage stage, std::span<const TokenId> tokens) {
  load(model_->lacking(stage, tokens));
}

void FileModel::load(const std::vector<ByteRange>& ranges) {
  for (const ByteRange& range : ranges) {
    for (std::uint64_t at = range.begin; at < range.end;) {
      const auto [memory, skip] = model_->destination(at, range.end - at);
      if (!memory.empty()) {
        file_.read(at, memory);
        model_->commit({at, at + memory.size()});
      }
      at += memory.size() + skip;
    }
  }
}

void FileModel::run(gpt2::Session& session, const gpt2::Goal& goal) {
  run_by([&] { return session.advance(goal, kUnlimited); }, session);
}

void FileModel::run_by(const std::function<gpt2::Progress()>& advance, const gpt2::Session& session) {
  gpt2::Progress progress;
  while (!progress.done) {
    progress = advance();
    if (progress.blocked) load(progress.stage, session.tokens());
  }
}

}  // namespace headflow::cli
