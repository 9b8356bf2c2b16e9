// The `weft` command: reads the command line, runs one subcommand, turns failures into messages.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "files.h"
#include "json_output.h"
#include "problem.h"
#include "text.h"
#include "weft/info.h"

namespace weft::cli {

namespace {

using AddCommand = void (*)(CLI::App&, Context&);

constexpr AddCommand commands[] = {add_run,  add_check, add_shape, add_image,
                                   add_info, add_exec,  add_bench};

void print_error(std::string_view message) noexcept {
  std::fputs("weft: error: ", stderr);
  std::fwrite(message.data(), 1, message.size(), stderr);
  std::fputc('\n', stderr);
}

// CLI11 says no more than that a command is missing where it does not know the one given.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> rest = app.remaining();
  if (!app.get_subcommands().empty() || rest.empty()) return error.what();
  if (rest.front().starts_with('-')) return fmt::format("unknown option {}", quote(rest.front()));
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return fmt::format("{} is no command: there are {}{}", quote(rest.front()), join(names),
                     suggestion(rest.front(), names));
}

// What went wrong, a line each on stderr, and the document that --json promises.
int fail(const Context& context, const std::vector<Problem>& problems) {
  if (context.json) print_json_problems(context.verdict, problems);
  std::fflush(stdout);
  for (const Problem& problem : problems) print_error(problem.text());
  return kBadInput;
}

int parse_and_run(int argc, char** argv, Context& context) {
  CLI::App app("Runs DirectML operators on any Linux CPU.", "weft");
  app.set_version_flag("--version", fmt::format("weft {}", version()));
  app.require_subcommand(1);
  app.footer("'weft COMMAND --help' shows the options of a command, with examples.");
  for (const AddCommand add : commands) add(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version are exceptions too; those succeed.
    if (error.get_exit_code() == 0) return app.exit(error);
    // CLI11 has not looked at the whole line. After "--" come names.
    char** const options_end = std::find(argv, argv + argc, std::string_view("--"));
    context.json = std::find(argv, options_end, std::string_view("--json")) != options_end;
    const int status = fail(context, {{"", usage_message(app, error)}});
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
