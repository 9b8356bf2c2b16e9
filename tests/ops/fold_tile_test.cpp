#include "ops/fold_tile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ops/fold_walk.h"

namespace weft::ops {
namespace {

using Rows = kernels::FoldRows;

// One term each, its offset 100 * step, for these numbers of phases.
FoldSteps steps_of(const std::vector<std::int64_t>& planes) {
  FoldSteps steps{};
  std::int64_t plane = 0;
  for (const std::int64_t count : planes) {
    const std::int64_t i = steps.count;
    steps.kept[static_cast<std::size_t>(steps.count++)] = {.plane = plane,
                                                           .planes = count,
                                                           .first = true,
                                                           .term_count = 1,
                                                           .terms = {{{100 * i, i, i + 10}}}};
    plane += count;
  }
  return steps;
}

Rows rows_of(std::int64_t phases) {
  Rows rows{};
  rows.phases = phases;
  rows.from_plane = 7;
  return rows;
}

TEST(FoldTerms, FewPhasesHaveTermsOfTheirOwn) {
  Rows rows = rows_of(3);
  ASSERT_TRUE(set_terms(steps_of({2, 1}), rows));
  const std::int64_t offsets[] = {0, 7, 100};
  for (std::int64_t phase = 0; phase < 3; ++phase) {
    EXPECT_EQ(rows.term_end[phase], phase + 1);
    EXPECT_EQ(rows.terms[phase].offset, offsets[phase]);
    EXPECT_EQ(rows.terms[phase].begin, phase / 2);
    EXPECT_EQ(rows.terms[phase].end, phase / 2 + 10);
  }
}

TEST(FoldTerms, PhasesOfASquareShareThem) {
  FoldSteps steps = steps_of({16});
  steps.kept[0].term_count = 2;
  steps.kept[0].terms[1] = {500, 3, 4};
  Rows rows = rows_of(16);
  ASSERT_TRUE(set_terms(steps, rows));
  EXPECT_EQ(rows.term_end[0], 2);
  EXPECT_EQ(rows.terms[1].offset, 500);
}

TEST(FoldTerms, SquaresOfSeveralKindsDoNotFit) {
  Rows rows = rows_of(16);
  EXPECT_FALSE(set_terms(steps_of({9, 7}), rows));
}

TEST(FoldTerms, AsManyAsThereIsRoomFor) {
  for (const std::int64_t extra : {0, 1}) {
    FoldSteps steps = steps_of({1, 1, 1, 1});
    for (FoldStep& step : steps.kept) step.term_count = 4;
    if (extra == 1) steps.kept[steps.count++] = steps.kept[3];
    Rows rows = rows_of(4);
    EXPECT_EQ(set_terms(steps, rows), extra == 0);
  }
}

TEST(FoldTerms, StepsThatWereNotKeptDoNotFit) {
  FoldSteps steps = steps_of({1});
  steps.count = kKeptSteps + 1;
  Rows rows = rows_of(1);
  EXPECT_FALSE(set_terms(steps, rows));
}

TEST(FoldWalk, LeadsToEachNextTile) {
  FoldWalk walk;
  const std::int64_t counts[] = {3, 1, 4, 2}, steps[] = {16, 1000, 7, 300};
  for (int i = 0; i < 4; ++i) walk.add(counts[i], steps[i]);
  const auto place = [&](std::int64_t tile) {
    std::int64_t result = 0;
    for (int i = 0; i < 4; ++i) {
      result += tile % counts[i] * steps[i];
      tile /= counts[i];
    }
    return result;
  };
  for (std::int64_t tile = 0; tile + 1 < 24; ++tile) {
    EXPECT_EQ(walk.ahead(tile), place(tile + 1) - place(tile)) << tile;
  }
  EXPECT_EQ(walk.ahead(23), 0);
  EXPECT_EQ(FoldWalk().ahead(5), 0);
}

TEST(LengthenLast, TakesTheLongestWithoutWindows) {
  const auto order = [](const std::vector<std::int64_t>& images) {
    std::vector<WindowAxis> axes;
    for (const std::int64_t image : images) axes.push_back({image, 1, 0, {1, 1, 0}, {image, 1, 1}});
    lengthen_last(axes);
    std::vector<std::int64_t> result;
    for (const WindowAxis& axis : axes) result.push_back(axis.image);
    return result;
  };
  EXPECT_EQ(order({5, 9, 2, 3}), (std::vector<std::int64_t>{5, 2, 3, 9}));
  EXPECT_EQ(order({5, 9, 2, 8}), (std::vector<std::int64_t>{5, 9, 2, 8}));
}

TEST(EvenChunk, PartsDifferByLittle) {
  EXPECT_EQ(even_chunk(10, 4), 4);
  EXPECT_EQ(even_chunk(9, 8), 5);
  EXPECT_EQ(even_chunk(9, 100), 9);
  EXPECT_EQ(even_chunk(9, 0), 1);
}

}  // namespace
}  // namespace weft::ops
