#include "kernels/gemm/gemm.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/gemm/strips.h"
#include "kernels/kernel_test.h"
#include "support/number.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const GemmKernel& row) {
  return out << row.gemm_f32_name;
}

namespace {

class Gemm : public KernelTest<GemmKernel> {
 protected:
  void fill(std::span<float> values) {
    std::uniform_real_distribution<float> distribution(-1, 1);
    for (float& value : values) value = distribution(random_);
  }

  // The chain of roundings that the contract promises: fused where the level has it.
  float add_product(float a, float b, float sum) const {
#ifdef __x86_64__
    if (GetParam().isa < Isa::avx2) return a * b + sum;
#endif
    return std::fmaf(a, b, sum);
  }

  std::mt19937_64 random_{20240918};
};

INSTANTIATE_TEST_SUITE_P(, Gemm, ::testing::ValuesIn(gemm_kernel_table()), level_name<GemmKernel>);

TEST(GemmKernelTable, IsBestFirstAndEndsWithTheBase) {
  const auto table = gemm_kernel_table();
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_GT(table[i - 1].isa, table[i].isa);
  EXPECT_EQ(table.back().isa, Isa::base);
  for (const GemmKernel& row : table) EXPECT_EQ(gemm_kernel(row.isa).isa, row.isa);
}

// Terms in any order, positions any distance apart, with and without a bias and earlier sums.
struct GemmCase {
  std::int64_t depth, a_step, gap;
  bool first, bias, bias_of_positions = false, apart = false, rows_follow = false, last = true;
};

TEST_P(Gemm, TileIsTheSumInOneChain) {
  const GemmCase cases[] = {{0, 1, 0, true, false},
                            {0, 1, 0, true, true},
                            {0, 2, 3, false, true},
                            {1, 1, 0, true, false},
                            {2, 3, 24, true, true},
                            {7, 1, 0, false, false},
                            {9, 2, 1, false, true},
                            {100, 1, 0, true, true},
                            {33, -2, 0, true, false},
                            {5, 0, 0, true, false},
                            {6, 1, 2, true, true, true},
                            {7, 1, 5, false, false, false, true},
                            {8, 1, 0, false, true, false, true},
                            {0, 1, 1, false, true, true, true},
                            {0, 1, 0, true, true, false, false, true},
                            {3, 1, 0, true, true, false, false, true, false},
                            {4, 2, 3, false, true, false, true, true},
                            {5, 3, 0, true, false, false, false, true},
                            {30, 1, 1, false, false, false, true, true, false},
                            {103, 1, 0, false, true, false, false, true}};
  for (std::int64_t vectors = 1; vectors <= GetParam().max_vectors_of_one; ++vectors) {
    for (std::int64_t m = 1; m <= GetParam().positions_of(vectors); ++m) {
      for (const GemmCase& c : cases) {
        const std::int64_t columns = vectors * GetParam().lanes;
        const std::int64_t stride = columns + c.gap;
        const Ramp* const bent = c.depth % 2 != 0 ? &kSomeRamp : nullptr;
        // Exact extents: nothing behind the last term, row or column.
        const std::int64_t reach = (m - 1) * c.a_step;
        const StridedArray<float> a(c.depth == 0 ? 0 : 2 * c.depth - 1 + std::abs(reach), 1);
        const StridedArray<float> b(c.depth * columns, 1);
        const StridedArray<float> acc((m - 1) * stride + columns, 1);
        const StridedArray<float> bias(c.bias_of_positions ? m : columns, 1);
        fill(a.all());
        fill(b.all());
        fill(acc.all());
        fill(bias.all());
        std::vector<GemmTerm> terms;
        for (std::int64_t k = 0; k < c.depth; ++k) {
          terms.push_back({2 * (c.depth - 1 - k) + std::max<std::int64_t>(-reach, 0), k * columns});
        }
        std::shuffle(terms.begin(), terms.end(), random_);
        for (std::int64_t k = 0; c.rows_follow && k < c.depth; ++k) terms[k].b = k * columns;
        const std::vector<float> before(acc.all().begin(), acc.all().end());
        GemmTile tile = {.a = a.first(),
                         .b = b.first(),
                         .acc = acc.first(),
                         .bias = c.bias ? bias.first() : nullptr,
                         .terms = terms.data(),
                         .depth = c.depth,
                         .a_step = c.a_step,
                         .acc_stride = stride,
                         .next = reinterpret_cast<const char*>(b.first()),
                         .next_step = 64,
                         .first = c.first,
                         .bias_of_positions = c.bias_of_positions,
                         .rows_follow = c.rows_follow,
                         .ramp = bent,
                         .last = c.last,
                         .apart = c.apart};
        GetParam().tile(vectors, m, c.a_step)(tile);
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(before.size()); ++i) {
          const std::int64_t n = i % stride;
          float expected = before[static_cast<std::size_t>(i)];
          if (n < columns) {
            if (c.first || c.apart) expected = 0;
            for (const GemmTerm& term : terms) {
              expected = add_product(a[term.a + i / stride * c.a_step], b[term.b + n], expected);
            }
            if (c.apart) expected += before[static_cast<std::size_t>(i)];
            if (c.bias) expected += bias[c.bias_of_positions ? i / stride : n];
            expected = ramped(expected, bent);
          }
          ASSERT_EQ(acc[i], expected) << vectors << " x " << m << ", n " << n << ", " << c.depth;
        }
        ASSERT_TRUE(acc.intact());
        if (!GetParam().rounds || !c.first || c.a_step != 1) continue;
        const StridedArray<std::uint16_t> half((m - 1) * stride + columns, 1, 0x1234);
        tile.half = half.first();
        GetParam().tile(vectors, m, c.a_step)(tile);
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(before.size()); ++i) {
          const bool gap = i % stride >= columns;
          ASSERT_EQ(half[i], gap ? 0x1234 : testing::double_to_half(acc[i])) << i;
        }
        ASSERT_TRUE(half.intact());
      }
    }
  }
}

