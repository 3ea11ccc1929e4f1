#include "cli/file_model.h"

#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "gguf/header_reader.h"

namespace headflow::cli {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw Error(ErrorCode::kBadArgument, {path.string(), "no file that can be read", "a GGUF file"});
  }
  return file;
}

gguf::Header read_header(std::ifstream& file, const std::filesystem::path& path) {
  gguf::HeaderReader reader(std::filesystem::file_size(path));
  std::vector<char> piece(kPieceBytes);
  while (reader.header() == nullptr) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    if (count == 0) reader.finish();
    reader.push(std::as_bytes(std::span(piece.data(), count)));
  }
  return reader.take();
}

}  // namespace

gguf::Header read_header(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  return read_header(file, path);
}

ReadAt open_bytes(const std::filesystem::path& path) {
  const auto file = std::make_shared<std::ifstream>(open(path));
  return [file, path](std::uint64_t offset, std::span<std::byte> out) {
    file->seekg(static_cast<std::streamoff>(offset));
    if (!file->read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()))) {
      throw Error(ErrorCode::kTruncated, {path.string() + ", byte " + std::to_string(offset), "the end of the file",
                                          std::to_string(out.size()) + " more bytes"});
    }
  };
}

FileModel::FileModel(const std::filesystem::path& path)
    : file_(open(path)), path_(path), model_(std::make_shared<gpt2::Model>(read_header(file_, path))) {}

void FileModel::load_all() {
  load(model_->lacking());
}

void FileModel::load(gpt2::Stage stage, std::span<const TokenId> tokens) {
  load(model_->lacking(stage, tokens));
}

void FileModel::load(const std::vector<ByteRange>& ranges) {
  for (const ByteRange& range : ranges) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(range.begin));
    for (std::uint64_t at = range.begin; at < range.end;) {
      const auto [memory, skip] = model_->destination(at, range.end - at);
      if (!memory.empty() &&
          !file_.read(reinterpret_cast<char*>(memory.data()), static_cast<std::streamsize>(memory.size()))) {
        throw Error(ErrorCode::kTruncated, {path_.string() + ", byte " + std::to_string(at), "the end of the file",
                                            std::to_string(range.end - at) + " more bytes"});
      }
      if (!memory.empty()) model_->commit({at, at + memory.size()});
      if (skip != 0) file_.seekg(static_cast<std::streamoff>(skip), std::ios::cur);
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
