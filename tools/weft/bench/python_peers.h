#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "bench/contender.h"

namespace weft::cli::bench {

// PyTorch ("torch") and OpenCV ("opencv") as Debian has them for Python: both live in one child
// process, which runs bench/python_peers.py with /usr/bin/python3 and holds tensors of its own,
// rotating as ours do. It times each call itself; asking it costs nothing within the timing.
class PythonProcess;

// Starts the child. Throws Unavailable where there is no Python, or `script` cannot be run.
std::shared_ptr<PythonProcess> start_python(const std::filesystem::path& script);

// Throws Unavailable where the child's Python does not have the library.
std::unique_ptr<Peer> python_peer(std::shared_ptr<PythonProcess> process, const std::string& name);

}  // namespace weft::cli::bench
