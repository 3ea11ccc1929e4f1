// `headflow evaluate`: bits per byte on held-out text and head scores, as the model cards state them.

#include <zlib.h>

#include <algorithm>
#include <array>
#include <iomanip>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/heads/evaluation.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/file_model.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "cli/text.h"

namespace headflow::cli {
namespace {

constexpr std::string_view kHeldOut = "-heldout.txt.gz";
constexpr std::size_t kLargestText = std::size_t{1} << 30;
constexpr std::string_view kSeparator = "<|endoftext|>";

std::string read_gzip(const std::filesystem::path& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), &gzclose);
  if (!file || !std::filesystem::is_regular_file(path)) {
    throw Error(ErrorCode::kBadArgument, {path.string(), "no file that can be read", "gzip"});
  }
  std::string text;
  std::array<char, 1 << 16> piece{};
  int count = 0;
  while ((count = gzread(file.get(), piece.data(), static_cast<unsigned>(piece.size()))) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > kLargestText) {
      throw Error(ErrorCode::kBadArgument, {path.string(), "a larger text", "at most 1 GB"});
    }
  }
  // Data that end too early are no failed read: zlib gives what there was.
  int failure = Z_OK;
  (void)gzerror(file.get(), &failure);
  if (count < 0 || failure != Z_OK) {
    throw Error(ErrorCode::kMalformed, {path.string(), "data that are damaged or end too early", "a whole gzip file"});
  }
  if (gzdirect(file.get()) == 1) throw Error(ErrorCode::kMalformed, {path.string(), "no gzip data", "gzip"});
  return text;
}

// A folder's held-out files, by name.
std::vector<std::filesystem::path> held_out_files(const std::filesystem::path& corpus) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(corpus)) {
    for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
      if (entry.path().filename().string().ends_with(kHeldOut)) files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    throw Error(ErrorCode::kBadArgument,
                {corpus.string(), "no held-out files", "a folder with *" + std::string(kHeldOut)});
  }
  std::ranges::sort(files);
  return files;
}

// The documents, without the line breaks that border the separator.
std::vector<std::string> split_documents(std::string_view text) {
  std::vector<std::string> documents;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kSeparator), text.size());
    std::string_view document = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + kSeparator.size()));
    document.remove_prefix(std::min(document.find_first_not_of('\n'), document.size()));
    document = document.substr(0, document.find_last_not_of('\n') + 1);
    if (!document.empty()) documents.emplace_back(document);
  }
  return documents;
}

// What the context had no room to measure is null.
nlohmann::ordered_json score_json(const std::optional<double>& score) {
  return score ? nlohmann::ordered_json(*score) : nlohmann::ordered_json();
}

std::string score_text(const std::optional<double>& score) {
  return score ? fixed(*score, 2) : "-";
}

}  // namespace

void evaluate(const EvaluateOptions& options, std::ostream& out) {
  FileModel file(options.model);
  file.load_all();
  nlohmann::ordered_json texts = nlohmann::ordered_json::object();
  std::vector<std::string> everything;
  for (const std::filesystem::path& path : held_out_files(options.corpus)) {
    const std::vector<std::string> documents = split_documents(read_gzip(path));
    if (documents.empty()) throw Error(ErrorCode::kBadArgument, {path.string(), "no text", "at least one document"});
    const analysis::TextScore score = analysis::bits_per_byte(file.shared(), documents);
    texts[path.filename().string()] = {
        {"bits_per_byte", score.bits_per_byte()}, {"documents", documents.size()}, {"bytes", score.bytes}};
    everything.insert(everything.end(), documents.begin(), documents.end());
  }
  const auto heads = analysis::head_scores(file.shared(), everything);

  if (options.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (std::size_t l = 0; l < heads.size(); ++l) {
      for (std::size_t h = 0; h < heads[l].size(); ++h) {
        rows.push_back({{"block", l},
                        {"head", h},
                        {"previous_token", score_json(heads[l][h].previous_token)},
                        {"first_token", score_json(heads[l][h].first_token)},
                        {"induction", score_json(heads[l][h].induction)}});
      }
    }
    out << dump({{"texts", texts}, {"heads", rows}}, 1) << '\n';
    return;
  }
  out << std::fixed << std::setprecision(4);
  for (const auto& [name, score] : texts.items()) {
    out << one_line(name) << ": " << score["bits_per_byte"].get<double>() << " bits per byte (" << score["documents"]
        << " documents, " << score["bytes"] << " bytes)\n";
  }
  out << "\n| head | previous token | first token | induction |\n|---|---|---|---|\n";
  for (std::size_t l = 0; l < heads.size(); ++l) {
    for (std::size_t h = 0; h < heads[l].size(); ++h) {
      const analysis::HeadScore& score = heads[l][h];
      out << "| " << l << '.' << h << " | " << score_text(score.previous_token) << " | "
          << score_text(score.first_token) << " | " << score_text(score.induction) << " |\n";
    }
  }
}

}  // namespace headflow::cli
