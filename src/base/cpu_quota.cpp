#include "base/cpu_quota.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace weft::base {

namespace {

using std::filesystem::path;

constexpr double kNone = 0;

// In processors.
double share(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : kNone;
}

// Of one group.
double quota_in(const path& folder) {
  double quota = 0;
  double period = 0;
  if (std::ifstream file(folder / "cpu.max"); file >> quota >> period) return share(quota, period);
  std::ifstream quota_file(folder / "cpu.cfs_quota_us");
  std::ifstream period_file(folder / "cpu.cfs_period_us");
  return quota_file >> quota && period_file >> period ? share(quota, period) : kNone;
}

double least(double a, double b) { return a == kNone || (b != kNone && b < a) ? b : a; }

// Of a group and all that it is part of. A container may see its own group as the root.
double quota_above(const path& root, path group) {
  double result = quota_in(root);
  for (; group.has_relative_path(); group = group.parent_path()) {
    result = least(result, quota_in(root / group.relative_path()));
  }
  return result;
}

bool has_word(const std::string& list, const std::string& word) {
  return (',' + list + ',').find(',' + word + ',') != std::string::npos;
}

}  // namespace

unsigned cpu_quota(const path& groups, const path& mount) {
  double result = kNone;
  std::ifstream file(groups);
  // Lines as "4:cpu,cpuacct:/a/group", of version 2 "0::/a/group".
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const path group = line.substr(second + 1);
    if (controllers.empty()) result = least(result, quota_above(mount, group));
    if (!has_word(controllers, "cpu")) continue;
    result = least(result, quota_above(mount / controllers, group));
    result = least(result, quota_above(mount / "cpu", group));
  }
  return static_cast<unsigned>(std::ceil(std::min(result, 65536.0)));
}

}  // namespace weft::base
