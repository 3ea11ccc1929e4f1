// Questions about what heads do, as classes for JavaScript: each is made from a session and one request, works in
// bounded slices, and has one answer. web/engine/head-queries.ts finds them by their declarations.
#include "wasm/head_queries.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/heads/head_effects.h"
#include "analysis/heads/lens.h"
#include "analysis/heads/logit_parts.h"
#include "base/error.h"
#include "wasm/edits.h"
#include "wasm/guard.h"
#include "wasm/values.h"

namespace headflow::wasm {

using emscripten::val;
using SessionPointer = std::shared_ptr<gpt2::Session>;

EMSCRIPTEN_DECLARE_VAL_TYPE(HeadEffectList)
EMSCRIPTEN_DECLARE_VAL_TYPE(LogitSourceName)
EMSCRIPTEN_DECLARE_VAL_TYPE(LogitPartList)
EMSCRIPTEN_DECLARE_VAL_TYPE(LensTokenList)
EMSCRIPTEN_DECLARE_VAL_TYPE(LensLayerList)

// --- what switching each head off does ---

struct HeadEffectsRequest {
  EditKindName by{val("zero")};
};

struct HeadEffect {
  std::size_t block = 0;
  std::size_t head = 0;
  double after = 0;
  std::int32_t first_after = 0;
  double divergence = 0;
};

struct HeadEffectsAnswer {
  std::int32_t first = 0;
  double before = 0;
  HeadEffectList effects{val::array()};
};

// --- where a logit comes from ---

struct LogitPartsRequest {
  std::size_t row = 0;
  std::int32_t token = 0;
};

struct LogitPart {
  LogitSourceName source{val("head")};
  std::size_t block = 0;
  std::size_t head = 0;
  double value = 0;
};

struct LogitPartsAnswer {
  LogitPartList parts{val::array()};
  double sum = 0;
  double logit = 0;
  double bound = 0;
};

// --- the logit lens ---

struct LensRequest {
  std::size_t row = 0;
  std::size_t count = 0;
};

struct LensLayer {
  std::size_t depth = 0;
  std::size_t rank = 0;
  double probability = 0;
  LensTokenList likeliest{val::array()};
};

struct LensAnswer {
  LensLayerList layers{val::array()};
};

namespace {

// A query and the session that it reads, which must not end before it.
template <typename Query>
struct OnSession {
  template <typename... Arguments>
  explicit OnSession(SessionPointer run, Arguments&&... arguments)
      : session(std::move(run)), query(*session, std::forward<Arguments>(arguments)...) {}

  gpt2::Progress advance(std::uint64_t work) { return query.advance(work); }

