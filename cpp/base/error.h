// The one exception type of the engine: what went wrong, where, what was found, what was expected.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace headflow {

enum class ErrorCode {
  kTruncated,           // The bytes end before the structure does.
  kBadMagic,            // Not a GGUF file at all.
  kUnsupportedVersion,  // A GGUF version other than 2 or 3.
  kMalformed,           // A length, type, offset or value that no valid file has.
  kMissingKey,          // Metadata that GPT-2 needs is absent.
  kMissingTensor,       // A tensor that GPT-2 needs is absent.
  kBadShape,            // A tensor's shape contradicts the metadata.
  kUnsupportedType,     // A tensor type other than F32, F16 and Q8_0 (or a row length it can't hold).
  kUnsupportedModel,    // Another architecture, or grouped K/V heads.
  kBadWeights,          // Infinite or NaN scales or values.
  kBadArgument,         // The caller asked for something that does not exist.
  kContextOverflow,     // More tokens than the model's context.
  kNotLoaded,           // The weights or stages that this needs are not there yet.
  kOutOfRange,          // A number that the format it must take cannot hold.
  kOutOfMemory,         // The machine has no room for it.
};

// The stable name of a code ("truncated", "bad_magic", ...), for programs.
[[nodiscard]] std::string_view name(ErrorCode code) noexcept;

// Reads as "WHERE: got GOT, expected EXPECTED. HINT"; parts that are empty are left out.
class Error : public std::exception {
 public:
  struct Parts {
    std::string where;      // Key, tensor or argument, with its byte offset where there is one.
    std::string got;        // What was found.
    std::string expected;   // What would have been right.
    std::string hint = {};  // What to do about it, one sentence without its full stop.
  };

  Error(ErrorCode code, Parts parts);

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const Parts& parts() const noexcept { return parts_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  Parts parts_;
  std::string message_;
};

}  // namespace headflow
