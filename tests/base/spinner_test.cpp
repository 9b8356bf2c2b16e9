#include "base/spinner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace weft::base {
namespace {

using Clock = std::chrono::steady_clock;
using Duration = Clock::duration;

constexpr auto kLongest = std::chrono::microseconds(256);

// How long it looked for what did not come. A lower bound holds however busy the machine is.
Duration in_vain(Spinner& spinner) {
  const auto begin = Clock::now();
  EXPECT_FALSE(spinner.until([] { return false; }));
  return Clock::now() - begin;
}

// Least of several: whoever else has the processor makes one long.
Duration least_in_vain(Spinner& spinner, int times) {
  Duration least = Duration::max();
  for (int i = 0; i < times; ++i) least = std::min(least, in_vain(spinner));
  return least;
}

class SpinnerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two processors";
  }

  Spinner spinner_{std::chrono::microseconds(kLongest).count()};
};

TEST_F(SpinnerTest, FindsAtOnceWhatIsThere) {
  int calls = 0;
  EXPECT_TRUE(spinner_.until([&] { return ++calls > 0; }));
  EXPECT_EQ(calls, 1);
}

TEST_F(SpinnerTest, LooksForAWhileAndForLessEachTimeInVain) {
  EXPECT_GE(in_vain(spinner_), kLongest);
  for (int i = 0; i < 10; ++i) in_vain(spinner_);
  EXPECT_LT(least_in_vain(spinner_, 10), kLongest / 8);
}

// A thread that takes long to wake comes late to each dispatch and would never find the next one
// if it looked for a shorter while than before: it would stay asleep for all of them.
TEST_F(SpinnerTest, TriesTheLongestWhileAgain) {
  for (int i = 0; i < 20; ++i) in_vain(spinner_);
  // A busy machine may take the processor away just when a trial is to end.
  bool again = false;
  for (int i = 0; i < 10 * 32 && !again; ++i) {
    int calls = 0;
    Clock::time_point begin;
    const bool found = spinner_.until([&] {
      if (calls++ == 0) begin = Clock::now();
      return Clock::now() - begin >= kLongest * 3 / 4;
    });
    again = found && calls > 1 && in_vain(spinner_) >= kLongest;
  }
  EXPECT_TRUE(again) << "what paid off is done again";
}

}  // namespace
}  // namespace weft::base
