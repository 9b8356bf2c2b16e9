#include "ops/fold_tile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ops/fold_walk.h"

namespace weft::ops {
namespace {

using Rows = kernels::FoldRows;

// Steps of one term each, its offset 100 * step, for these numbers of phases.
FoldTile tile_of(const std::vector<std::int64_t>& planes) {
  FoldTile tile{};
  for (const std::int64_t count : planes) {
    const std::int64_t i = tile.step_count;
    tile.steps[static_cast<std::size_t>(tile.step_count++)] = {.plane = tile.phases,
                                                               .planes = count,
                                                               .first = true,
                                                               .term_count = 1,
                                                               .terms = {{{100 * i, i, i + 10}}}};
    tile.phases += count;
  }
  return tile;
}

Rows rows_of(const FoldTile& tile) {
  Rows rows{};
  rows.phases = tile.phases;
  rows.from_plane = 7;
  return rows;
}

TEST(FoldTerms, FewPhasesHaveTermsOfTheirOwn) {
  const FoldTile tile = tile_of({2, 1});
  Rows rows = rows_of(tile);
  ASSERT_TRUE(set_terms(tile, rows));
  const std::int64_t offsets[] = {0, 7, 100};
  for (std::int64_t phase = 0; phase < 3; ++phase) {
    EXPECT_EQ(rows.term_end[phase], phase + 1);
    EXPECT_EQ(rows.terms[phase].offset, offsets[phase]);
    EXPECT_EQ(rows.terms[phase].begin, phase / 2);
    EXPECT_EQ(rows.terms[phase].end, phase / 2 + 10);
  }
}

TEST(FoldTerms, PhasesOfASquareShareThem) {
  FoldTile tile = tile_of({16});
  tile.steps[0].term_count = 2;
  tile.steps[0].terms[1] = {500, 3, 4};
  Rows rows = rows_of(tile);
  ASSERT_TRUE(set_terms(tile, rows));
  EXPECT_EQ(rows.term_end[0], 2);
  EXPECT_EQ(rows.terms[1].offset, 500);
}

TEST(FoldTerms, SquaresOfSeveralKindsDoNotFit) {
  const FoldTile tile = tile_of({9, 7});
  Rows rows = rows_of(tile);
  EXPECT_FALSE(set_terms(tile, rows));
}

TEST(FoldTerms, AsManyAsThereIsRoomFor) {
  for (const std::int64_t extra : {0, 1}) {
    FoldTile tile = tile_of({1, 1, 1, 1});
    for (FoldStep& step : tile.steps) step.term_count = 4;
    if (extra == 1) tile.steps[tile.step_count++] = tile.steps[3];
    Rows rows = rows_of(tile);
    EXPECT_EQ(set_terms(tile, rows), extra == 0);
  }
}

TEST(FoldTerms, StepsThatWereNotKeptDoNotFit) {
  FoldTile tile = tile_of({1});
  tile.step_count = kKeptSteps + 1;
  Rows rows = rows_of(tile);
  EXPECT_FALSE(set_terms(tile, rows));
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

TEST(EvenChunk, PartsDifferByLittle) {
  EXPECT_EQ(even_chunk(10, 4), 4);
  EXPECT_EQ(even_chunk(9, 8), 5);
  EXPECT_EQ(even_chunk(9, 100), 9);
  EXPECT_EQ(even_chunk(9, 0), 1);
}

}  // namespace
}  // namespace weft::ops
