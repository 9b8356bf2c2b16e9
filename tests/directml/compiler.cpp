#include "directml/compiler.h"

namespace weft::testing {

const std::vector<std::string>& client_compilers() {
  static const std::vector<std::string> compilers = {"g++", "clang++"};
  return compilers;
}

bool is_installed(const std::string& program) {
  return run_shell("command -v " + program).status == 0;
}

Outcome compile(const std::string& compiler, const std::string& source, const std::string& flags) {
  const bool to_file = flags.find("-o ") != std::string::npos;
  return run_shell(compiler + (to_file ? "" : " -fsyntax-only") +
                   " -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -Iinclude/directml"
                   " -isystem /usr/include/wsl/stubs -isystem /usr/include/directx " +
                   std::string(source.front() == '/' ? "" : "tests/directml/compiled/") + source +
                   " " + flags);
}

}  // namespace weft::testing