  SessionPointer session;
  Query query;
};

using HeadEffects = OnSession<analysis::HeadEffects>;
using LogitParts = OnSession<analysis::LogitPartsOf>;
using Lens = OnSession<analysis::Lens>;

template <typename Query>
Progress advance_query(Query& query, double work) {
  return progress_to(query.advance(static_cast<std::uint64_t>(work)));
}

// `make`: std::shared_ptr<Query>(std::shared_ptr<gpt2::Session>, const Request&); `answer`: Answer(const Query&), once
// it is done.
template <typename Query, auto make, auto answer>
void register_query(const char* name, const char* pointer_name) {
  emscripten::class_<Query>(name)
      .smart_ptr_constructor(pointer_name, guarded<make>)
      .function("advance", guarded<advance_query<Query>>)
      .function("answer", guarded<answer>);
}

std::shared_ptr<HeadEffects> make_effects(SessionPointer session, const HeadEffectsRequest& request) {
  return std::make_shared<HeadEffects>(std::move(session), edit_kind_from(request.by));
}

HeadEffectsAnswer effects_of(const HeadEffects& from) {
  HeadEffectsAnswer answer{.first = from.query.first(), .before = from.query.before()};
  for (const analysis::HeadEffect& effect : from.query.effects()) {
    answer.effects.call<void>(
        "push", HeadEffect{effect.block, effect.head, effect.after, effect.first_after, effect.divergence});
  }
  return answer;
}

const char* name_of(analysis::LogitSource source) {
  switch (source) {
    case analysis::LogitSource::kEmbedding: return "embedding";
    case analysis::LogitSource::kHead: return "head";
    case analysis::LogitSource::kOutputBias: return "output_bias";
    case analysis::LogitSource::kMlp: return "mlp";
    case analysis::LogitSource::kFinalNorm: return "final_norm";
    case analysis::LogitSource::kRounding: return "rounding";
  }
  return "";
}

std::shared_ptr<LogitParts> make_parts(SessionPointer session, const LogitPartsRequest& request) {
  return std::make_shared<LogitParts>(std::move(session), request.row, request.token);
}

LogitPartsAnswer parts_of(const LogitParts& from) {
  const analysis::LogitParts& found = from.query.result();
  LogitPartsAnswer answer{.sum = found.sum, .logit = found.logit, .bound = found.bound()};
  for (const analysis::LogitPart& part : found.parts) {
    answer.parts.call<void>("push",
                            LogitPart{LogitSourceName(val(name_of(part.source))), part.block, part.head, part.value});
  }
  return answer;
}

std::shared_ptr<Lens> make_lens(SessionPointer session, const LensRequest& request) {
  return std::make_shared<Lens>(std::move(session), request.row, request.count);
}

LensAnswer layers_of(const Lens& from) {
  LensAnswer answer;
  for (const analysis::LensLayer& layer : from.query.layers()) {
    answer.layers.call<void>(
        "push", LensLayer{layer.depth, layer.rank, layer.probability, LensTokenList(val::array(layer.likeliest))});
  }
  return answer;
}

}  // namespace

void register_head_queries() {
  emscripten::register_type<HeadEffectList>("HeadEffect[]");
  emscripten::value_object<HeadEffectsRequest>("HeadEffectsRequest").field("by", &HeadEffectsRequest::by);
  emscripten::value_object<HeadEffect>("HeadEffect")
      .field("block", &HeadEffect::block)
      .field("head", &HeadEffect::head)
      .field("after", &HeadEffect::after)
      .field("firstAfter", &HeadEffect::first_after)
      .field("divergence", &HeadEffect::divergence);
  emscripten::value_object<HeadEffectsAnswer>("HeadEffectsAnswer")
      .field("first", &HeadEffectsAnswer::first)
      .field("before", &HeadEffectsAnswer::before)
      .field("effects", &HeadEffectsAnswer::effects);
  register_query<HeadEffects, make_effects, effects_of>("HeadEffects", "HeadEffectsPointer");

  emscripten::register_type<LogitSourceName>(
      "'embedding' | 'head' | 'output_bias' | 'mlp' | 'final_norm' | 'rounding'");
  emscripten::register_type<LogitPartList>("LogitPart[]");
  emscripten::value_object<LogitPartsRequest>("LogitPartsRequest")
      .field("row", &LogitPartsRequest::row)
      .field("token", &LogitPartsRequest::token);
  emscripten::value_object<LogitPart>("LogitPart")
      .field("source", &LogitPart::source)
      .field("block", &LogitPart::block)
      .field("head", &LogitPart::head)
      .field("value", &LogitPart::value);
  emscripten::value_object<LogitPartsAnswer>("LogitPartsAnswer")
      .field("parts", &LogitPartsAnswer::parts)
      .field("sum", &LogitPartsAnswer::sum)
      .field("logit", &LogitPartsAnswer::logit)
      .field("bound", &LogitPartsAnswer::bound);
  register_query<LogitParts, make_parts, parts_of>("LogitParts", "LogitPartsPointer");

  emscripten::register_type<LensTokenList>("NextToken[]");
  emscripten::register_type<LensLayerList>("LensLayer[]");
  emscripten::value_object<LensRequest>("LensRequest")
      .field("row", &LensRequest::row)
      .field("count", &LensRequest::count);
  emscripten::value_object<LensLayer>("LensLayer")
      .field("depth", &LensLayer::depth)
      .field("rank", &LensLayer::rank)
      .field("probability", &LensLayer::probability)
      .field("likeliest", &LensLayer::likeliest);
  emscripten::value_object<LensAnswer>("LensAnswer").field("layers", &LensAnswer::layers);
  register_query<Lens, make_lens, layers_of>("Lens", "LensPointer");
}

}  // namespace headflow::wasm
