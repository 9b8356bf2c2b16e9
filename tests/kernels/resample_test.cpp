#include "kernels/resample/resample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/half.h"
#include "kernels/kernel_test.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const ResampleKernels& row) {
  return out << name(row.isa);
}

namespace {

class ResampleLoops : public KernelTest<ResampleKernels> {
 protected:
  // Every level has to give the bits of the base level.
  const ResampleKernels& base_ = resample_kernel_table().back();
  std::mt19937_64 random_{7};

  template <class T>
  StridedArray<T> numbers(std::int64_t count) {
    StridedArray<T> result(count, 1);
    std::uniform_real_distribution<double> draw(-100, 100);
    for (T& value : result.all()) value = static_cast<T>(draw(random_));
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(, ResampleLoops, ::testing::ValuesIn(resample_kernel_table()),
                         level_name<ResampleKernels>);

TEST(ResampleKernelTable, IsBestFirstAndEndsWithTheBase) {
  const auto table = resample_kernel_table();
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_GT(table[i - 1].isa, table[i].isa);
  EXPECT_EQ(table.back().isa, Isa::base);
  for (const ResampleKernels& row : table) EXPECT_EQ(resample_kernels(row.isa).isa, row.isa);
}

// Whether neighbours come from near or far decides how they are read.
constexpr std::int64_t kReaches[] = {1, 30, 65, 1000};

template <class T>
void expect_gathered(GatherRow gather, std::mt19937_64& random) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t reach : kReaches) {
      for (const std::int64_t stride : {1, 3}) {
        const StridedArray<T> from(reach, 1);
        for (T& value : from.all()) value = static_cast<T>(random());
        const auto offsets = sorted_numbers<std::int64_t>(count, reach, random);
        const StridedArray<T> to(count, stride, T{77});
        gather(from.first(), offsets.first(), to.first(), stride, count);
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(to[i], from[offsets[i]]);
        ASSERT_TRUE(to.gaps_are(T{77}) && to.intact()) << count;
      }
    }
  }
}

TEST_P(ResampleLoops, Gather) {
  expect_gathered<std::uint8_t>(GetParam().gather_8, random_);
  expect_gathered<std::uint16_t>(GetParam().gather_16, random_);
  expect_gathered<std::uint32_t>(GetParam().gather_32, random_);
  EXPECT_EQ(GetParam().gather(DataType::int8), GetParam().gather_8);
  EXPECT_EQ(GetParam().gather(DataType::float16), GetParam().gather_16);
  EXPECT_EQ(GetParam().gather(DataType::float32), GetParam().gather_32);
}

template <class T>
void expect_repeated(RepeatRows repeat, std::mt19937_64& random) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  const std::vector<std::int64_t> rows = {0, 0, 1, 2, 2, 2, 0};  // rows of the input
  for (const std::int64_t factor : {2, 4}) {
    for (const std::int64_t count : counts_around_lanes()) {
      if (count == 0) continue;
      for (const std::int64_t gap : {0, 3}) {
        const std::int64_t length = (count + factor - 1) / factor;
        const StridedArray<T> from(3 * length, 1);
        for (T& value : from.all()) value = static_cast<T>(random());
        std::vector<std::int64_t> sources;
        sources.reserve(rows.size());
        for (const std::int64_t row : rows) sources.push_back(row * length * kBytes);
        const auto height = static_cast<std::int64_t>(rows.size());
        const std::int64_t stride = count + gap;
        const StridedArray<T> to((height - 1) * stride + count, 1, T{77});
        repeat(from.first(), sources.data(), height, count * kBytes, kBytes, factor, to.first(),
               stride * kBytes);
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(to.all().size()); ++i) {
          const std::int64_t row = rows[static_cast<std::size_t>(i / stride)];
          const bool inside = i % stride < count;
          ASSERT_EQ(to[i], inside ? from[row * length + i % stride / factor] : T{77});
        }
        ASSERT_TRUE(to.intact());
      }
    }
  }
}

TEST_P(ResampleLoops, Repeat) {
  expect_repeated<std::uint8_t>(GetParam().repeat, random_);
  expect_repeated<std::uint16_t>(GetParam().repeat, random_);
  expect_repeated<std::uint32_t>(GetParam().repeat, random_);
}

