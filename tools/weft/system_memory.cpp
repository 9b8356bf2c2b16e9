#include "system_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace weft::cli {

namespace {

namespace fs = std::filesystem;

// Empty for what cannot be read.
std::string content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::optional<std::uint64_t> number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// The number in a line that starts with `key`.
std::optional<std::uint64_t> number_after(std::string_view key, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    if (line.starts_with(key)) return number(line.substr(key.size()));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
  return std::nullopt;
}

std::uint64_t left(std::uint64_t limit, std::uint64_t used) {
  return limit - std::min(limit, used);
}

std::uint64_t free_in_machine(const fs::path& meminfo) {
  if (const auto kibibytes = number_after("MemAvailable:", content(meminfo))) {
    return *kibibytes * 1024;
  }
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// The names of a control group's files, which differ between the versions.
struct GroupFiles {
  std::string_view mount;  // below the root
  std::string_view limit, used;
  std::string_view inactive_files, active_files;  // in memory.stat
};
constexpr GroupFiles kVersion1 = {"memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file ", "total_active_file "};
constexpr GroupFiles kVersion2 = {"", "memory.max", "memory.current", "inactive_file ",
                                  "active_file "};

std::uint64_t left_in_group(const fs::path& folder, const GroupFiles& files) {
  const auto limit = number(content(folder / files.limit));  // none: "max"
  const auto used = number(content(folder / files.used));
  if (!limit || !used) return UINT64_MAX;
  const std::string statistics = content(folder / "memory.stat");
  const std::uint64_t droppable = number_after(files.inactive_files, statistics).value_or(0) +
                                  number_after(files.active_files, statistics).value_or(0);
  return left(*limit, left(*used, droppable));
}

// `line` is one of /proc/self/cgroup: "4:memory:/group/part", or "0::/group/part" of version 2.
std::uint64_t left_in_groups(std::string_view line, const fs::path& root) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(":/", first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return UINT64_MAX;
  const std::string controllers =
      ',' + std::string(line.substr(first + 1, second - first - 1)) + ',';
  const bool version2 = controllers == ",,";
  if (!version2 && controllers.find(",memory,") == std::string::npos) return UINT64_MAX;
  const GroupFiles& files = version2 ? kVersion2 : kVersion1;
  std::uint64_t result = UINT64_MAX;
  for (fs::path group = line.substr(second + 2);; group = group.parent_path()) {
    result = std::min(result, left_in_group(root / files.mount / group, files));
    if (group.empty()) return result;
  }
}

std::uint64_t left_of_address_space(const fs::path& statm) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  const std::uint64_t pages = number(content(statm)).value_or(0);
  return left(limit.rlim_cur, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace

std::uint64_t available_memory_bytes(const MemorySources& sources) {
  std::uint64_t result =
      std::min(free_in_machine(sources.meminfo), left_of_address_space(sources.statm));
  std::ifstream groups(sources.cgroup);
  for (std::string line; std::getline(groups, line);) {
    result = std::min(result, left_in_groups(line, sources.cgroup_root));
  }
  return result;
}

void require_memory(std::uint64_t size_in_bytes) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
  if (size_in_bytes >= kLarge && size_in_bytes > available_memory_bytes()) throw std::bad_alloc();
}

}  // namespace weft::cli
