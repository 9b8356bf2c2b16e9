#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <string>

#include "base/parallel.h"
#include "support/guard_page.h"
#include "weft/weft.h"

namespace weft::large {

// The most elements that a tensor may have: 2^32 - 1 = 65535 * 65537.
inline constexpr std::uint32_t kRows = 65535;
inline constexpr std::uint32_t kColumns = 65537;
inline constexpr std::int64_t kMost = std::int64_t{kRows} * kColumns;

// Tests of these sizes take minutes and gigabytes: they run only when asked for.
class LargeTest : public ::testing::Test {
 protected:
  // Skips, saying why, unless WEFT_FULL_TESTS is 1 and the machine has the memory. Where it has,
  // but others use it, the test fails: it was asked for and did not run.
  void needs_gigabytes(double gigabytes) {
    const char* full = std::getenv("WEFT_FULL_TESTS");
    if (full == nullptr || std::string(full) != "1") {
      GTEST_SKIP() << "set WEFT_FULL_TESTS=1 (scripts/test --full) to run it";
    }
    const double has = memory_gigabytes("MemTotal:");
    if (gigabytes > has) {
      GTEST_SKIP() << "takes " << gigabytes << " GB of memory, this machine has " << has;
    }
    const double free = memory_gigabytes("MemAvailable:");
    if (gigabytes > free) {
      FAIL() << "takes " << gigabytes << " GB of memory, only " << free << " of " << has
             << " are free";
    }
  }

  // Whether needs_gigabytes() found that the test cannot run.
  static bool cannot_run() { return IsSkipped() || HasFatalFailure(); }

 private:
  // A line of /proc/meminfo; infinity where there is none.
  static double memory_gigabytes(const std::string& line) {
    std::ifstream file("/proc/meminfo");
    std::string word;
    double kilobytes = 0;
    while (file >> word) {
      if (word == line && file >> kilobytes) return kilobytes * 1024 / 1e9;
    }
    return std::numeric_limits<double>::infinity();
  }
};

// A byte for every index, without a period that a stride could hide behind.
inline std::uint8_t pattern(std::int64_t i) {
  return static_cast<std::uint8_t>(i * 7 + (i >> 8) * 13 + (i >> 16) * 31 + (i >> 24) * 61);
}

inline void fill_with_pattern(const testing::GuardedMemory& memory) {
  constexpr std::int64_t kBlock = 1 << 20;
  auto* bytes = memory.as<std::uint8_t>();
  const auto size = static_cast<std::int64_t>(memory.size());
  base::parallel_tiles(base::thread_count(), (size + kBlock - 1) / kBlock,
                       [&](std::int64_t block, unsigned) {
                         const std::int64_t end = std::min(size, (block + 1) * kBlock);
                         for (std::int64_t i = block * kBlock; i < end; ++i) bytes[i] = pattern(i);
                       });
}

// Calls check(i) for the first, the last and the middle elements, those around each multiple of
// 2^31, and many at random; stops at the first failure.
template <class Check>
void check_selected(std::int64_t count, const Check& check) {
  const auto around = [&](std::int64_t center) {
    for (std::int64_t i = center - 2000; i < center + 2000; ++i) {
      if (i < 0 || i >= count) continue;
      check(i);
      if (::testing::Test::HasFailure()) return;
    }
  };
  around(0);
  around(count);
  around(count / 2);
  for (std::int64_t i = std::int64_t{1} << 31; i < count; i += std::int64_t{1} << 31) around(i);
  std::mt19937_64 random(20240921);
  for (int i = 0; i < 200000 && !::testing::Test::HasFailure(); ++i) {
    check(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)));
  }
}

inline ConstBuffer input(const testing::GuardedMemory& memory) {
  return {memory.data(), memory.size()};
}
inline Buffer output(const testing::GuardedMemory& memory) {
  return {memory.data(), memory.size()};
}

}  // namespace weft::large
