// `weft exec`: runs a program with Weft's libraries in front of all others of the same names.

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "command.h"
#include "problem.h"
#include "text.h"

namespace weft::cli {

namespace {

namespace fs = std::filesystem;

// Exit statuses as shells, env and nohup have them.
constexpr int kCannotStart = 126;
constexpr int kNotFound = 127;

// The folder of libdirectml.so, libd3d12.so and libdxcore.so: counted from where this command lies,
// first as installed, then as built.
fs::path library_folder() {
  std::error_code failed;
  const fs::path here = fs::read_symlink("/proc/self/exe", failed).parent_path();
  if (failed) throw BadInput("/proc/self/exe", failed.message());
  const fs::path installed = (here / WEFT_LIBRARIES_FROM_BIN).lexically_normal();
  for (const fs::path& folder : {installed, (here / "../../lib/weft").lexically_normal()}) {
    if (fs::exists(folder / "libdirectml.so", failed)) return folder;
  }
  throw BadInput(installed.string(), "holds no libdirectml.so: this Weft was built without it");
}

void set_environment(const std::string& name, const std::string& value) {
  if (setenv(name.c_str(), value.c_str(), 1) != 0) throw BadInput(name, std::strerror(errno));
}

void put_in_front(const std::string& name, const std::string& folder) {
  const char* const before = std::getenv(name.c_str());
  const bool empty = before == nullptr || *before == '\0';
  set_environment(name, empty ? folder : folder + ":" + before);
}

// Why the program was not started, and the status that says so.
int refusal(const std::string& program, int error) {
  std::error_code ignored;
  const bool named_by_path = program.find('/') != std::string::npos;
  const bool exists = named_by_path && fs::exists(program, ignored);
  std::string why = std::strerror(error);
  int status = kCannotStart;
  if (exists && fs::is_directory(program, ignored)) {
    why = "is a folder";
  } else if (error == ENOENT && exists) {
    why = "cannot be started: the interpreter that it names does not exist";
  } else if (error == ENOENT || error == ENOTDIR) {
    why = named_by_path ? "does not exist" : "is in no folder of PATH";
    status = kNotFound;
  } else if (error == EACCES && exists) {
    why = "is not executable";
  }
  fmt::print(stderr, "weft: error: {} {}\n", quote(program), why);
  return status;
}

// What the command line asks for.
struct Request {
  std::string program;
  std::vector<std::string> arguments;  // as CLI11 left them: with the "--" before the program
  bool trace = false;
};

// Becomes the program; returns only when that fails.
int execute(const Request& request) {
  if (!request.arguments.empty() && request.arguments.front() != "--") {
    throw BadInput("", fmt::format("{} is not expected here: '--' has to stand before a program "
                                   "with arguments: weft exec -- {} ...",
                                   quote(request.arguments.front()), printable(request.program)));
  }
  const std::string folder = library_folder().string();
  if (folder.find(':') != std::string::npos) {
    throw BadInput(folder, "a path with ':' cannot stand in LD_LIBRARY_PATH");
  }
  put_in_front("LD_LIBRARY_PATH", folder);
  if (request.trace) set_environment("WEFT_TRACE", "1");

  std::vector<char*> arguments = {const_cast<char*>(request.program.c_str())};
  for (std::size_t i = 1; i < request.arguments.size(); ++i) {
    arguments.push_back(const_cast<char*>(request.arguments[i].c_str()));
  }
  arguments.push_back(nullptr);
  // Ignored signals stay ignored in a new program, which expects them to be as usual.
  std::signal(SIGXFSZ, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  execvp(arguments[0], arguments.data());
  return refusal(request.program, errno);
}

// Only the first line is unlike CLI11's own, which does not know the "--".
class Help : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*command*/, std::string /*name*/) const override {
    return "Usage: weft exec [OPTIONS] -- PROGRAM [ARGUMENTS]\n";
  }
};

}  // namespace

void add_exec(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "exec",
      "Runs a program that uses DirectML, with Weft's libdirectml.so, libd3d12.so and libdxcore.so "
      "in front. The exit status is the program's; 127: not found, 126: cannot be started.");
  const auto request = std::make_shared<Request>();
  command->add_option("program", request->program, "The program; found in PATH like any other")
      ->required()
      ->type_name("PROGRAM");
  command->add_flag("--trace", request->trace,
                    "Print each DirectML call with its time on stderr (WEFT_TRACE=1)");
  command->formatter(std::make_shared<Help>());
  command->prefix_command();  // behind the program's name, everything is the program's
  set_examples(*command, {"exec -- ./program", "exec --trace -- ./program --its-own options"});
  command->callback([&context, command, request] {
    request->arguments = command->remaining();
    context.action = [request] { return execute(*request); };
  });
}

}  // namespace weft::cli
