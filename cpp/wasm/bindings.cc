// The module's classes: header reader, model, session, checks, and the builders of pictures and head statistics.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/checks/block_checks.h"
#include "analysis/checks/identities.h"
#include "analysis/heads/head_statistics.h"
#include "analysis/pooling/picture.h"
#include "analysis/pooling/region.h"
#include "analysis/sampling/next_token.h"
#include "gguf/header_reader.h"
#include "gpt2/model.h"
#include "gpt2/session.h"
#include "wasm/describe.h"
#include "wasm/edits.h"
#include "wasm/explain.h"
#include "wasm/guard.h"
#include "wasm/head_queries.h"
#include "wasm/log.h"
#include "wasm/values.h"

namespace headflow::wasm {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(NextTokens)
EMSCRIPTEN_DECLARE_VAL_TYPE(CheckList)

struct Region {
  std::string node;
  std::size_t head = 0;
  analysis::Interval rows;
  analysis::Interval columns;
};

struct Check {
  Text name{val("")};
  double error = 0;
  bool counts_bits = false;
  double bound = 0;
  double compared = 0;
  bool holds = false;
};

struct Picture {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t bin_rows = 0;
  std::size_t bin_columns = 0;
  float minimum = 0;
  float maximum = 0;
  float quantile99 = 0;
  Float32Array data{val::undefined()};
};

namespace {

// --- header reader: file offsets are numbers, exact up to 2^53 ---

std::shared_ptr<gguf::HeaderReader> make_reader(std::optional<double> file_size) {
  if (!file_size) return std::make_shared<gguf::HeaderReader>();
  return std::make_shared<gguf::HeaderReader>(static_cast<std::uint64_t>(*file_size));
}

void push(gguf::HeaderReader& reader, const Uint8Array& piece) {
  std::vector<std::byte> bytes(piece["length"].as<std::size_t>());
  fill(bytes, piece, 0);
  reader.push(bytes);
}

void finish_header(const gguf::HeaderReader& reader) {
  reader.finish();
}
double needed(const gguf::HeaderReader& reader) {
  return static_cast<double>(reader.needed());
}
double position(const gguf::HeaderReader& reader) {
  return static_cast<double>(reader.position());
}

// --- model ---

std::shared_ptr<gpt2::Model> make_model(gguf::HeaderReader& reader) {
  reader.finish();
  return std::make_shared<gpt2::Model>(reader.take());
}

ModelDescription describe_model(const gpt2::Model& model) {
  return describe(model);
}

double file_size(const gpt2::Model& model) {
  return static_cast<double>(model.header().end_offset);
}
double present_bytes(const gpt2::Model& model) {
  return static_cast<double>(model.present_bytes());
}

// begin, end, begin, end, ...
Float64Array bounds_of(const std::vector<ByteRange>& ranges) {
  std::vector<double> bounds;
  for (const ByteRange& range : ranges) {
    bounds.push_back(static_cast<double>(range.begin));
    bounds.push_back(static_cast<double>(range.end));
  }
  return Float64Array(copy<double>(bounds));
}

Float64Array lacking(const gpt2::Model& model, const Stage& stage, const Int32Array& tokens) {
  return bounds_of(model.lacking(stage_from(stage), emscripten::convertJSArrayToNumberVector<TokenId>(tokens)));
}

Float64Array lacking_embeddings(const gpt2::Model& model) {
  return bounds_of(model.lacking_embeddings());
}

TensorLoads tensors(const gpt2::Model& model) {
  return tensor_loads(model);
}

Uint8Array read_bytes(const gpt2::Model& model, double offset, std::size_t length) {
  std::vector<std::byte> bytes(length);
  model.read_bytes(static_cast<std::uint64_t>(offset), bytes);
  return Uint8Array(copy(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size())));
}

void discard(gpt2::Model& model, double begin, double end) {
  model.discard({static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)});
}

void supply(gpt2::Model& model, double offset, const Uint8Array& bytes) {
  const auto begin = static_cast<std::uint64_t>(offset);
  const auto length = bytes["length"].as<std::size_t>();
  for (std::size_t done = 0; done < length;) {
    const auto destination = model.destination(begin + done, length - done);
    if (!destination.memory.empty()) {
      fill(destination.memory, bytes, done);
      model.commit({begin + done, begin + done + destination.memory.size()});
    }
    done += destination.memory.size() + static_cast<std::size_t>(destination.skip);
  }
}

Int32Array encode(const gpt2::Model& model, const std::string& bytes) {
  return Int32Array(copy<TokenId>(model.tokenizer().encode(bytes)));
}

Uint8Array token_bytes(const gpt2::Model& model, TokenId id) {
  const std::string_view bytes = model.tokenizer().bytes(id);
  return Uint8Array(copy(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size())));
}

// --- session ---

