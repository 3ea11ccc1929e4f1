// What the command takes for its arguments: numbers in decimal alone, and empty values that are values.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace headflow::cli {

// The arguments without the program's name. "--option=" becomes the option and an empty value: left as it is, it would
// take the next argument for its value.
[[nodiscard]] std::vector<std::string> read_arguments(int argc, const char* const* argv);

// A whole number from `least` to `most`, in decimal digits and nothing else.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least = 0,
                                          std::uint64_t most = std::numeric_limits<std::uint32_t>::max());
// A number in decimal notation that is finite.
[[nodiscard]] CLI::Validator decimal_number();
// A size in bytes: a whole number, and kB, MB, GB (powers of 1000) or KiB, MiB, GiB (of 1024) where one follows.
// Becomes the number of bytes. Throws CLI::ValidationError.
[[nodiscard]] std::uint64_t parse_size(const std::string& text);

// One line on what is wrong with the arguments, and what to do.
[[nodiscard]] std::string usage_error(const CLI::App& app, const CLI::ParseError& error,
                                      const std::vector<std::string>& arguments);

}  // namespace headflow::cli
