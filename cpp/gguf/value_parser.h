// A metadata value that arrives in pieces: what was parsed of an array is not parsed again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gguf/cursor.h"
#include "gguf/header.h"

namespace headflow::gguf {

// The type that the next 4 bytes name; throws where there is none.
[[nodiscard]] ValueType peek_type(const Cursor& cursor, const std::string& what, std::size_t skipped = 0);

class ValueParser {
 public:
  // `what` names the value in errors.
  ValueParser(ValueType type, std::string what) : what_(std::move(what)) { value_.type = type; }

  // Takes what is there. True once the value is whole; false where bytes are still to come.
  [[nodiscard]] bool parse(Cursor& cursor);

  // After `parse` said true.
  [[nodiscard]] Value take() { return std::move(value_); }

 private:
  struct OpenArray {
    Array array;
    std::uint64_t left = 0;  // Elements still to come.
  };

  bool parse_scalar(Cursor& cursor);
  bool open_array(Cursor& cursor);
  bool fill(OpenArray& open, Cursor& cursor) const;
  bool fill_numbers(OpenArray& open, Cursor& cursor) const;
  bool fill_strings(OpenArray& open, Cursor& cursor) const;
  void require_bools(std::span<const std::byte> bytes, std::uint64_t offset) const;

  std::string what_;
  Value value_;
  std::vector<OpenArray> open_;  // Outermost first.
};

}  // namespace headflow::gguf
