#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::cli {

// Exit statuses of every subcommand.
inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kBadInput = 2;

// What the command line asks for. The action returns an exit status, and throws BadInput
// (problem.h) or weft::Error for bad input; main() prints what was thrown, as JSON too where that
// was asked for.
struct Context {
  std::function<int()> action;
  bool json = false;                   // --json
  std::string_view verdict = "valid";  // what is false in the document of a failure
};

// Fills the context. A status where there is nothing left to do: after --help and --version. Throws
// UsageError where the line cannot be understood; context.json is right then, too.
std::optional<int> parse_command_line(int argc, char** argv, Context& context);

struct UsageError {
  std::string message;
};

}  // namespace weft::cli