// The same sums as of a row with a zero at either end, which is not read where it is padding.
TEST_P(Gemm, PaddedRowsAreNotMultipliedByPadding) {
  constexpr std::int64_t kRows = 5, kDepth = kRows * kPaddedTaps;
  if (GetParam().padded_row_tile == nullptr) GTEST_SKIP();
  struct Case {
    std::int64_t step;
    bool before, after, apart;
  };
  const Case cases[] = {{1, true, true, false}, {1, true, false, true}, {1, false, true, true},
                        {2, true, true, true},  {2, true, false, true}, {2, false, true, false}};
  for (std::int64_t vectors = 1; vectors <= kGemmMaxVectors; ++vectors) {
    for (std::int64_t m = 1; m <= GetParam().max_positions[vectors - 1]; ++m) {
      const std::int64_t columns = vectors * GetParam().lanes;
      for (const Case& c : cases) {
        const std::int64_t pitch = (m - 1) * c.step + kPaddedTaps;
        const StridedArray<float> a(kRows * pitch, 1), b(kDepth * columns, 1), bias(columns, 1);
        const StridedArray<float> expected(m * columns, 1), acc(m * columns, 1);
        for (const StridedArray<float>* array : {&a, &b, &bias, &acc}) fill(array->all());
        std::copy(acc.all().begin(), acc.all().end(), expected.all().begin());
        std::vector<GemmTerm> terms;
        for (std::int64_t k = 0; k < kDepth; ++k) {
          terms.push_back({(kRows - 1 - k / kPaddedTaps) * pitch + k % kPaddedTaps, k * columns});
        }
        GemmTile tile = {.a = a.first(),
                         .b = b.first(),
                         .acc = expected.first(),
                         .bias = bias.first(),
                         .terms = terms.data(),
                         .depth = kDepth,
                         .a_step = c.step,
                         .acc_stride = columns,
                         .next = reinterpret_cast<const char*>(b.first()),
                         .next_step = 64,
                         .first = false,
                         .rows_follow = true,
                         .apart = c.apart,
                         .padded_before = c.before,
                         .padded_after = c.after};
        const auto put_at_padding = [&](float x) {
          for (std::int64_t r = 0; r < kRows; ++r) {
            if (c.before) a[r * pitch] = x;
            if (c.after) a[(r + 1) * pitch - 1] = x;
          }
        };
        put_at_padding(0);
        GetParam().tile(vectors, m, c.step)(tile);
        put_at_padding(HUGE_VALF);
        tile.acc = acc.first();
        GetParam().padded_row_tile(vectors, m, c.step)(tile);
        for (std::int64_t i = 0; i < m * columns; ++i) {
          ASSERT_EQ(acc[i], expected[i])
              << vectors << " x " << m << " by " << c.step << ", sum " << i << ", padding "
              << (c.before ? "before " : "") << (c.after ? "after" : "");
        }
        ASSERT_TRUE(acc.intact());
      }
    }
  }
}

// In any order and distance: the same sums as of positions that follow each other.
TEST_P(Gemm, PositionsLieAtOffsets) {
  constexpr std::int64_t kDepth = 37;
  for (std::int64_t vectors = 1; vectors <= kGemmMaxVectors; ++vectors) {
    const std::int64_t most = GetParam().max_offset_positions[vectors - 1];
    ASSERT_LE(most, GetParam().max_positions[vectors - 1]);
    for (std::int64_t m = 1; m <= most; ++m) {
      const std::int64_t columns = vectors * GetParam().lanes;
      const StridedArray<float> near(kDepth + m - 1, 1), b(kDepth * columns, 1), bias(columns, 1);
      fill(near.all());
      fill(b.all());
      fill(bias.all());
      std::vector<std::int64_t> offsets;
      for (std::int64_t i = 0; i < m; ++i) offsets.push_back(i * (kDepth + i));
      std::shuffle(offsets.begin(), offsets.end(), random_);
      const StridedArray<float> far((m - 1) * (kDepth + m - 1) + kDepth, 1);
      std::vector<GemmTerm> terms;
      for (std::int64_t k = 0; k < kDepth; ++k) {
        terms.push_back({k, k * columns});
        for (std::int64_t i = 0; i < m; ++i) far[offsets[i] + k] = near[k + i];
      }
      for (const bool apart : {false, true}) {
        const StridedArray<float> expected(m * columns, 1), acc(m * columns, 1);
        fill(acc.all());
        std::copy(acc.all().begin(), acc.all().end(), expected.all().begin());
        GemmTile tile = {.a = near.first(),
                         .b = b.first(),
                         .acc = expected.first(),
                         .bias = bias.first(),
                         .terms = terms.data(),
                         .depth = kDepth,
                         .a_step = 1,
                         .acc_stride = columns,
                         .next = reinterpret_cast<const char*>(b.first()),
                         .next_step = 64,
                         .first = false,
                         .bias_of_positions = false,
                         .apart = apart};
        GetParam().tile(vectors, m, 1)(tile);
        tile.a = far.first();
        tile.acc = acc.first();
        tile.a_offsets = offsets.data();
        tile.rows_follow = apart;
        GetParam().offset_tile(vectors, m)(tile);
        for (std::int64_t i = 0; i < m * columns; ++i) {
          ASSERT_EQ(acc[i], expected[i]) << vectors << " x " << m << ", sum " << i;
        }
        ASSERT_TRUE(acc.intact());
      }
    }
  }
}

// Strips in any order, whose sums leave gaps, and lines of sums and of what is next that come
// nearer.
struct StripsCase {
  std::int64_t depth, gap, count;
  bool bias, bias_terms = false, fetches_sums = false;
};

