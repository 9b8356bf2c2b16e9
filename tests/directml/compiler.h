#pragma once

#include <string>
#include <vector>

#include "support/command.h"

namespace weft::testing {

// The compilers that DirectML programs are built with.
const std::vector<std::string>& client_compilers();

bool is_installed(const std::string& program);

// Compiles `source`, a file of tests/directml/compiled/ or an absolute path, as a stranger's
// program sees the header: our folder with -I, warnings are errors. `flags` come last. Without
// "-o", only checks.
Outcome compile(const std::string& compiler, const std::string& source, const std::string& flags);

}  // namespace weft::testing

// In a test of a compiler: skipped where it is not installed.
#define WEFT_NEEDS_COMPILER(compiler) \
  if (!is_installed(compiler)) GTEST_SKIP() << (compiler) << " is not installed"
