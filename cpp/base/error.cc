#include "base/error.h"

#include <utility>

namespace headflow {

std::string_view name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kTruncated: return "truncated";
    case ErrorCode::kBadMagic: return "bad_magic";
    case ErrorCode::kUnsupportedVersion: return "unsupported_version";
    case ErrorCode::kMalformed: return "malformed";
    case ErrorCode::kMissingKey: return "missing_key";
    case ErrorCode::kMissingTensor: return "missing_tensor";
    case ErrorCode::kBadShape: return "bad_shape";
    case ErrorCode::kUnsupportedType: return "unsupported_type";
    case ErrorCode::kUnsupportedModel: return "unsupported_model";
    case ErrorCode::kBadWeights: return "bad_weights";
    case ErrorCode::kBadArgument: return "bad_argument";
    case ErrorCode::kContextOverflow: return "context_overflow";
    case ErrorCode::kNotLoaded: return "not_loaded";
    case ErrorCode::kOutOfRange: return "out_of_range";
    case ErrorCode::kOutOfMemory: return "out_of_memory";
  }
  return "unknown";
}

namespace {

std::string compose(const Error::Parts& parts) {
  std::string message = parts.where;
  if (!parts.got.empty()) message += ": got " + parts.got;
  if (!parts.expected.empty()) message += (parts.got.empty() ? ": expected " : ", expected ") + parts.expected;
  if (!parts.hint.empty()) message += ". " + parts.hint;
  return message;
}

}  // namespace

Error::Error(ErrorCode code, Parts parts) : code_(code), parts_(std::move(parts)), message_(compose(parts_)) {}

}  // namespace headflow