template <class T, class Real>
void expect_widened(WidenRow<Real> widen, std::mt19937_64& random) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : {1, 0, 2, -3}) {
      const StridedArray<T> from(count, stride);
      for (T& value : from.all()) value = static_cast<T>(random());
      const StridedArray<Real> to(count, 1, Real{7});
      widen(from.first(), stride, to.first(), count);
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(to[i], static_cast<Real>(from[i]));
      ASSERT_TRUE(to.intact());
    }
  }
}

TEST_P(ResampleLoops, Widen) {
  expect_widened<std::int8_t, float>(GetParam().load_i8_f32, random_);
  expect_widened<std::uint8_t, float>(GetParam().load_u8_f32, random_);
  expect_widened<std::int8_t, double>(GetParam().load_i8_f64, random_);
  expect_widened<std::uint8_t, double>(GetParam().load_u8_f64, random_);
}

// Floating point, NaN of all kinds among it: they become one.
template <class T, class Widen>
void expect_loaded(WidenRow<float> load, const Widen& widen, std::mt19937_64& random) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : {1, 0, 2, -3}) {
      const StridedArray<T> from(count, stride);
      for (T& value : from.all()) {
        const auto nan = static_cast<T>(sizeof(T) == 2 ? 0x7c01 : 0x7f800001);
        const auto bits = static_cast<T>(random());
        value = random() % 2 == 0 ? bits : static_cast<T>(bits | nan);
      }
      const StridedArray<float> to(count, 1, 7.0f);
      load(from.first(), stride, to.first(), count);
      for (std::int64_t i = 0; i < count; ++i) {
        const float right = widen(from[i]);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(to[i]),
                  std::isnan(right) ? 0xffc00000 : std::bit_cast<std::uint32_t>(right));
      }
      ASSERT_TRUE(to.intact());
    }
  }
}

TEST_P(ResampleLoops, Load) {
  expect_loaded<std::uint32_t>(
      GetParam().load_f32, [](std::uint32_t bits) { return std::bit_cast<float>(bits); }, random_);
  expect_loaded<std::uint16_t>(GetParam().load_f16, widen_half, random_);
}

template <class T, class Store>
void expect_truncated(Store store, std::mt19937_64& random) {
  constexpr double low = std::numeric_limits<T>::min();
  constexpr double high = std::numeric_limits<T>::max();
  std::uniform_real_distribution<double> draw(-400, 400);
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : {1, 2}) {
      const StridedArray<double> from(count, 1);
      for (double& value : from.all()) value = draw(random);
      const StridedArray<T> to(count, stride, T{77});
      store(from.first(), to.first(), stride, count);
      for (std::int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(to[i], std::trunc(std::min(high, std::max(low, from[i])))) << from[i];
      }
      ASSERT_TRUE(to.gaps_are(T{77}) && to.intact());
    }
  }
}

TEST_P(ResampleLoops, TruncatesTowardZero) {
  expect_truncated<std::int8_t>(GetParam().store_f64_i8, random_);
  expect_truncated<std::uint8_t>(GetParam().store_f64_u8, random_);
}

// What each level has to give, bit for bit.
float lerp(float a, float b, float t) { return (1 - t) * a + t * b; }
double lerp(double a, double b, float t) { return a + double{t} * (b - a); }

template <class To, class Real, class Narrow>
void expect_between(Between<Real> between, const StridedArray<Real>& a, const StridedArray<Real>& b,
                    std::int64_t count, const Narrow& narrow) {
  const float t[] = {0.3f, 0.7f};
  for (const std::int64_t skipped : {0, 1, 5}) {  // rows lie anywhere
    constexpr To kGap{7};
    const std::int64_t stride = count + skipped;
    const StridedArray<To> to(skipped + stride + count, 1, kGap);
    between(a.first(), b.first(), t, 2, to.first() + skipped, stride, count);
    for (std::int64_t i = 0; i < skipped; ++i) ASSERT_TRUE(to[i] == kGap && to[stride + i] == kGap);
    for (std::int64_t r = 0; r < 2; ++r) {
      for (std::int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(to[skipped + r * stride + i], narrow(lerp(a[i], b[i], t[r])));
      }
    }
    ASSERT_TRUE(to.intact());
  }
}

