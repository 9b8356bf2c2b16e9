#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/strips.h"
#include "kernels/kernel_test.h"
#include "support/number.h"

namespace weft::kernels {
namespace {

class GemmPackedTest : public KernelTest<GemmKernel> {
 protected:
  void fill(std::span<float> values) {
    std::uniform_real_distribution<float> distribution(-1, 1);
    for (float& value : values) value = distribution(random_);
  }

  // Of the first columns of a tile; `before`: what a chain begins with.
  float add_product(float a, float b, float before) const {
    return GetParam().isa < Isa::avx2 ? a * b + before : std::fmaf(a, b, before);
  }

  std::mt19937_64 random_{20261128};
};

INSTANTIATE_TEST_SUITE_P(, GemmPackedTest,
                         ::testing::ValuesIn(rows_with(&GemmKernel::packed_strips,
                                                       gemm_kernel_table())),
                         level_name<GemmKernel>);

struct PackedCase {
  std::int64_t depth, gap, count;
  bool bias, fetches_sums;
  std::int64_t chain = 1000;
};

// Where they lie, laid out as they are read, and read as they were laid out; of full panels and of
// such as have room for more.
TEST_P(GemmPackedTest, StripsAreSumsInChains) {
  const PackedCase cases[] = {
      {0, 0, 2, true, false},     {1, 1, 1, false, true},      {3, 0, 3, true, true},
      {4, 2, 1, true, true},      {12, 0, 2, false, true},     {13, 3, 4, true, true},
      {31, 0, 3, true, false},    {66, 1, 5, true, true},      {66, 1, 3, true, true, 66},
      {66, 0, 2, true, true, 65}, {66, 2, 3, false, true, 22}, {37, 0, 3, true, false, 6},
      {9, 0, 2, true, true, 1}};
  for (std::int64_t vectors = 1; vectors <= kGemmMaxVectors; ++vectors) {
    if (GetParam().packed_strips(vectors, 1) == nullptr) continue;  // not of so many
    const std::int64_t most = GetParam().max_positions[vectors - 1];
    for (std::int64_t m = 1; m <= most; ++m) {
      for (const PackedCase& c : cases) {
        SCOPED_TRACE(::testing::Message() << vectors << " x " << m << ", " << c.depth << " terms");
        const std::int64_t columns = vectors * GetParam().lanes;
        const std::int64_t a_row = m < most ? m + c.depth % 3 : m;
        const std::int64_t pitch = columns + c.gap, stride = c.count * pitch;
        const std::int64_t size = m * stride - c.gap;
        const std::int64_t strip = c.depth * columns + c.gap * GetParam().lanes;
        const StridedArray<float> a(c.depth * a_row, 1), bias(m, 1), sums(size, 1, 7.0f);
        const StridedArray<float> from(c.depth == 0 ? 0 : c.depth + c.count - 2 + columns, 1);
        const StridedArray<float> laid_out(c.count * strip, 1);
        const StridedArray<float> packed(c.count * std::min(c.chain, c.depth) * columns, 1);
        const StridedArray<float> kept(c.count * m * columns, 1, 5.0f);
        fill(a.all());
        fill(from.all());
        fill(bias.all());
        std::vector<GemmTerm> terms;
        for (std::int64_t k = 0; k < c.depth; ++k) terms.push_back({k * m, c.depth - 1 - k});
        std::vector<GemmPlace> places;
        for (std::int64_t i = 0; i < c.count; ++i) {
          for (std::int64_t n = 0; n < c.depth * columns; ++n) {
            laid_out[i * strip + n] = from[i + terms[n / columns].b + n % columns];
          }
          places.push_back({i, (c.count - 1 - i) * pitch});
        }
        places.insert(places.end(), kGemmPlacesAhead, places.back());
        const Ramp* const bent = c.depth % 2 != 0 ? &kSomeRamp : nullptr;
        std::vector<float> expected(static_cast<std::size_t>(size), 7.0f);
        for (std::int64_t i = 0; i < c.count; ++i) {
          for (std::int64_t n = 0; n < m * columns; ++n) {
            float sum = 0, of_chain = 0;
            for (std::int64_t k = 0; k < c.depth; ++k) {
              if (k > 0 && k % c.chain == 0) {
                sum += of_chain;
                of_chain = 0;
              }
              of_chain = add_product(a[k * a_row + n / columns], from[i + terms[k].b + n % columns],
                                     of_chain);
            }
            sum += of_chain;
            if (c.bias) sum += bias[n / columns];
            sum = ramped(sum, bent);
            const std::int64_t at = places[i].sums + n / columns * stride + n % columns;
            expected[static_cast<std::size_t>(at)] = sum;
          }
        }
        GemmStrips strips = {.sums = sums.first(),
                             .sums_stride = stride,
                             .bias = c.bias ? bias.first() : nullptr,
                             .a_row = a_row,
                             .places = places.data(),
                             .count = c.count,
                             .ramp = bent,
                             .next = reinterpret_cast<const char*>(laid_out.first()),
                             .next_step = 100,
                             .next_strip = 50,
                             .packed = packed.first(),
                             .packed_step = strip};
        const auto sum_chains = [&](GemmStripsFunction function, const float* b,
                                    std::int64_t b_step, const auto& check_chain) {
          std::int64_t k = 0;
          do {
            strips.depth = std::min(c.chain, c.depth - k);
            strips.a = a.first() + k * a_row;
            strips.b = b + k * b_step;
            strips.terms = terms.data() + k;
            strips.first = k == 0;
            strips.last = k + strips.depth == c.depth;
            strips.kept = strips.first && strips.last ? nullptr : kept.first();
            strips.fetches_sums = c.fetches_sums && strips.last;
            function(strips);
            check_chain(k);
            k += strips.depth;
          } while (k < c.depth);
          for (std::int64_t i = 0; i < size && strips.half == nullptr; ++i) {
            ASSERT_EQ(sums[i], expected[static_cast<std::size_t>(i)]) << "sum " << i;
          }
          ASSERT_TRUE(sums.intact());
          ASSERT_TRUE(kept.intact());
          std::ranges::fill(sums.all(), 7.0f);
        };
        const auto nothing = [](std::int64_t) {};
        const auto is_laid_out = [&](std::int64_t first) {
          for (std::int64_t i = 0; i < c.count; ++i) {
            for (std::int64_t n = 0; n < strips.depth * columns; ++n) {
              ASSERT_EQ(packed[i * strips.depth * columns + n],
                        laid_out[i * strip + first * columns + n])
                  << "strip " << i << ", " << n;
            }
          }
          ASSERT_TRUE(packed.intact());
        };
        sum_chains(GetParam().packed_strips(vectors, m), laid_out.first(), columns, nothing);
        sum_chains(GetParam().listed_strips(vectors, m), from.first(), 0, nothing);
        sum_chains(GetParam().packing_strips(vectors, m), from.first(), 0, is_laid_out);
        if (HasFatalFailure()) return;
        const StridedArray<std::uint16_t> half(size, 1, testing::double_to_half(7));
        strips.half = half.first();
        sum_chains(GetParam().packed_strips(vectors, m), laid_out.first(), columns, nothing);
        for (std::int64_t i = 0; i < size; ++i) {
          ASSERT_EQ(half[i], testing::double_to_half(expected[static_cast<std::size_t>(i)])) << i;
        }
        ASSERT_TRUE(half.intact());
      }
    }
  }
}

TEST_P(GemmPackedTest, NanIsOneAndTheSame) {
  for (std::int64_t vectors = 1; vectors <= kGemmMaxVectors; ++vectors) {
    for (std::int64_t m = 1; m <= GetParam().max_positions[vectors - 1]; ++m) {
      const auto packed_strips = GetParam().packed_strips(vectors, m);
      if (packed_strips == nullptr) continue;
      const std::int64_t columns = vectors * GetParam().lanes;
      for (std::int64_t i = 0; i < m * columns; ++i) {
        std::vector<float> a(m, 1.0f), b(columns, 1.0f), sums(m * columns);
        a[i / columns] = 0;
        b[i % columns] = HUGE_VALF;
        const GemmPlace place = {0, 0};
        packed_strips({.a = a.data(),
                       .b = b.data(),
                       .sums = sums.data(),
                       .sums_stride = columns,
                       .depth = 1,
                       .a_row = m,
                       .places = &place,
                       .count = 1});
        ASSERT_EQ(std::bit_cast<std::uint32_t>(sums[i]), 0xffc00000u) << i;
        ASSERT_EQ(std::ranges::count_if(sums, [](float x) { return std::isnan(x); }), 1);
      }
    }
  }
}

class GemmGatherTest : public GemmPackedTest {};

INSTANTIATE_TEST_SUITE_P(, GemmGatherTest,
                         ::testing::ValuesIn(rows_with(&GemmKernel::gather, gemm_kernel_table())),
                         level_name<GemmKernel>);

// Positions next to each other, every other, far apart, and at offsets of their own; terms that do
// and do not follow each other in the input and in b.
TEST_P(GemmGatherTest, GatheredTilesAreThoseOfTheSameTerms) {
  for (std::int64_t vectors = 2; vectors <= kGemmMaxVectors; ++vectors) {
    const std::int64_t columns = vectors * GetParam().lanes;
    for (std::int64_t m = 1; m <= GetParam().max_positions[vectors - 1]; ++m) {
      for (const std::int64_t depth : {0, 1, 3, 4, 8, 13, 31, 66}) {
        for (const std::int64_t step : {1, 2, 5, 0}) {
          std::vector<std::int64_t> offsets;  // of a step of 0
          for (std::int64_t i = 0; i < m; ++i) offsets.push_back(i < 2 ? i * 3 : 9 - i);
          const auto offset = [&](std::int64_t i) {
            return step == 0 ? offsets[static_cast<std::size_t>(i)] : i * step;
          };
          std::vector<GemmTerm> terms;
          std::int64_t size = 0;
          for (std::int64_t k = 0; k < depth; ++k) {
            const bool follow = depth % 2 == 0;
            terms.push_back({k + k / 6 * 4, (follow ? k : depth - 1 - k) * columns});
            for (std::int64_t i = 0; i < m; ++i) {
              size = std::max(size, terms.back().a + offset(i) + 1);
            }
          }
          const StridedArray<float> from(size, 1), b(depth * columns, 1), sums(m * columns, 1);
          const StridedArray<float> a(depth * m + GetParam().lanes - 1, 1);
          fill(from.all());
          fill(b.all());
          fill(sums.all());
          const std::vector<float> before(sums.all().begin(), sums.all().end());
          GemmTile tile = {.a = from.first(),
                           .b = b.first(),
                           .acc = sums.first(),
                           .terms = terms.data(),
                           .depth = depth,
                           .a_step = step,
                           .acc_stride = columns,
                           .next = reinterpret_cast<const char*>(b.first()),
                           .next_step = 40,
                           .rows_follow = depth % 2 == 0,
                           .a_offsets = step == 0 ? offsets.data() : nullptr};
          ASSERT_EQ(GetParam().gather(tile, m, a.first()), a.first() + depth * m);
          ASSERT_TRUE(a.intact());
          for (std::int64_t i = 0; i < depth * m; ++i) {
            ASSERT_EQ(a[i], from[terms[static_cast<std::size_t>(i / m)].a + offset(i % m)])
                << m << " positions at " << step << ", " << i;
          }
          tile.a = a.first();
          GetParam().gathered_tile(vectors, m)(tile);
          for (std::int64_t i = 0; i < m * columns; ++i) {
            float expected = before[static_cast<std::size_t>(i)];
            for (std::int64_t k = 0; k < depth; ++k) {
              const GemmTerm& term = terms[static_cast<std::size_t>(k)];
              expected = add_product(a[k * m + i / columns], b[term.b + i % columns], expected);
            }
            ASSERT_EQ(sums[i], expected) << vectors << " x " << m << ", " << i << ", " << depth;
          }
          ASSERT_TRUE(sums.intact());
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels
