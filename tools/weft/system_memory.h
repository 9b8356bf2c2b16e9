#pragma once

#include <cstdint>
#include <filesystem>

namespace weft::cli {

// Where Linux says how much memory there is.
struct MemorySources {
  std::filesystem::path meminfo = "/proc/meminfo";
  std::filesystem::path statm = "/proc/self/statm";
  std::filesystem::path cgroup = "/proc/self/cgroup";
  std::filesystem::path cgroup_root = "/sys/fs/cgroup";
};

// Bytes that this process can still fill: the least of
//
//   what the machine has free or can free                 MemAvailable
//   limit - use of each control group that it is in       versions 1 and 2, all levels
//   limit - use of its address space                      RLIMIT_AS (`ulimit -v`)
//
// Pages of files do not count as use of a control group: the system drops them when memory runs
// short. A program that fills more is killed, so nothing larger is ever tried. A source that cannot
// be read sets no limit; without MemAvailable the machine's whole memory does.
std::uint64_t available_memory_bytes(const MemorySources& sources = {});

// Throws std::bad_alloc when `size_in_bytes` more are not available. Less than 1 MiB is not worth
// the look, which takes a tenth of a millisecond.
void require_memory(std::uint64_t size_in_bytes);

}  // namespace weft::cli