TEST_P(ResampleLoops, Between) {
  for (const std::int64_t count : counts_around_lanes()) {
    const auto a = numbers<float>(count);
    const auto b = numbers<float>(count);
    const auto same = [](auto x) { return x; };
    expect_between<float>(GetParam().between_f32, a, b, count, same);
    expect_between<float>(GetParam().between_f32_past_caches, a, b, count, same);
    expect_between<std::uint16_t>(GetParam().between_f16, a, b, count, narrow_half);
    const auto wide_a = numbers<double>(count), wide_b = numbers<double>(count);
    expect_between<double>(GetParam().between_f64, wide_a, wide_b, count, same);
  }
}

// In groups from multiples of `group` on: elements from the first to the last that one needs.
std::int32_t reach_of(const Picks& picks, std::int64_t group) {
  std::int32_t most = 0;
  for (std::int64_t i = 0; i < picks.count; ++i) {
    const std::int32_t needed = picks.index[i] + (picks.t[i] > 0 ? 2 : 1);
    most = std::max(most, needed - picks.index[i / group * group]);
  }
  return most;
}

struct Tables {
  // x(i) for each of `count` outputs, that of the last rounded up: it has no second element.
  template <class Coordinate>
  Tables(std::int64_t count, const Coordinate& x) : index(count, 1), t(count, 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      index[i] = static_cast<std::int32_t>(x(i));
      t[i] = x(i) - static_cast<float>(index[i]);
    }
    if (count > 0 && t[count - 1] > 0) ++index[count - 1];
    if (count > 0) t[count - 1] = 0;
    picks = {index.first(), t.first(), count, count > 0 ? index[count - 1] + 1 : 0};
    picks.reach_8 = reach_of(picks, 8);
    picks.reach_16 = reach_of(picks, 16);
  }
  StridedArray<std::int32_t> index;
  StridedArray<float> t;
  Picks picks;
};

Tables random_tables(std::int64_t count, std::int64_t reach, std::mt19937_64& random) {
  const auto eighths = sorted_numbers<std::int32_t>(count, 8 * reach - 7, random);
  Tables tables(count, [&](std::int64_t i) { return static_cast<float>(eighths[i]) / 8; });
  tables.picks.row_count = reach;
  return tables;
}

// The same from output 16 to the last but one.
Tables repeating_tables(std::int64_t count, float step) {
  Tables tables(
      count, [=](std::int64_t i) { return std::max(0.0f, static_cast<float>(i) * step - 0.375f); });
  tables.picks.same_end = count - 1;
  tables.picks.step = static_cast<std::int32_t>(8 * step);
  return tables;
}

Tables doubling_tables(std::int64_t elements) {
  Tables tables(2 * elements, [=](std::int64_t i) {
    const float x = static_cast<float>(i) / 2 - 0.25f;
    return std::clamp(x, 0.0f, static_cast<float>(elements - 1));
  });
  tables.picks.doubles = true;
  return tables;
}

template <class T, class Real, class Widen>
void expect_along(Along<Real> along, const StridedArray<T>& row, const StridedArray<T>& other,
                  std::int64_t reach, std::mt19937_64& random, const Widen& widen) {
  for (const std::int64_t count : counts_around_lanes()) {
    const auto [index, t, picks] = random_tables(count, reach, random);
    for (const bool two : {false, true}) {
      const auto at = [&](std::int64_t k) {
        const Real x = widen(row[k]);
        return two ? lerp(x, Real{widen(other[k])}, 0.3f) : x;
      };
      const StridedArray<Real> to(count, 1);
      along(row.first(), two ? other.first() : nullptr, 0.3f, picks, to.first());
      for (std::int64_t i = 0; i < count; ++i) {
        const Real a = at(index[i]);
        ASSERT_EQ(to[i], t[i] > 0 ? lerp(a, at(index[i] + 1), t[i]) : a) << reach << ' ' << i;
      }
      ASSERT_TRUE(to.intact());
    }
  }
}

