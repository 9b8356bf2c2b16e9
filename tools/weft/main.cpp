// The `weft` command: reads the command line, runs one subcommand, turns failures into messages.

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "problem.h"
#include "text.h"
#include "weft/error.h"
#include "weft/info.h"

namespace weft::cli {

namespace {

using AddCommand = void (*)(CLI::App&, Context&);

constexpr AddCommand commands[] = {add_run, add_check, add_shape, add_image, add_info};

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

// CLI11 reports --help and --version as exceptions too; those succeed.
int finish_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  print_error(usage_message(app, error));
  std::fputs("Try 'weft --help' or 'weft COMMAND --help'.\n", stderr);
  return kBadInput;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Runs DirectML operators on any Linux CPU.", "weft");
  app.set_version_flag("--version", fmt::format("weft {}", version()));
  app.require_subcommand(1);
  app.footer("'weft COMMAND --help' shows the options of a command, with examples.");
  Context context;
  for (const AddCommand add : commands) add(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return finish_parse(app, error);
  }
  best_isa();  // throws here for an unknown WEFT_MAX_ISA, so that no model is blamed for it
  return context.action();
}

// The last line of defence: whatever was thrown becomes one message and a status.
int guarded_main(int argc, char** argv) noexcept try {
  const int status = parse_and_run(argc, argv);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error("writing to standard output failed");
    return kBadInput;
  }
  return status;
} catch (const BadInput& error) {
  std::fflush(stdout);
  for (const Problem& problem : error.problems()) print_error(problem.text());
  return kBadInput;
} catch (const Error& error) {
  std::fflush(stdout);
  for (const Violation& violation : error.violations()) print_error(violation.text());
  if (error.violations().empty()) print_error(error.what());
  return kBadInput;
} catch (const std::bad_alloc&) {
  print_error("out of memory");
  return kBadInput;
} catch (const std::exception& error) {
  print_error(error.what());
  return kBadInput;
}

}  // namespace

void set_examples(CLI::App& command, std::initializer_list<std::string_view> arguments) {
  std::string text = "Examples:";
  for (const std::string_view line : arguments) text.append("\n  $ weft ").append(line);
  command.footer(text);
}

}  // namespace weft::cli

int main(int argc, char** argv) {
  // A file that grows past RLIMIT_FSIZE, a reader that goes away: errors of the write, not signals.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  return weft::cli::guarded_main(argc, argv);
}
