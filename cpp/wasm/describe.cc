#include "wasm/describe.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/checks/published.h"
#include "base/error.h"
#include "gguf/tensor_types.h"
#include "gpt2/graph.h"

namespace headflow::wasm {

using emscripten::val;

namespace {

// In the order of gpt2::StageKind.
constexpr std::array<const char*, 4> kStages = {"embed", "attention", "mlp", "logits"};
// In the order of gpt2::Axis.
constexpr std::array<const char*, 9> kAxes = {"T", "D", "3D", "F", "H", "D_h", "keys", "V", "C"};

StageName stage_name(gpt2::StageKind kind) {
  return StageName(val(kStages[static_cast<std::size_t>(kind)]));
}

AxisNames axis_names(const std::vector<gpt2::Axis>& axes) {
  val names = val::array();
  for (const gpt2::Axis axis : axes) names.call<void>("push", val(kAxes[static_cast<std::size_t>(axis)]));
  return AxisNames(names);
}

NodeView view(const std::optional<gpt2::ViewInfo>& info) {
  if (!info) return NodeView(val::null());
  val view = val::object();
  view.set("base", text(gpt2::info(info->base).name));
  view.set("offsetInWidths", info->offset_in_widths);
  return NodeView(view);
}

NodeDescription describe(const gpt2::NodeInfo& info) {
  return {.name = text(info.name),
          .suffix = text(info.suffix),
          .symbol = text(info.symbol),
          .stage = stage_name(info.stage),
          .per_block = info.per_block,
          .ours = info.ours,
          .axes = axis_names(gpt2::logical_axes(info)),
          .ggml_axes = axis_names(gpt2::ggml_axes(info)),
          .view = view(info.view)};
}

std::string_view model_name(const gguf::Header& header) {
  const gguf::Value* value = header.find("general.name");
  const auto* name = value != nullptr ? std::get_if<std::string>(&value->data) : nullptr;
  return name != nullptr ? std::string_view(*name) : "GPT-2";
}

}  // namespace

gpt2::Stage stage_from(const Stage& stage) {
  const auto kind = stage.kind.as<std::string>();
  const auto found = std::ranges::find(kStages, kind);
  if (found == kStages.end()) {
    throw Error(ErrorCode::kBadArgument,
                {.where = "kind of a stage", .got = kind, .expected = "embed, attention, mlp or logits"});
  }
  return {static_cast<gpt2::StageKind>(found - kStages.begin()), stage.block};
}

Stage stage_to(const gpt2::Stage& stage) {
  return {stage_name(stage.kind), stage.block};
}

ModelDescription describe(const gpt2::Model& model) {
  val nodes = val::array();
  for (const gpt2::NodeInfo& info : gpt2::nodes()) nodes.call<void>("push", describe(info));
  return {.name = text(model_name(model.header())),
          .config = model.config(),
          .tied_output = model.tied_output(),
          .shaped_like_gpt2_small = analysis::shaped_like_gpt2_small(model),
          .nodes = NodeDescriptions(nodes)};
}

TensorLoads tensor_loads(const gpt2::Model& model) {
  // In the order of gpt2::StageKind.
  constexpr std::array<const char*, 4> kParts = {"embeddings", "attention", "mlp", "output"};
  val loads = val::array();
  const std::span<const gpt2::TensorStore> tensors = model.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const gguf::TensorInfo& info = tensors[i].info();
    const gpt2::Stage stage = model.stage_of(i);
    const bool in_block = stage.kind == gpt2::StageKind::kAttention || stage.kind == gpt2::StageKind::kMlp;
    val shape = val::array();
    for (const std::uint64_t length : info.shape) shape.call<void>("push", static_cast<double>(length));
    val load = val::object();
    load.set("name", text(info.name));
    load.set("part", val(kParts[static_cast<std::size_t>(stage.kind)]));
    load.set("block", in_block ? val(stage.block) : val::null());
    load.set("type", text(gguf::type_name(info.type)));
    load.set("ggmlShape", shape);
    load.set("offset", static_cast<double>(info.offset));
    load.set("size", static_cast<double>(info.size));
    load.set("present", static_cast<double>(tensors[i].present().size()));
    loads.call<void>("push", load);
  }
  return TensorLoads(loads);
}

MetadataValue metadata(const gpt2::Model& model, const std::string& key) {
  const gguf::Value* const value = model.header().find(key);
  if (value == nullptr) return MetadataValue(val::null());
  if (const auto* const string = std::get_if<std::string>(&value->data)) return MetadataValue(text(*string));
  if (const auto* const number = std::get_if<std::uint64_t>(&value->data)) {
    return MetadataValue(val(static_cast<double>(*number)));
  }
  return MetadataValue(val::null());
}

std::size_t merge_rank(const gpt2::Model& model, const std::string& merge) {
  const std::vector<std::string>& merges = model.header().strings("tokenizer.ggml.merges");
  return static_cast<std::size_t>(std::ranges::find(merges, merge) - merges.begin());
}

void register_descriptions() {
  emscripten::register_type<TensorLoads>(
      "{ name: string; part: 'embeddings' | 'attention' | 'mlp' | 'output'; block: number | null; type: string; "
      "ggmlShape: number[]; offset: number; size: number; present: number }[]");
  emscripten::register_type<MetadataValue>("string | number | null");
  emscripten::register_type<StageName>("'embed' | 'attention' | 'mlp' | 'logits'");
  emscripten::register_type<AxisNames>("('T' | 'D' | '3D' | 'F' | 'H' | 'D_h' | 'keys' | 'V' | 'C')[]");
  emscripten::register_type<NodeView>("{ base: string; offsetInWidths: number } | null");
  emscripten::register_type<NodeDescriptions>("NodeDescription[]");

  emscripten::value_object<Stage>("Stage").field("kind", &Stage::kind).field("block", &Stage::block);

  emscripten::value_object<NodeDescription>("NodeDescription")
      .field("name", &NodeDescription::name)
      .field("suffix", &NodeDescription::suffix)
      .field("symbol", &NodeDescription::symbol)
      .field("stage", &NodeDescription::stage)
      .field("perBlock", &NodeDescription::per_block)
      .field("ours", &NodeDescription::ours)
      .field("axes", &NodeDescription::axes)
      .field("ggmlAxes", &NodeDescription::ggml_axes)
      .field("view", &NodeDescription::view);

  emscripten::value_object<gpt2::Config>("ModelConfig")
      .field("blockCount", &gpt2::Config::block_count)
      .field("contextLength", &gpt2::Config::context_length)
      .field("embeddingLength", &gpt2::Config::embedding_length)
      .field("feedForwardLength", &gpt2::Config::feed_forward_length)
      .field("headCount", &gpt2::Config::head_count)
      .field("headDim", &gpt2::Config::head_dim)
      .field("vocabularySize", &gpt2::Config::vocabulary_size)
      .field("layerNormEpsilon", &gpt2::Config::layer_norm_epsilon);

  emscripten::value_object<ModelDescription>("ModelDescription")
      .field("name", &ModelDescription::name)
      .field("config", &ModelDescription::config)
      .field("tiedOutput", &ModelDescription::tied_output)
      .field("shapedLikeGpt2Small", &ModelDescription::shaped_like_gpt2_small)
      .field("nodes", &ModelDescription::nodes);
}

}  // namespace headflow::wasm
