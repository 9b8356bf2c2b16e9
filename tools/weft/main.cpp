// The `weft` command: reads the command line, runs one subcommand, turns failures into messages.

#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "commands.h"
#include "files.h"
#include "json_output.h"
#include "problem.h"
#include "weft/info.h"

namespace weft::cli {

namespace {

void print_error(std::string_view message) noexcept {
  std::fputs("weft: error: ", stderr);
  std::fwrite(message.data(), 1, message.size(), stderr);
  std::fputc('\n', stderr);
}

// What went wrong, a line each on stderr, and the document that --json promises.
int fail(const Context& context, const std::vector<Problem>& problems) {
  if (context.json) print_json_problems(context.verdict, problems);
  std::fflush(stdout);
  for (const Problem& problem : problems) print_error(problem.text());
  return kBadInput;
}

int parse_and_run(int argc, char** argv, Context& context) {
  try {
    if (const auto status = parse_command_line(argc, argv, context)) return *status;
  } catch (const UsageError& error) {
    const int status = fail(context, {{"", error.message}});
    std::fputs("Try 'weft --help' or 'weft COMMAND --help'.\n", stderr);
    return status;
  }
  best_isa();  // throws here for an unknown WEFT_MAX_ISA, so that no model is blamed for it
  return context.action();
}

// The last line of defence: whatever was thrown becomes messages and a status.
int guarded_main(int argc, char** argv) noexcept try {
  Context context;
  int status = kBadInput;
  try {
    status = parse_and_run(argc, argv, context);
  } catch (const std::exception&) {
    status = fail(context, problems_of_exception());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error("writing to standard output failed");
    return kBadInput;
  }
  return status;
} catch (const std::exception&) {
  print_error("out of memory");  // to say what went wrong takes hardly anything else
  return kBadInput;
}

}  // namespace

}  // namespace weft::cli

int main(int argc, char** argv) {
  // A file that grows past RLIMIT_FSIZE, a reader that goes away: errors of the write, not signals.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  weft::cli::clean_up_on_signals();
  return weft::cli::guarded_main(argc, argv);
}
