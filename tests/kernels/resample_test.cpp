#include "kernels/resample/resample.h"

#include <cmath>
#include <random>

#include "kernels/kernel_test.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const ResampleKernels& row) {
  return out << name(row.isa);
}

namespace {

constexpr std::int64_t kToStrides[] = {1, 2, 3, 11};

class Resample : public KernelTest<ResampleKernels> {
 protected:
  std::int64_t draw(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  // Between -100 and 100.
  double number() { return static_cast<double>(random_() >> 11) * 0x1p-53 * 200 - 100; }

  template <class T>
  void test_gather(GatherRow gather);
  template <class T, class Real>
  void test_load(WidenRow<Real> load);
  template <class T>
  void test_store(void (*store)(const double*, void*, std::int64_t, std::int64_t) noexcept);
  template <class Real>
  void test_between(const LinearLoops<Real>& loops);
  template <class Real>
  void test_along(const LinearLoops<Real>& loops);

  std::mt19937_64 random_{20240922};
};

INSTANTIATE_TEST_SUITE_P(, Resample, ::testing::ValuesIn(resample_kernel_table()),
                         level_name<ResampleKernels>);

TEST(ResampleKernelTable, IsBestFirstAndEndsWithTheBase) {
  const auto table = resample_kernel_table();
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_GT(table[i - 1].isa, table[i].isa);
  EXPECT_EQ(table.back().isa, Isa::base);
  for (const ResampleKernels& row : table) EXPECT_EQ(resample_kernels(row.isa).isa, row.isa);
}

template <class T>
void Resample::test_gather(GatherRow gather) {
  constexpr T kFill = 0x5A;
  const StridedArray<T> from(500, 1);
  for (T& value : from.all()) value = static_cast<T>(random_());
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : kToStrides) {
      const StridedArray<std::int64_t> offsets(count, 1);
      for (std::int64_t& offset : offsets.all()) offset = draw(500);
      const StridedArray<T> to(count, stride, kFill);
      gather(from.first(), offsets.first(), to.first(), stride, count);
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(to[i], from[offsets[i]]) << i;
      ASSERT_TRUE(to.intact() && to.gaps_are(kFill)) << "count " << count << ", stride " << stride;
    }
  }
}

TEST_P(Resample, Gather8) { test_gather<std::uint8_t>(GetParam().gather_8); }
TEST_P(Resample, Gather16) { test_gather<std::uint16_t>(GetParam().gather_16); }
TEST_P(Resample, Gather32) { test_gather<std::uint32_t>(GetParam().gather_32); }

template <class T, class Real>
void Resample::test_load(WidenRow<Real> load) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : {1, 0, 2, 3, -1, -2, 11}) {
      const StridedArray<T> from(count, stride);
      for (T& value : from.all()) value = static_cast<T>(random_());
      const StridedArray<Real> to(count, 1, -1);
      load(from.first(), stride, to.first(), count);
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(to[i], from[i]) << i;
      ASSERT_TRUE(to.intact()) << "count " << count << ", stride " << stride;
    }
  }
}

TEST_P(Resample, LoadInt8) {
  test_load<std::int8_t, float>(GetParam().load_i8_f32);
  test_load<std::int8_t, double>(GetParam().load_i8_f64);
}
TEST_P(Resample, LoadUint8) {
  test_load<std::uint8_t, float>(GetParam().load_u8_f32);
  test_load<std::uint8_t, double>(GetParam().load_u8_f64);
}

template <class T>
void Resample::test_store(void (*store)(const double*, void*, std::int64_t,
                                        std::int64_t) noexcept) {
  using Limits = std::numeric_limits<T>;
  for (const std::int64_t count : counts_around_lanes()) {
    for (const std::int64_t stride : kToStrides) {
      const StridedArray<double> from(count, 1);
      for (double& value : from.all()) value = draw(8) == 0 ? 1e10 * number() : 4 * number();
      const StridedArray<T> to(count, stride, 0x5A);
      store(from.first(), to.first(), stride, count);
      for (std::int64_t i = 0; i < count; ++i) {
        const double truncated = std::trunc(from[i]);
        const double expected =
            std::min<double>(Limits::max(), std::max<double>(Limits::min(), truncated));
        ASSERT_EQ(to[i], expected) << from[i];
      }
      ASSERT_TRUE(to.intact() && to.gaps_are(0x5A)) << "count " << count << ", stride " << stride;
    }
  }
}

TEST_P(Resample, StoreTruncatesAndSaturates) {
  test_store<std::int8_t>(GetParam().store_f64_i8);
  test_store<std::uint8_t>(GetParam().store_f64_u8);
}

// A few roundings of numbers up to 100.
template <class Real>
constexpr Real kRoundings = 100 * 8 * std::numeric_limits<Real>::epsilon();

