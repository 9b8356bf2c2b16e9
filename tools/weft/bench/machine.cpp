#include "bench/machine.h"

#include <sys/resource.h>
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

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Machine this_machine() {
  return {processor_name(), default_thread_count(), cache_bytes(_SC_LEVEL2_CACHE_SIZE),
          cache_bytes(_SC_LEVEL3_CACHE_SIZE)};
}

LoadMeter::LoadMeter() : start_(now()) {}

double LoadMeter::others() const {
  const Times end = now();
  const double all = end.all - start_.all;
  if (all <= 0) return 0;
  const double others = (end.busy - start_.busy) - (end.own - start_.own);
  return std::clamp(others / all, 0.0, 1.0);
}

// "cpu user nice system idle iowait irq softirq steal ..." in ticks, over all processors.
LoadMeter::Times LoadMeter::now() {
  Times times;
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  constexpr int kIdle = 3, kIoWait = 4, kColumns = 8;
  double ticks = 0;
  for (int column = 0; column < kColumns && file >> ticks; ++column) {
    const double time = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    times.all += time;
    if (column != kIdle && column != kIoWait) times.busy += time;
  }
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    times.own += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return times;
}

}  // namespace weft::cli::bench
