#include "com/adapter.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace weft::com {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

std::uint64_t physical_memory() noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return std::uint64_t{1} << 40;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

// UINT64_MAX where there is no limit or no control group.
std::uint64_t control_group_limit() noexcept try {
  std::uint64_t limit = 0;
  return std::ifstream("/sys/fs/cgroup/memory.max") >> limit ? limit : UINT64_MAX;
} catch (...) {
  return UINT64_MAX;
}

}  // namespace

std::string adapter_description() { return "Weft (" + processor_name() + ")"; }

std::uint64_t memory_limit_in_bytes() noexcept {
  static const std::uint64_t limit = std::min(physical_memory(), control_group_limit());
  return limit;
}

}  // namespace weft::com