TEST_P(ResampleLoops, AlongReadsNoNeighbourOfWeightZero) {
  // The last element has no neighbour but the guard page.
  for (const std::int64_t reach : kReaches) {
    const auto row = numbers<float>(reach);
    const auto other = numbers<float>(reach);
    expect_along<float>(GetParam().along_f32, row, other, reach, random_,
                        [](float x) { return x; });
    const StridedArray<std::uint16_t> half_row(reach, 1);
    const StridedArray<std::uint16_t> half_other(reach, 1);
    for (std::int64_t i = 0; i < reach; ++i) {
      half_row[i] = narrow_half(row[i]);
      half_other[i] = narrow_half(other[i]);
    }
    expect_along<std::uint16_t>(GetParam().along_f16, half_row, half_other, reach, random_,
                                widen_half);
    expect_along<double>(GetParam().along_f64, numbers<double>(reach), numbers<double>(reach),
                         reach, random_, [](double x) { return x; });
  }
}

TEST_P(ResampleLoops, AlongWhereTablesRepeat) {
  for (const float step : {0.5f, 0.25f, 2.0f}) {
    for (const std::int64_t count : counts_around_lanes()) {
      if (count <= 25) continue;
      const auto [index, t, picks] = repeating_tables(count, step);
      const auto row = numbers<float>(picks.row_count);
      const auto wide_row = numbers<double>(picks.row_count);
      const StridedArray<float> to(count, 1);
      const StridedArray<double> wide(count, 1);
      GetParam().along_f32(row.first(), nullptr, 0, picks, to.first());
      GetParam().along_f64(wide_row.first(), nullptr, 0, picks, wide.first());
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int32_t k = index[i];
        ASSERT_EQ(to[i], t[i] > 0 ? lerp(row[k], row[k + 1], t[i]) : row[k]) << step << ' ' << i;
        ASSERT_EQ(wide[i], t[i] > 0 ? lerp(wide_row[k], wide_row[k + 1], t[i]) : wide_row[k]);
      }
      ASSERT_TRUE(to.intact() && wide.intact());
    }
  }
}

// Four rows, of which the last has no neighbour but the guard page. Those that go past the caches
// lie at cache lines where the last one ends at one.
template <class T, class Widen, class Narrow>
void expect_rows(const ResampleKernels& kernels, RowsFunction function, const Picks& picks,
                 bool two, bool past_caches, const Widen& widen, const Narrow& narrow,
                 std::mt19937_64& random) {
  const std::int64_t index[] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 3};
  const float t[] = {0, 0.25f, 0.75f, 0.5f, 0.125f, 0.5f, 0.25f, 0.75f, 0.5f, 0, 0};
  constexpr std::int64_t kRows = std::size(index), kGap = 3;
  const std::int64_t stride = picks.row_count + kGap;
  const StridedArray<T> from(3 * stride + picks.row_count, 1);
  const StridedArray<T> other(3 * stride + picks.row_count, 1);
  for (const StridedArray<T>* tensor : {&from, &other}) {
    const auto values = sorted_numbers<std::int32_t>(3 * stride + picks.row_count, 1000, random);
    for (std::int64_t i = 0; i < 3 * stride + picks.row_count; ++i) {
      (*tensor)[i] = narrow(static_cast<float>(values[i] * 7919 % 1000) / 64);
    }
  }
  const std::int64_t to_stride = past_caches ? picks.count / 16 * 16 + 16 : picks.count + 5;
  const StridedArray<T> to((kRows - 1) * to_stride + picks.count, 1, T{7});
  const LerpRows rows{.row = from.first(),
                      .other = two ? other.first() : nullptr,
                      .between = 0.3f,
                      .row_stride = stride,
                      .picks = &picks,
                      .index = index,
                      .t = t,
                      .rows = kRows,
                      .to = to.first(),
                      .to_stride = to_stride,
                      .past_caches = past_caches};
  if (!function(rows)) {
    ASSERT_TRUE(!picks.doubles || picks.row_count < 8 || kernels.isa < Isa::avx2);
    const bool near = picks.index != nullptr && picks.reach_8 <= 8;  // any 8 need at most 16
    const bool simple = near && picks.count >= 8 && picks.row_count >= 16 && !past_caches;
    ASSERT_TRUE(kernels.isa < Isa::avx2 || (kernels.isa == Isa::avx2 && !simple) ||
                picks.reach_16 > 32);
    return;
  }
  const auto mixed = [&](std::int64_t k) {
    const float x = widen(from[k]);
    return two ? lerp(x, widen(other[k]), 0.3f) : x;
  };
  const auto along = [&](std::int64_t row, std::int64_t i) {
    if (picks.index == nullptr) return mixed(row * stride + i);
    const std::int64_t k = row * stride + picks.index[i];
    const float a = mixed(k);
    return picks.t[i] > 0 ? lerp(a, mixed(k + 1), picks.t[i]) : a;
  };
  for (std::int64_t r = 0; r < kRows; ++r) {
    for (std::int64_t i = 0; i < picks.count; ++i) {
      const float a = along(index[r], i);
      const float x = t[r] > 0 ? lerp(a, along(index[r] + 1, i), t[r]) : a;
      ASSERT_EQ(to[r * to_stride + i], narrow(x)) << picks.row_count << ' ' << r << ' ' << i;
    }
    for (std::int64_t i = picks.count; r + 1 < kRows && i < to_stride; ++i) {
      ASSERT_EQ(to[r * to_stride + i], T{7});
    }
  }
  ASSERT_TRUE(to.intact());
}

