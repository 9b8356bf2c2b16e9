#include "base/cpu_quota.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace weft::base {
namespace {

class CpuQuota : public ::testing::Test {
 protected:
  CpuQuota() { std::filesystem::create_directories(folder_); }
  ~CpuQuota() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  unsigned quota() const { return cpu_quota(folder_ / "groups", folder_ / "mount"); }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ("cpu_quota_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(CpuQuota, NothingToReadIsNoLimit) {
  EXPECT_EQ(quota(), 0u);
  write("groups", "0::/\n");
  EXPECT_EQ(quota(), 0u);
  write("mount/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 0u);
  write("mount/cpu.max", "");
  EXPECT_EQ(quota(), 0u);
}

TEST_F(CpuQuota, IsRoundedUp) {
  write("groups", "0::/\n");
  write("mount/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2u);
  write("mount/cpu.max", "210000 100000\n");
  EXPECT_EQ(quota(), 3u);
  write("mount/cpu.max", "1000 100000\n");
  EXPECT_EQ(quota(), 1u);
}

TEST_F(CpuQuota, TheTightestGroupCounts) {
  write("groups", "0::/machine/job/step\n");
  write("mount/machine/cpu.max", "400000 100000\n");
  write("mount/machine/job/cpu.max", "300000 100000\n");
  write("mount/machine/job/step/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 3u);
  write("mount/machine/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota(), 1u);
}

TEST_F(CpuQuota, OfVersionOne) {
  write("groups", "5:memory:/pod\n4:cpu,cpuacct:/pod\n1:name=systemd:/pod\n");
  write("mount/cpu,cpuacct/pod/cpu.cfs_quota_us", "-1\n");
  write("mount/cpu,cpuacct/pod/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 0u);
  write("mount/cpu,cpuacct/pod/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(quota(), 4u);
  // A container whose folder is its own group.
  write("mount/cpu/cpu.cfs_quota_us", "150000\n");
  write("mount/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2u);
}

TEST_F(CpuQuota, NonsenseIsNoLimit) {
  for (const char* groups : {"", ":", "::", "0:", "0::", "x\n\n:::\n", "1:cpu:\n"}) {
    write("groups", groups);
    for (const char* limit : {"-5 100000", "1 0", "x y", "nan nan", "0 0"}) {
      write("mount/cpu.max", limit);
      EXPECT_EQ(quota(), 0u) << groups << ' ' << limit;
    }
  }
}

}  // namespace
}  // namespace weft::base