TEST_P(Gemm, StripsAreTheSumsInOneChain) {
  const StripsCase cases[] = {{0, 0, 1, false},
                              {0, 3, 2, true},
                              {1, 1, 1, true},
                              {5, 0, 0, true},
                              {6, 2, 3, true},
                              {40, 0, 5, false},
                              {4, 1, 2, true, true},
                              {27, 3, 4, true, true},
                              {24, 0, 3, false, false, true},
                              {31, 2, 5, true, true, true}};
  for (std::int64_t vectors = 1; vectors <= kGemmMaxVectors; ++vectors) {
    for (std::int64_t m = 1; m <= GetParam().max_positions[vectors - 1]; ++m) {
      for (const StripsCase& c : cases) {
        const std::int64_t columns = vectors * GetParam().lanes;
        const std::int64_t pitch = columns + c.gap, stride = c.count * pitch;
        const Ramp* const bent = c.depth % 2 != 0 ? &kSomeRamp : nullptr;
        const std::int64_t size = c.count == 0 ? 0 : m * stride - c.gap;
        const StridedArray<float> a(c.depth * m, 1), bias(m, 1);
        const StridedArray<float> b(c.depth == 0 ? 0 : c.depth + c.count + columns, 1);
        const StridedArray<float> sums(size, 1, 7.0f);
        fill(a.all());
        fill(b.all());
        fill(bias.all());
        std::vector<GemmTerm> terms;
        for (std::int64_t k = 0; k < c.depth; ++k) terms.push_back({k * m, c.depth - k});
        std::shuffle(terms.begin(), terms.end(), random_);
        std::vector<GemmPlace> places;
        for (std::int64_t i = 0; i < c.count; ++i) places.push_back({c.count - 1 - i, i * pitch});
        std::shuffle(places.begin(), places.end(), random_);
        if (c.fetches_sums) places.insert(places.end(), kGemmPlacesAhead, places.back());
        GemmStrips strips = {.a = a.first(),
                             .b = b.first(),
                             .sums = sums.first(),
                             .sums_stride = stride,
                             .bias = c.bias ? bias.first() : nullptr,
                             .terms = terms.data(),
                             .depth = c.depth,
                             .places = places.data(),
                             .count = c.count,
                             .fetches_sums = c.fetches_sums,
                             .bias_terms = c.bias_terms,
                             .ramp = bent,
                             .next = reinterpret_cast<const char*>(b.first()),
                             .next_step = 100,
                             .next_line = 50};
        GetParam().strips(vectors, m)(strips);
        std::vector<float> expected(static_cast<std::size_t>(size), 7.0f);
        for (std::int64_t i = 0; i < c.count; ++i) {
          for (std::int64_t n = 0; n < m * columns; ++n) {
            float sum = 0, of_bias = c.bias ? bias[n / columns] : 0.0f;
            for (std::int64_t k = 0; k < c.depth; ++k) {
              float& chain = c.bias_terms && k >= c.depth - kGemmBiasTerms ? of_bias : sum;
              chain = add_product(a[terms[k].a + n / columns],
                                  b[places[i].b + terms[k].b + n % columns], chain);
            }
            if (c.bias) sum += of_bias;
            sum = ramped(sum, bent);
            expected[static_cast<std::size_t>(places[i].sums + n / columns * stride +
                                              n % columns)] = sum;
          }
        }
        for (std::int64_t i = 0; i < size; ++i) {
          ASSERT_EQ(sums[i], expected[static_cast<std::size_t>(i)])
              << vectors << " x " << m << ", sum " << i << ", " << c.depth;
        }
        ASSERT_TRUE(sums.intact());
        if (!GetParam().rounds) continue;
        const StridedArray<std::uint16_t> half(size, 1, testing::double_to_half(7));
        strips.half = half.first();
        GetParam().strips(vectors, m)(strips);
        for (std::int64_t i = 0; i < size; ++i) {
          ASSERT_EQ(half[i], testing::double_to_half(sums[i])) << i;
        }
        ASSERT_TRUE(half.intact());
      }
    }
  }
}

TEST_P(Gemm, NanIsOneAndTheSameInEveryTile) {
  const auto nan = std::bit_cast<float>(0x7fc12345u);
  for (std::int64_t vectors = 1; vectors <= kGemmMaxVectors; ++vectors) {
    for (std::int64_t m = 1; m <= GetParam().max_positions[vectors - 1]; ++m) {
      const std::int64_t columns = vectors * GetParam().lanes;
      for (const auto& [a, b] :
           {std::pair(nan, -nan), std::pair(-nan, nan), std::pair(HUGE_VALF, 0.0f)}) {
        const std::vector<float> all_a(m, a), all_b(columns, b);
        std::vector<float> acc(m * columns, -nan), bias(columns, nan);
        const GemmTerm term = {0, 0};
        const GemmTile tile = {.a = all_a.data(),
                               .b = all_b.data(),
                               .acc = acc.data(),
                               .bias = bias.data(),
                               .terms = &term,
                               .depth = 1,
                               .a_step = 1,
                               .acc_stride = columns,
                               .next = nullptr,
                               .next_step = 0,
                               .first = false,
                               .bias_of_positions = false,
                               .ramp = m % 2 == 0 ? &kSomeRamp : nullptr};
        GetParam().tile(vectors, m, 1)(tile);
        for (const float sum : acc) ASSERT_EQ(std::bit_cast<std::uint32_t>(sum), 0xffc00000u);
        const GemmPlace place = {0, 0};
        GemmStrips strips = {.a = all_a.data(),
                             .b = all_b.data(),
                             .sums = acc.data(),
                             .sums_stride = columns,
                             .terms = &term,
                             .depth = 1,
                             .places = &place,
                             .count = 1,
                             .ramp = tile.ramp};
        std::fill(acc.begin(), acc.end(), 0.0f);
        GetParam().strips(vectors, m)(strips);
        for (const float sum : acc) ASSERT_EQ(std::bit_cast<std::uint32_t>(sum), 0xffc00000u);
        if (!GetParam().rounds) continue;
        std::vector<std::uint16_t> half(acc.size());
        strips.half = half.data();
        GetParam().strips(vectors, m)(strips);
        for (const std::uint16_t sum : half) ASSERT_EQ(sum, 0xfe00);
      }
    }
  }
}