void expect_all_rows(const ResampleKernels& kernels, const Picks& picks, std::mt19937_64& random) {
  for (const bool two : {false, true}) {
    const auto same = [](float x) { return x; };
    for (const bool past_caches : {false, true}) {
      expect_rows<float>(kernels, kernels.rows_f32, picks, two, past_caches, same, same, random);
    }
    expect_rows<std::uint16_t>(kernels, kernels.rows_f16, picks, two, false, widen_half,
                               narrow_half, random);
  }
}

TEST_P(ResampleLoops, RowsAtOnce) {
  for (const std::int64_t count : {1, 7, 16, 17, 64, 100, 255, 256, 300, 512, 600}) {
    expect_all_rows(GetParam(), {.count = count, .row_count = count}, random_);
    for (const std::int64_t reach : kReaches) {
      expect_all_rows(GetParam(), random_tables(count, reach, random_).picks, random_);
    }
  }
}

TEST_P(ResampleLoops, RowsAtOnceWhereTablesRepeat) {
  for (const float step : {0.125f, 0.25f, 0.5f, 0.75f, 0.875f, 1.0f, 2.0f}) {
    for (const std::int64_t count : {26, 48, 49, 50, 64, 80, 81, 113, 256, 267, 1024, 2000}) {
      expect_all_rows(GetParam(), repeating_tables(count, step).picks, random_);
    }
  }
}

TEST_P(ResampleLoops, RowsAtOnceThatAreDoubled) {
  for (const std::int64_t elements : {1,  2,  7,  8,   9,   15,  16,  17,  24,  25,   32,
                                      33, 47, 64, 100, 511, 512, 513, 520, 528, 1024, 1030}) {
    expect_all_rows(GetParam(), doubling_tables(elements).picks, random_);
  }
}

TEST_P(ResampleLoops, AddRowAndNarrow) {
  for (const std::int64_t count : counts_around_lanes()) {
    const auto row = numbers<float>(count);
    const auto sum = numbers<double>(count);
    const StridedArray<float> narrow(count, 1);
    std::vector<double> right(sum.all().begin(), sum.all().end());
    GetParam().add_row(row.first(), 0.7, sum.first(), count);
    GetParam().narrow(sum.first(), narrow.first(), count);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(sum[i], right[static_cast<std::size_t>(i)] + 0.7 * double{row[i]});
      ASSERT_EQ(narrow[i], static_cast<float>(sum[i]));
    }
  }
}

TEST_P(ResampleLoops, TriangleSumHasTheBitsOfTheBaseLevel) {
  for (const std::int64_t count : counts_around_lanes()) {
    const auto values = numbers<double>(count);
    const double center = 17.3;
    const double slope = 0.001;
    const double sum = GetParam().triangle_sum(values.first(), count, 5, center, slope);
    EXPECT_EQ(sum, base_.triangle_sum(values.first(), count, 5, center, slope));
    long double right = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      right += values[i] * (1 - std::fabs(5 + static_cast<double>(i) - center) * slope);
    }
    EXPECT_NEAR(sum, static_cast<double>(right), 1e-9);
  }
}

}  // namespace
}  // namespace weft::kernels
