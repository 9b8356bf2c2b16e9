#include "dml/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "weft/error.h"

namespace weft::dml {
namespace {

struct Random {
  explicit Random(unsigned seed) : engine(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
  std::mt19937 engine;
};

// Every piece aligned, none in the way of another that lives at the same time.
void expect_valid(const std::vector<Lifetime>& pieces, std::uint64_t height) {
  for (std::size_t a = 0; a < pieces.size(); ++a) {
    EXPECT_EQ(pieces[a].offset_in_bytes % kMemoryAlignment, 0u);
    EXPECT_LE(pieces[a].offset_in_bytes + pieces[a].size_in_bytes, height);
    for (std::size_t b = a + 1; b < pieces.size(); ++b) {
      const bool meet = pieces[a].first_step <= pieces[b].last_step &&
                        pieces[b].first_step <= pieces[a].last_step;
      const bool apart =
          pieces[a].offset_in_bytes + pieces[a].size_in_bytes <= pieces[b].offset_in_bytes ||
          pieces[b].offset_in_bytes + pieces[b].size_in_bytes <= pieces[a].offset_in_bytes;
      EXPECT_TRUE(!meet || apart) << a << " and " << b;
    }
  }
}

TEST(MemoryPlan, NothingNeedsNothing) { EXPECT_EQ(plan_memory({}), 0u); }

TEST(MemoryPlan, SizesAreRoundedUp) {
  std::vector<Lifetime> pieces = {{0, 1, 1}, {1, 2, 257}};
  EXPECT_EQ(plan_memory(pieces), 256u + 512u);
  expect_valid(pieces, 768);
}

// Each step reads what the one before wrote and has scratch memory of its own.
TEST(MemoryPlan, ChainNeedsItsWidestCut) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> pieces;
    const std::uint32_t steps = 2 + random() % 12;
    for (std::uint32_t s = 0; s < steps; ++s) {
      if (s + 1 < steps) pieces.push_back({s, s + 1, 1 + random() % 100000});
      if (random() % 2 == 0) pieces.push_back({s, s, 1 + random() % 100000});
    }
    const std::uint64_t least = widest_cut(pieces);
    EXPECT_EQ(plan_memory(pieces), least) << "round " << round;
    expect_valid(pieces, least);
  }
}

TEST(MemoryPlan, AnyLifetimesGiveAValidPlanNearTheCut) {
  Random random(8);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> pieces(2 + random() % 30);
    for (Lifetime& piece : pieces) {
      piece.first_step = random() % 20;
      piece.last_step = piece.first_step + random() % 6;
      piece.size_in_bytes = 1 + random() % 100000;
    }
    const std::uint64_t least = widest_cut(pieces);
    const std::uint64_t height = plan_memory(pieces);
    EXPECT_GE(height, least);
    EXPECT_LE(height, least * 3 / 2) << "round " << round;
    expect_valid(pieces, height);
  }
}

TEST(MemoryPlan, SumsThatDoNotFitAreRefused) {
  std::vector<Lifetime> pieces = {{0, 0, UINT64_MAX}};
  EXPECT_THROW(plan_memory(pieces), Error);
  pieces = {{0, 0, 1ull << 62}, {1, 1, 1ull << 62}};
  EXPECT_THROW(plan_memory(pieces), Error);
}

}  // namespace
}  // namespace weft::dml
