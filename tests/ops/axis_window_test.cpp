#include "ops/axis_window.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::ops {
namespace {

std::vector<Phase> phases() {
  std::vector<Phase> result;
  for (const auto direction : {ConvolutionDirection::forward, ConvolutionDirection::backward}) {
    for (const std::int64_t stride : {1, 2, 3}) {
      for (const std::int64_t dilation : {1, 2, 5}) {
        const ConvolutionAxis axis(direction, 20, 12, 5, stride, dilation, 3, 0);
        for (std::int64_t p = 0; p < axis.phase_count(); ++p) {
          if (axis.phase(p).taps > 0) result.push_back(axis.phase(p));
        }
      }
    }
  }
  return result;
}

// Every position and tap read the element that holds their input position.
void check_window(const AxisWindow& window, const Phase& phase, std::int64_t first,
                  std::int64_t count) {
  for (std::int64_t t = 0; t < count; ++t) {
    for (std::int64_t j = 0; j < phase.taps; ++j) {
      const std::int64_t element = t * window.step + window.tap(j) + window.origin;
      ASSERT_GE(element, 0);
      ASSERT_LT(element, window.size);
      EXPECT_EQ(window.source(element), (first + t) * phase.in_step + phase.offset(j));
    }
  }
}

TEST(AxisWindow, HoldsWhatPositionsAndTapsRead) {
  for (const Phase& phase : phases()) {
    const auto [low, high] = offset_range(phase);
    for (const std::int64_t count : {1, 3}) {
      check_window(AxisWindow::near_taps(phase, 1, count, low, high), phase, 1, count);
      check_window(AxisWindow::near_taps(phase, 1, count, low - 2, high + 1), phase, 1, count);
      check_window(AxisWindow::far_taps(phase, 1, count), phase, 1, count);
      if (phase.offset_step < 0) continue;
      check_window(AxisWindow::by_remainder(phase, 1, count), phase, 1, count);
    }
  }
}

TEST(AxisWindow, RunsAreOfWholeVectorsAndLeaveRoomBehindWhatIsRead) {
  constexpr std::int64_t kLanes = 16;
  for (const Phase& phase : phases()) {
    if (phase.offset_step < 0 && phase.in_step != 1) continue;
    for (const std::int64_t count : {1, 3, 16, 18}) {
      const AxisWindow window = AxisWindow::in_vectors(phase, 1, count, kLanes);
      check_window(window, phase, 1, count);
      EXPECT_EQ(window.step, 1);
      EXPECT_EQ(window.run() % kLanes, 0);
      EXPECT_EQ(window.size % window.run(), 0);
      for (std::int64_t j = 0; j < phase.taps; ++j) {
        const std::int64_t last = count - 1 + window.tap(j) + window.origin;
        EXPECT_LT(last % window.run(), window.run() - (kLanes - 1));
      }
    }
  }
}

TEST(AxisWindow, BoundIsTheSmallerWindow) {
  for (const Phase& phase : phases()) {
    const auto [low, high] = offset_range(phase);
    const std::int64_t near = AxisWindow::near_taps(phase, 0, 4, low, high).size;
    const std::int64_t far = AxisWindow::far_taps(phase, 0, 4).size;
    EXPECT_EQ(window_bound(phase, phase.taps, 4), std::min(near, far));
  }
}

TEST(AxisWindow, WithoutPaddingHoldsWhatIsReadOfTheInput) {
  for (const Phase& phase : phases()) {
    const auto [low, high] = offset_range(phase);
    for (const std::int64_t in_size : {1, 4, 9, 20}) {
      AxisWindow window = AxisWindow::near_taps(phase, 1, 3, low, high);
      window.leave_out_padding(in_size);
      EXPECT_LE(0, window.size);
      EXPECT_LE(0, window.lowest);
      EXPECT_LE(window.lowest + window.size, in_size);
      for (std::int64_t t = 0; t < 3; ++t) {
        for (std::int64_t j = 0; j < phase.taps; ++j) {
          const std::int64_t position = (1 + t) * phase.in_step + phase.offset(j);
          if (position < 0 || position >= in_size) continue;
          EXPECT_EQ(window.source(t * window.step + window.tap(j) + window.origin), position);
        }
      }
    }
  }
}

TEST(AxisWindow, TapsInsideAreThoseThatReadTheInput) {
  for (const Phase& phase : phases()) {
    for (const std::int64_t first : {0, 2, 5}) {
      const auto [begin, end] = taps_inside(phase, first, 2, 20);
      for (std::int64_t j = 0; j < phase.taps; ++j) {
        bool reads = false;
        for (std::int64_t t = first; t < first + 2; ++t) {
          const std::int64_t position = t * phase.in_step + phase.offset(j);
          reads |= position >= 0 && position < 20;
        }
        if (reads) {
          EXPECT_TRUE(j >= begin && j < end) << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::ops
