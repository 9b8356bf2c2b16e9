#include "com/fault.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "com/log.h"

namespace {

using weft::com::Severity;

// The environment is read once, so each expectation gets a process of its own.
class FaultDeathTest : public testing::Test {
 protected:
  FaultDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  // Exit status of a process with WEFT_FAULT set: what `call` gives at its calls 1, 2 and 3, as
  // bits.
  template <class Call>
  static void exit_with(const char* faults, Call call) {
    setenv("WEFT_FAULT", faults, 1);
    int bits = 0;
    for (int i = 0; i < 3; ++i) bits |= static_cast<int>(call()) << i;
    std::exit(bits);
  }
};

TEST_F(FaultDeathTest, NothingHappensUnasked) {
  EXPECT_EXIT(exit_with("", weft::com::fault_removes_device), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(exit_with("", weft::com::fault_out_of_memory), testing::ExitedWithCode(0), "");
}

TEST_F(FaultDeathTest, CountsFromOneAndFiresOnce) {
  EXPECT_EXIT(exit_with("device_removed@1", weft::com::fault_removes_device),
              testing::ExitedWithCode(1), "");
  EXPECT_EXIT(exit_with("device_removed@2", weft::com::fault_removes_device),
              testing::ExitedWithCode(2), "");
  EXPECT_EXIT(exit_with("feature_level=5_0,out_of_memory@3", weft::com::fault_out_of_memory),
              testing::ExitedWithCode(4), "");
}

TEST_F(FaultDeathTest, ReadsTheFeatureLevel) {
  const auto level = [](const char* faults) {
    setenv("WEFT_FAULT", faults, 1);
    std::exit(static_cast<int>(weft::com::fault_feature_level() >> 8));
  };
  EXPECT_EXIT(level("feature_level=5_0"), testing::ExitedWithCode(0x50), "");
  EXPECT_EXIT(level("device_removed@9,feature_level=6_2"), testing::ExitedWithCode(0x62), "");
  EXPECT_EXIT(level("feature_level=9"), testing::ExitedWithCode(0), "");
}

TEST_F(FaultDeathTest, UnknownSwitchesAreNamedInTheLog) {
  const auto run = [] {
    setenv("WEFT_LOG", "error", 1);
    exit_with("explode", weft::com::fault_removes_device);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "weft: error: WEFT_FAULT: .explode. is none of");
}

TEST_F(FaultDeathTest, LogPrintsWhatIsAskedFor) {
  const auto run = [](const char* level) {
    setenv("WEFT_LOG", level, 1);
    weft::com::log(Severity::error, "one");
    weft::com::log(Severity::warning, "two");
    weft::com::log(Severity::info, "three");
    std::exit(0);
  };
  EXPECT_EXIT(run("error"), testing::ExitedWithCode(0), "^weft: error: one\n$");
  EXPECT_EXIT(run("warning"), testing::ExitedWithCode(0), "one\nweft: warning: two\n$");
  EXPECT_EXIT(run("info"), testing::ExitedWithCode(0), "two\nweft: info: three\n$");
  EXPECT_EXIT(run(""), testing::ExitedWithCode(0), "^$");
}

}  // namespace