std::shared_ptr<gpt2::Session> make_session(std::shared_ptr<gpt2::Model> model) {
  return std::make_shared<gpt2::Session>(std::move(model));
}

std::shared_ptr<gpt2::Session> fork_session(const gpt2::Session& session) {
  return std::make_shared<gpt2::Session>(session.fork());
}

void set_edits(gpt2::Session& session, const EditList& edits) {
  session.set_edits(edits_from(edits));
}

void set_tokens(gpt2::Session& session, const Int32Array& ids) {
  session.set_tokens(emscripten::convertJSArrayToNumberVector<TokenId>(ids));
}

Progress advance(gpt2::Session& session, const Stage& goal, bool traced, double work) {
  const gpt2::Stage stage = stage_from(goal);
  const gpt2::RowRange rows = traced ? gpt2::RowRange{0, session.tokens().size()} : gpt2::RowRange{};
  gpt2::Progress progress{.done = true};
  if (traced && stage.kind == gpt2::StageKind::kMlp) {
    progress = session.advance({{gpt2::StageKind::kAttention, stage.block}, rows}, static_cast<std::uint64_t>(work));
  }
  if (progress.done) progress = session.advance({stage, rows}, static_cast<std::uint64_t>(work));
  return progress_to(progress);
}

analysis::Region resolve(const gpt2::Session& session, const Region& region) {
  return {gpt2::parse_node(region.node, session.model().config()), region.head, region.rows, region.columns};
}

std::vector<float> values(const gpt2::Session& session, const Region& region) {
  const analysis::Region resolved = resolve(session, region);
  analysis::check(session, resolved);
  std::vector<float> out(resolved.size());
  analysis::read(session, resolved, out);
  return out;
}

void check_region(const gpt2::Session& session, const Region& region) {
  analysis::check(session, resolve(session, region));
}

std::size_t rows_within(const gpt2::Session& session, const Region& region, double work) {
  return analysis::rows_within(session, resolve(session, region), static_cast<std::uint64_t>(work));
}

Float32Array read(const gpt2::Session& session, const Region& region) {
  return Float32Array(copy<float>(values(session, region)));
}

NextTokens likeliest(const gpt2::Session& session, std::size_t row, std::size_t count) {
  const std::size_t vocabulary = session.model().config().vocabulary_size;
  std::vector<float> logits(vocabulary);
  analysis::read(session, {{gpt2::Node::kLogits, 0}, 0, {row, row + 1}, {0, vocabulary}}, logits);
  return NextTokens(val::array(analysis::likeliest(logits, count)));
}

// --- checks of a block ---

std::shared_ptr<analysis::BlockChecks> make_checks(std::shared_ptr<gpt2::Model> model, const gpt2::Session& session,
                                                   std::size_t block) {
  return std::make_shared<analysis::BlockChecks>(std::move(model), session.tokens(), block, session.edits());
}

bool advance_checks(analysis::BlockChecks& checks, const gpt2::Session& session, double work) {
  return checks.advance(analysis::reader(session), static_cast<std::uint64_t>(work));
}

CheckList results_of(const analysis::BlockChecks& checks) {
  val list = val::array();
  for (const analysis::Check& check : checks.results()) {
    list.call<void>("push", Check{.name = text(analysis::name(check.identity)),
                                  .error = check.error,
                                  .counts_bits = analysis::counts_bits(check.identity),
                                  .bound = check.bound,
                                  .compared = static_cast<double>(check.compared),
                                  .holds = check.holds()});
  }
  return CheckList(list);
}

// --- pictures and head statistics, fed with bands of rows ---

std::shared_ptr<analysis::PictureBuilder> make_picture(std::size_t rows, std::size_t columns, std::size_t height,
                                                       std::size_t width) {
  return std::make_shared<analysis::PictureBuilder>(rows, columns, height, width);
}

void add_to_picture(analysis::PictureBuilder& builder, const gpt2::Session& session, const Region& band) {
  builder.add(values(session, band));
}

Picture finish_picture(analysis::PictureBuilder& builder) {
  const analysis::Picture picture = builder.finish();
  return {.height = picture.height,
          .width = picture.width,
          .bin_rows = picture.bin_rows,
          .bin_columns = picture.bin_columns,
          .minimum = picture.minimum,
          .maximum = picture.maximum,
          .quantile99 = picture.quantile99,
          .data = Float32Array(copy<float>(picture.values))};
}

std::shared_ptr<analysis::HeadStatisticsBuilder> make_statistics(const gpt2::Session& session) {
  return std::make_shared<analysis::HeadStatisticsBuilder>(session.tokens());
}

void add_to_statistics(analysis::HeadStatisticsBuilder& builder, const gpt2::Session& session, const Region& band) {
  builder.add(values(session, band));
}

analysis::HeadStatistics finish_statistics(const analysis::HeadStatisticsBuilder& builder) {
  return builder.finish();
}

