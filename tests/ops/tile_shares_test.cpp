#include "ops/tile_shares.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

namespace weft::ops {
namespace {

// Every block of every unit once; what a slot packed is there for the same unit alone.
void expect_right(const TileShares& shares, std::int64_t units, std::int64_t blocks,
                  unsigned slots) {
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(units * blocks));
  std::vector<std::int64_t> last(slots, -1);
  std::atomic<int> wrong = 0;
  shares.run(slots, [&](const TileShares::Share& share, unsigned slot, bool packed) {
    if (packed && last[slot] != share.unit) ++wrong;
    if (share.blocks < 1 || share.blocks > shares.most_blocks()) ++wrong;
    last[slot] = share.unit;
    for (std::int64_t i = 0; i < share.blocks; ++i) {
      ++calls[static_cast<std::size_t>(share.unit * blocks + share.first_block + i)];
    }
  });
  EXPECT_EQ(wrong, 0);
  for (const std::atomic<int>& count : calls) ASSERT_EQ(count, 1);
}

TEST(TileShares, TakesEachBlockOnce) {
  for (const unsigned threads : {1u, 2u, 3u, 16u, 40u}) {
    for (const std::int64_t units : {0, 1, 2, 3, 5, 7, 100}) {
      for (const std::int64_t blocks : {1, 2, 7, 18}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(units) + " units of " +
                     std::to_string(blocks));
        for (const std::int64_t most : {0, 1, 4, 100}) {
          const auto shares = TileShares::for_threads(units, blocks, most, threads);
          expect_right(shares, units, blocks, threads);
          EXPECT_GE(shares.tiles(), std::min<std::int64_t>(threads, units * blocks));
        }
        expect_right(TileShares(units, blocks, 4), units, blocks, threads);
      }
    }
  }
}

TEST(TileShares, OneThreadCutsNothing) {
  const auto shares = TileShares::for_threads(5, 8, 8, 1);
  EXPECT_EQ(shares.tiles(), 5);
  EXPECT_EQ(shares.most_blocks(), 8);
}

// As many shares for each thread where that is no more than asked for.
TEST(TileShares, ThreadsHaveEqualParts) {
  EXPECT_EQ(TileShares::for_threads(1, 18, 5, 2).tiles(), 4);
  EXPECT_EQ(TileShares::for_threads(1, 18, 100, 2).tiles(), 16);
  EXPECT_EQ(TileShares::for_threads(2, 8, 4, 2).tiles(), 8);
  EXPECT_EQ(TileShares::for_threads(33, 32, 1, 32).tiles(), 33);
  // A thread without work is worse than small shares.
  EXPECT_EQ(TileShares::for_threads(1, 40, 4, 32).tiles(), 32);
}

TEST(TileShares, OneThreadPacksOnceAUnit) {
  int packings = 0;
  const auto count = [&](const TileShares::Share&, unsigned, bool packed) { packings += !packed; };
  TileShares::for_threads(1, 8, 8, 2).run(1, count);
  EXPECT_EQ(packings, 1);
  packings = 0;
  TileShares(1, 8, 2).run(1, count);  // each for itself
  EXPECT_EQ(packings, 4);
}

// Of many units the first are whole, so that what they pack serves all their blocks.
TEST(TileShares, LastUnitsAreCut) {
  const auto shares = TileShares::for_threads(7, 8, 8, 2);
  EXPECT_EQ(shares.at(3).blocks, 8);
  EXPECT_LT(shares.at(4).blocks, 8);
  EXPECT_EQ(shares.at(4).unit, 4);
  EXPECT_EQ(TileShares::for_threads(16, 8, 8, 2).tiles(), 16);
}

}  // namespace
}  // namespace weft::ops
