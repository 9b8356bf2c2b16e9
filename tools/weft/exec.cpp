// `weft exec`: runs a program with Weft's libraries in front of all others of the same names.

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "command_line.h"
#include "commands.h"
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

}  // namespace

int exec(const ExecOptions& options) {
  if (!options.arguments.empty() && options.arguments.front() != "--") {
    throw BadInput("", fmt::format("{} is not expected here: '--' has to stand before a program "
                                   "with arguments: weft exec -- {} ...",
                                   quote(options.arguments.front()), printable(options.program)));
  }
  const std::string folder = library_folder().string();
  if (folder.find(':') != std::string::npos) {
    throw BadInput(folder, "a path with ':' cannot stand in LD_LIBRARY_PATH");
  }
  put_in_front("LD_LIBRARY_PATH", folder);
  if (options.trace) set_environment("WEFT_TRACE", "1");

  std::vector<char*> arguments = {const_cast<char*>(options.program.c_str())};
  for (std::size_t i = 1; i < options.arguments.size(); ++i) {
    arguments.push_back(const_cast<char*>(options.arguments[i].c_str()));
  }
  arguments.push_back(nullptr);
  // Ignored signals stay ignored in a new program, which expects them to be as usual.
  std::signal(SIGXFSZ, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  execvp(arguments[0], arguments.data());
  return refusal(options.program, errno);
}

}  // namespace weft::cli
