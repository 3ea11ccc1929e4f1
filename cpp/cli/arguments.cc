#include "cli/arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "cli/terminal.h"

namespace headflow::cli {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> kUnits = {{{"", 1},
                                                                               {"B", 1},
                                                                               {"kB", 1000},
                                                                               {"MB", 1000000},
                                                                               {"GB", 1000000000},
                                                                               {"KiB", 1ULL << 10},
                                                                               {"MiB", 1ULL << 20},
                                                                               {"GiB", 1ULL << 30}}};

// A number in decimal digits at the start of `text`, which it is taken from; false where there is none that fits.
// Leading zeros are refused: elsewhere they mean octal.
bool take_digits(std::string_view& text, std::uint64_t& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (failure != std::errc{} || (length > 1 && text.front() == '0')) return false;
  text.remove_prefix(length);
  return true;
}

}  // namespace

std::vector<std::string> read_arguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  bool options = true;
  for (const std::string argument : std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0)) {
    options = options && argument != "--";
    if (options && argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      arguments.push_back(argument.substr(0, argument.size() - 1));
      arguments.emplace_back();
    } else {
      arguments.push_back(argument);
    }
  }
  return arguments;
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](std::string& text) -> std::string {
            std::string_view rest = text;
            std::uint64_t value = 0;
            if (take_digits(rest, value) && rest.empty() && value >= least && value <= most) return "";
            return "got \"" + text + "\", expected a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most) + ", in decimal digits";
          },
          "NUMBER"};
}

CLI::Validator decimal_number() {
  return {[](std::string& text) -> std::string {
            double value = 0;
            const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (failure == std::errc{} && end == text.data() + text.size() && std::isfinite(value)) return "";
            return "got \"" + text + "\", expected a number";
          },
          "NUMBER"};
}

std::uint64_t parse_size(const std::string& text) {
  std::string_view rest = text;
  std::uint64_t value = 0;
  if (take_digits(rest, value) && value > 0) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const auto* const unit = std::ranges::find(kUnits, rest, &std::pair<std::string_view, std::uint64_t>::first);
    if (unit != kUnits.end() && value <= std::numeric_limits<std::uint64_t>::max() / unit->second) {
      return value * unit->second;
    }
  }
  throw CLI::ValidationError("--size",
                             "got \"" + text + "\", expected a size above 0, such as 20MB, 20MiB or 20000000");
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const bool known =
      !arguments.empty() && std::ranges::any_of(app.get_subcommands({}), [&](const CLI::App* subcommand) {
        return subcommand->get_name() == arguments.front();
      });
  std::string text;
  if (!arguments.empty() && !known && !arguments.front().starts_with('-')) {
    text = "no subcommand \"" + arguments.front() + '"';
  } else {
    text = error.what();
  }
  const bool leftover = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                        dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const auto dashed = [](const std::string& argument) {
    return argument.size() > 1 && argument.starts_with('-') && argument != "--";
  };
  std::string hint = known ? "headflow " + arguments.front() + " --help says what it takes"
                           : std::string("headflow --help lists the subcommands");
  if (leftover && known && std::ranges::any_of(arguments, dashed))
    hint += "; a text that begins with a dash goes after --";
  return one_line(text) + ". " + hint;
}

}  // namespace headflow::cli