void register_records() {
  emscripten::register_optional<double>();
  emscripten::register_optional<float>();
  emscripten::register_type<NextTokens>("NextToken[]");
  emscripten::register_type<CheckList>("Check[]");

  emscripten::value_array<analysis::Interval>("Interval")
      .element(&analysis::Interval::first)
      .element(&analysis::Interval::last);

  emscripten::value_object<Region>("Region")
      .field("node", &Region::node)
      .field("head", &Region::head)
      .field("rows", &Region::rows)
      .field("columns", &Region::columns);

  emscripten::value_object<Progress>("Progress")
      .field("done", &Progress::done)
      .field("blocked", &Progress::blocked)
      .field("stage", &Progress::stage)
      .field("rows", &Progress::rows);

  emscripten::value_object<Check>("Check")
      .field("name", &Check::name)
      .field("error", &Check::error)
      .field("countsBits", &Check::counts_bits)
      .field("bound", &Check::bound)
      .field("compared", &Check::compared)
      .field("holds", &Check::holds);

  emscripten::value_object<Picture>("Picture")
      .field("height", &Picture::height)
      .field("width", &Picture::width)
      .field("binRows", &Picture::bin_rows)
      .field("binColumns", &Picture::bin_columns)
      .field("minimum", &Picture::minimum)
      .field("maximum", &Picture::maximum)
      .field("quantile99", &Picture::quantile99)
      .field("data", &Picture::data);

  emscripten::value_object<analysis::HeadStatistics>("HeadStatistics")
      .field("firstToken", &analysis::HeadStatistics::first_token)
      .field("previousToken", &analysis::HeadStatistics::previous_token)
      .field("self", &analysis::HeadStatistics::self)
      .field("entropy", &analysis::HeadStatistics::entropy)
      .field("repeats", &analysis::HeadStatistics::repeats);

  emscripten::value_object<analysis::NextToken>("NextToken")
      .field("id", &analysis::NextToken::id)
      .field("logit", &analysis::NextToken::logit)
      .field("probability", &analysis::NextToken::probability);
}

}  // namespace

EMSCRIPTEN_BINDINGS(headflow) {
  register_values();
  register_descriptions();
  register_explanations();
  register_log();
  register_edits();
  register_head_queries();
  register_records();

  emscripten::class_<gguf::HeaderReader>("HeaderReader")
      .smart_ptr_constructor("HeaderReaderPointer", guarded<make_reader>)
      .function("push", guarded<push>)
      .function("finish", guarded<finish_header>)
      .function("needed", guarded<needed>)
      .function("position", guarded<position>);

  emscripten::class_<gpt2::Model>("Model")
      .smart_ptr_constructor("ModelPointer", guarded<make_model>)
      .function("describe", guarded<describe_model>)
      .function("fileSize", guarded<file_size>)
      .function("presentBytes", guarded<present_bytes>)
      .function("lacking", guarded<lacking>)
      .function("lackingEmbeddings", guarded<lacking_embeddings>)
      .function("tensors", guarded<tensors>)
      .function("readBytes", guarded<read_bytes>)
      .function("discard", guarded<discard>)
      .function("supply", guarded<supply>)
      .function("log", guarded<log_entries>)
      .function("metadata", guarded<metadata>)
      .function("mergeRank", guarded<merge_rank>)
      .function("encode", guarded<encode>)
      .function("tokenBytes", guarded<token_bytes>);

  emscripten::class_<gpt2::Session>("Session")
      .smart_ptr_constructor("SessionPointer", guarded<make_session>)
      .function("setTokens", guarded<set_tokens>)
      .function("setEdits", guarded<set_edits>)
      .function("fork", guarded<fork_session>)
      .function("advance", guarded<advance>)
      .function("check", guarded<check_region>)
      .function("rowsWithin", guarded<rows_within>)
      .function("read", guarded<read>)
      .function("likeliest", guarded<likeliest>)
      .function("stageBehind", guarded<stage_behind>)
      .function("explain", guarded<explain>);

  emscripten::class_<analysis::BlockChecks>("BlockChecks")
      .smart_ptr_constructor("BlockChecksPointer", guarded<make_checks>)
      .function("advance", guarded<advance_checks>)
      .function("results", guarded<results_of>);

  emscripten::class_<analysis::PictureBuilder>("PictureBuilder")
      .smart_ptr_constructor("PictureBuilderPointer", guarded<make_picture>)
      .function("add", guarded<add_to_picture>)
      .function("finish", guarded<finish_picture>);

  emscripten::class_<analysis::HeadStatisticsBuilder>("HeadStatisticsBuilder")
      .smart_ptr_constructor("HeadStatisticsBuilderPointer", guarded<make_statistics>)
      .function("add", guarded<add_to_statistics>)
      .function("finish", guarded<finish_statistics>);
}

}  // namespace headflow::wasm
