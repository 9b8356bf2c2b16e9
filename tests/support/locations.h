#pragma once

#include <string>

namespace weft::testing {

// Root of the source tree.
std::string source_dir();

// The `weft` command as built; empty when the build has none.
std::string weft_binary();

// Folder of the conformance cases: the environment variable WEFT_CONFORMANCE_DIR, or what the
// build was configured with. It need not exist.
std::string conformance_dir();

}  // namespace weft::testing
