#pragma once

#include <filesystem>

namespace weft::base {

// The processors whose time the control groups of this process may use up, as containers limit it,
// rounded up; 0 where nothing limits it or nothing can be read. `groups` is a file as
// /proc/self/cgroup, `mount` the folder of the groups' files, as /sys/fs/cgroup. Files of both
// versions: cpu.max, and cpu.cfs_quota_us with cpu.cfs_period_us.
// Source: Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1, scheduler/sched-bwc.rst.
unsigned cpu_quota(const std::filesystem::path& groups, const std::filesystem::path& mount);

}  // namespace weft::base
