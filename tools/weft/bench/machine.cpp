#include "bench/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "text.h"
#include "weft/info.h"

namespace weft::cli::bench {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return printable(line.substr(colon + 2));
    }
  }
  return "unknown";
}

std::uint64_t cache_bytes(int name) {
  return static_cast<std::uint64_t>(std::max(0L, sysconf(name)));
}

}  // namespace

Machine this_machine() {
  return {processor_name(), default_thread_count(), cache_bytes(_SC_LEVEL2_CACHE_SIZE),
          cache_bytes(_SC_LEVEL3_CACHE_SIZE)};
}

}  // namespace weft::cli::bench