template <class Real>
void Resample::test_between(const LinearLoops<Real>& loops) {
  for (const std::int64_t count : counts_around_lanes()) {
    for (const float t : {0.0f, 0.25f, 0.37f, 1.0f}) {
      const StridedArray<Real> a(count, 1);
      const StridedArray<Real> b(count, 1);
      for (Real& value : a.all()) value = static_cast<Real>(number());
      for (Real& value : b.all()) value = static_cast<Real>(number());
      const StridedArray<Real> to(count, 1);
      loops.between(a.first(), b.first(), t, to.first(), count);
      for (std::int64_t i = 0; i < count; ++i) {
        const double expected = double{a[i]} + t * (double{b[i]} - a[i]);
        ASSERT_NEAR(to[i], expected, kRoundings<Real>) << i;
        ASSERT_TRUE(t != 0 || to[i] == a[i]) << i;
      }
      ASSERT_TRUE(to.intact());
      // Over one of its inputs it gives the same.
      loops.between(a.first(), b.first(), t, b.first(), count);
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(b[i], to[i]) << i;
    }
  }
}

TEST_P(Resample, LinearBetweenRows) {
  test_between(GetParam().linear_f32);
  test_between(GetParam().linear_f64);
}

template <class Real>
void Resample::test_along(const LinearLoops<Real>& loops) {
  constexpr std::int64_t kRow = 77;
  // The last element has no neighbour: an index that points at it has weight 0.
  const StridedArray<Real> row(kRow, 1);
  for (Real& value : row.all()) value = static_cast<Real>(number());
  for (const std::int64_t count : counts_around_lanes()) {
    const StridedArray<std::int32_t> index(count, 1);
    const StridedArray<float> t(count, 1);
    for (std::int64_t i = 0; i < count; ++i) {
      index[i] = static_cast<std::int32_t>(draw(4) == 0 ? kRow - 1 : draw(kRow));
      const bool alone = index[i] == kRow - 1 || draw(4) == 0;
      t[i] = alone ? 0 : static_cast<float>(draw(1000)) / 1000;
    }
    const StridedArray<Real> to(count, 1);
    loops.along(row.first(), index.first(), t.first(), to.first(), count);
    for (std::int64_t i = 0; i < count; ++i) {
      const double a = row[index[i]];
      const double b = t[i] > 0 ? row[index[i] + 1] : 0;
      ASSERT_NEAR(to[i], t[i] > 0 ? a + t[i] * (b - a) : a, kRoundings<Real>) << i;
      ASSERT_TRUE(t[i] != 0 || to[i] == row[index[i]]) << i;
    }
    ASSERT_TRUE(to.intact());
  }
}

TEST_P(Resample, LinearAlongARow) {
  test_along(GetParam().linear_f32);
  test_along(GetParam().linear_f64);
}

TEST_P(Resample, AddRow) {
  for (const std::int64_t count : counts_around_lanes()) {
    const StridedArray<float> row(count, 1);
    const StridedArray<double> sum(count, 1, 5);
    for (float& value : row.all()) value = static_cast<float>(number());
    GetParam().add_row(row.first(), 0.37, sum.first(), count);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_NEAR(sum[i], 5 + 0.37 * row[i], 1e-13) << i;
    ASSERT_TRUE(sum.intact());
  }
}

TEST_P(Resample, TriangleSum) {
  for (const std::int64_t count : counts_around_lanes()) {
    const StridedArray<double> values(count, 1);
    for (double& value : values.all()) value = number();
    const double first = -3;
    const double center = first + 0.4 * static_cast<double>(count);
    const double slope = 1 / (1 + static_cast<double>(count));
    long double expected = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const long double distance = std::fabs(first + static_cast<double>(i) - center);
      expected += values[i] * (1 - distance * slope);
    }
    const double sum = GetParam().triangle_sum(values.first(), count, first, center, slope);
    ASSERT_NEAR(sum, static_cast<double>(expected), 1e-11 * static_cast<double>(count));
  }
}

TEST_P(Resample, Narrow) {
  for (const std::int64_t count : counts_around_lanes()) {
    const StridedArray<double> from(count, 1);
    for (double& value : from.all()) value = number();
    const StridedArray<float> to(count, 1);
    GetParam().narrow(from.first(), to.first(), count);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(to[i], static_cast<float>(from[i])) << i;
    ASSERT_TRUE(to.intact());
  }
}

TEST_P(Resample, GatherIsChosenByDataType) {
  EXPECT_EQ(GetParam().gather(DataType::int8), GetParam().gather_8);
  EXPECT_EQ(GetParam().gather(DataType::float16), GetParam().gather_16);
  EXPECT_EQ(GetParam().gather(DataType::float32), GetParam().gather_32);
}

}  // namespace
}  // namespace weft::kernels
