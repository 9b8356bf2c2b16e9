#include <cmath>
#include <random>
#include <vector>

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/strips.h"
#include "kernels/gemm/windows.h"
#include "kernels/kernel_test.h"
#include "support/number.h"

namespace weft::kernels {
namespace {

class GemmWindowsTest : public KernelTest<GemmKernel> {
 protected:
  template <class T>
  void fill(std::span<T> values) {
    std::uniform_real_distribution<float> distribution(-1, 1);
    for (T& value : values) {
      if constexpr (std::is_same_v<T, float>) {
        value = distribution(random_);
      } else {
        value = testing::double_to_half(distribution(random_));
      }
    }
  }

  std::mt19937_64 random_{20261127};
};

INSTANTIATE_TEST_SUITE_P(, GemmWindowsTest,
                         ::testing::ValuesIn(rows_with(&GemmKernel::windows, gemm_kernel_table())),
                         level_name<GemmKernel>);

// Images of some channels, one behind the other, that windows of some rows pass over.
struct WindowsCase {
  std::int64_t channels, in_rows, in_columns, window_rows, row_step, column_step;
  std::int64_t first_row, first_column;  // of the first window, in the input
  std::int64_t out_rows, out_columns, panels;
  bool bias, bias_terms, ramps;
};

const WindowsCase windows_cases[] = {
    // Rows before and after the input, columns before and after it; up to three vectors a row.
    {2, 9, 40, 3, 1, 1, -1, -1, 9, 40, 1, true, false, false},
    {3, 9, 65, 3, 2, 2, -1, -1, 5, 33, 2, true, true, true},
    {1, 7, 97, 3, 2, 2, 0, 0, 3, 48, 1, false, false, false},
    {5, 6, 16, 2, 1, 1, -1, -1, 7, 16, 3, true, false, true},
    {8, 12, 14, 3, 1, 1, -1, -1, 12, 14, 1, true, false, false},
    {4, 5, 31, 1, 3, 2, 1, -1, 2, 16, 4, false, false, true},
    {2, 4, 200, 2, 1, 2, -2, -5, 5, 104, 1, true, true, false},
    {1, 3, 20, 3, 1, 1, 0, 30, 1, 5, 1, true, false, false},  // none of it inside
};

float widened(float x) { return x; }
float widened(std::uint16_t x) { return static_cast<float>(testing::half_to_double(x)); }

template <class T>
class Windows {
 public:
  Windows(const WindowsCase& c, const T* in) : c_(c), in_(in) {}

  float input(std::int64_t channel, std::int64_t row, std::int64_t column) const {
    const bool inside = row >= 0 && row < c_.in_rows && column >= 0 && column < c_.in_columns;
    return inside ? widened(in_[(channel * c_.in_rows + row) * c_.in_columns + column]) : 0;
  }

  float sum(const float* a, const float* bias, std::int64_t m, std::int64_t r,
            std::int64_t i) const {
    const std::int64_t terms = c_.channels * c_.window_rows * kGemmWindowsTaps;
    const std::int64_t of_bias = c_.bias_terms ? kGemmBiasTerms : 0;
    float sum = 0, last = c_.bias ? bias[m] : 0;
    for (std::int64_t t = 0; t < terms; ++t) {
      const std::int64_t k = t / kGemmWindowsTaps, w = t % kGemmWindowsTaps;
      const float x = input(k / c_.window_rows, c_.first_row + r * c_.row_step + k % c_.window_rows,
                            c_.first_column + i * c_.column_step + w);
      float& chain = t < terms - of_bias ? sum : last;
      chain = std::fma(a[(m / kGemmWindowsChannels * terms + t) * kGemmWindowsChannels +
                         m % kGemmWindowsChannels],
                       x, chain);
    }
    if (c_.bias) sum += last;
    return ramped(sum, c_.ramps ? &kSomeRamp : nullptr);
  }

 private:
  const WindowsCase& c_;
  const T* in_;
};

TEST_P(GemmWindowsTest, SumsAreChainsOverWhatLiesInside) {
  const auto check = [&]<class T>(const WindowsCase& c, T canary) {
    SCOPED_TRACE(::testing::Message() << c.channels << " channels, " << c.in_columns << " columns, "
                                      << sizeof(T) << " bytes");
    const std::int64_t rows = c.channels * c.window_rows,
                       channels = c.panels * kGemmWindowsChannels;
    const StridedArray<T> in(c.channels * c.in_rows * c.in_columns, 1);
    const StridedArray<float> a(channels * rows * kGemmWindowsTaps, 1), bias(channels, 1);
    fill(in.all());
    fill(a.all());
    fill(bias.all());
    const std::int64_t pitch = c.out_columns + 2, plane = c.out_rows * pitch + 1;
    const StridedArray<T> out(channels * plane, 1, canary);
    std::vector<GemmWindowsRow> places;
    for (std::int64_t k = 0; k < rows; ++k) {
      const std::int64_t row = c.first_row + k % c.window_rows;
      places.push_back({.in = (k / c.window_rows * c.in_rows + row) * c.in_columns + c.first_column,
                        .row = row,
                        .is_new = k % c.window_rows >= c.window_rows - c.row_step});
    }
    GetParam().windows({.in = in.first(),
                        .half = sizeof(T) == 2,
                        .in_row_stride = c.row_step * c.in_columns,
                        .row_step = c.row_step,
                        .in_rows = c.in_rows,
                        .column_step = c.column_step,
                        .first_column = c.first_column,
                        .in_columns = c.in_columns,
                        .rows = places.data(),
                        .row_count = rows,
                        .a = a.first(),
                        .a_panel_stride = rows * kGemmWindowsTaps * kGemmWindowsChannels,
                        .panels = c.panels,
                        .bias = c.bias ? bias.first() : nullptr,
                        .bias_terms = c.bias_terms,
                        .ramp = c.ramps ? &kSomeRamp : nullptr,
                        .out = out.first(),
                        .out_channel_stride = plane,
                        .out_row_stride = pitch,
                        .out_rows = c.out_rows,
                        .out_columns = c.out_columns});
    const Windows<T> windows(c, in.first());
    for (std::int64_t at = 0; at < channels * plane; ++at) {
      const std::int64_t m = at / plane, r = at % plane / pitch, i = at % plane % pitch;
      T expected = canary;
      if (r < c.out_rows && i < c.out_columns) {
        const float sum = windows.sum(a.first(), bias.first(), m, r, i);
        if constexpr (sizeof(T) == 2) {
          expected = testing::double_to_half(sum);
        } else {
          expected = sum;
        }
      }
      ASSERT_EQ(out[at], expected) << "channel " << m << ", row " << r << ", column " << i;
    }
    ASSERT_TRUE(out.intact());
  };
  for (const WindowsCase& c : windows_cases) {
    check(c, 7.0f);
    if (!c.bias_terms) check(c, testing::double_to_half(7));
  }
}

}  // namespace
}  // namespace weft::kernels