TEST_P(Gemm, NanIsFoundInAnySum) {
  for (std::int64_t vectors = 1; vectors <= kGemmMaxVectors; ++vectors) {
    for (std::int64_t m = 1; m <= GetParam().max_positions[vectors - 1]; ++m) {
      const std::int64_t columns = vectors * GetParam().lanes;
      const std::vector<float> a(m, 2.0f), b(columns, 3.0f);
      const GemmTerm term = {0, 0};
      for (std::int64_t i = 0; i < m * columns; ++i) {
        std::vector<float> acc(m * columns, 1.0f);
        acc[i] = std::bit_cast<float>(0x7fc12345u);
        const GemmTile tile = {.a = a.data(),
                               .b = b.data(),
                               .acc = acc.data(),
                               .terms = &term,
                               .depth = 1,
                               .a_step = 1,
                               .acc_stride = columns};
        GetParam().tile(vectors, m, 1)(tile);
        for (std::int64_t j = 0; j < m * columns; ++j) {
          const std::uint32_t expected = j == i ? 0xffc00000u : std::bit_cast<std::uint32_t>(7.0f);
          ASSERT_EQ(std::bit_cast<std::uint32_t>(acc[j]), expected) << i << " " << j;
        }
      }
    }
  }
}

TEST_P(Gemm, Transpose) {
  for (const std::int64_t rows : counts_around_lanes()) {
    for (const std::int64_t columns : {1, 3, 4, 7, 16, 31, 32, 48}) {
      const std::int64_t stride = columns + 5;
      const StridedArray<float> from(rows == 0 ? 0 : (rows - 1) * stride + columns, 1);
      fill(from.all());
      // With rows of whole vectors too.
      for (const std::int64_t gap : {std::int64_t{3}, 64 - rows % 64}) {
        const std::int64_t to_stride = rows + gap;
        const std::int64_t size = rows == 0 ? 0 : (columns - 1) * to_stride + rows;
        const StridedArray<float> to(size, 1, 7.0f);
        const StridedArray<std::uint16_t> half(size, 1, 0x1234);
        Transposition t = {.from = from.first(),
                           .to = to.first(),
                           .from_stride = stride,
                           .to_stride = to_stride,
                           .rows = rows,
                           .columns = columns};
        GetParam().transpose(t);
        t.half = half.first();
        if (GetParam().rounds) GetParam().transpose(t);
        for (std::int64_t i = 0; i < size; ++i) {
          const std::int64_t m = i % to_stride;
          const float expected = m < rows ? from[m * stride + i / to_stride] : 7.0f;
          ASSERT_EQ(to[i], expected);
          if (!GetParam().rounds) continue;
          ASSERT_EQ(half[i], m < rows ? testing::double_to_half(expected) : 0x1234);
        }
        ASSERT_TRUE(to.intact() && half.intact());
      }
    }
  }
}

// Rows that follow on each other, and rows with gaps, which stay as they are.
TEST_P(Gemm, PadRows) {
  constexpr std::int64_t kRows = 11;
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t before : {0, 1, 17}) {
      for (const std::int64_t size : {before + count, before + count + 2, before + count + 33}) {
        for (const std::int64_t stride : {size, size + 5}) {
          const StridedArray<float> from(kRows * count, 1);
          const std::int64_t end = size == 0 ? 0 : (kRows - 1) * stride + size;
          const StridedArray<float> to(end, 1, 7.0f);
          fill(from.all());
          GetParam().pad_rows({.from = from.first(),
                               .to = to.first(),
                               .from_stride = count,
                               .to_stride = stride,
                               .rows = kRows,
                               .before = before,
                               .count = count,
                               .size = size});
          for (std::int64_t i = 0; i < end; ++i) {
            const std::int64_t column = i % stride - before;
            const bool inside = column >= 0 && column < count;
            const float outside = i % stride < size ? 0.0f : 7.0f;
            ASSERT_EQ(to[i], inside ? from[i / stride * count + column] : outside) << i;
          }
          ASSERT_TRUE(to.intact());
        }
      }
    }
  }
}

TEST_P(Gemm, AddScaledRow) {
  for (const std::int64_t count : counts_around_lanes()) {
    const StridedArray<float> x(count, 1);
    const StridedArray<float> acc(count, 1);
    fill(x.all());
    fill(acc.all());
    const std::vector<float> before(acc.all().begin(), acc.all().end());
    GetParam().add_scaled_row(0.37f, x.first(), acc.first(), count);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(acc[i], add_product(0.37f, x[i], before[static_cast<std::size_t>(i)])) << i;
    }
    ASSERT_TRUE(acc.intact());
  }
}

}  // namespace
}  // namespace weft::kernels
