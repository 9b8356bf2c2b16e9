// Which NaN a sum gives that was given several.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "base/aligned_memory.h"
#include "weft/fold.h"
#include "weft/plan.h"
#include "weft/resample.h"

namespace weft {
namespace {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

// Bits of a type of floating point.
template <class T>
struct Bits;
template <>
struct Bits<uint16_t> {
  static constexpr DataType kType = DataType::float16;
  static constexpr uint16_t kSign = 0x8000, kInfinity = 0x7c00, kOneNan = 0xfe00, kNumber = 0x3c01;
};
template <>
struct Bits<uint64_t> {
  static constexpr DataType kType = DataType::float64;
  static constexpr uint64_t kSign = uint64_t{1} << 63, kInfinity = 0x7ffULL << 52,
                            kOneNan = 0xfff8ULL << 48, kNumber = (0x3ffULL << 52) | 1;
};
template <>
struct Bits<uint32_t> {
  static constexpr DataType kType = DataType::float32;
  static constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kOneNan = 0xffc00000,
                            kNumber = 0x3f800001;
};

template <class T>
bool is_nan(T bits) {
  return (bits & ~Bits<T>::kSign) > Bits<T>::kInfinity;
}

// A number now and then, everything else NaN of all kinds.
template <class T>
std::vector<T> elements(const Dims& sizes) {
  std::mt19937_64 random(17);
  std::size_t count = 1;
  for (const uint32_t size : sizes) count *= size;
  std::vector<T> result(count);
  for (T& x : result) {
    x = random() % 4 == 0 ? Bits<T>::kNumber : static_cast<T>(random() | Bits<T>::kInfinity | 1);
  }
  return result;
}

struct Case {
  Dims in;
  std::vector<float> scales;
  bool antialiased = false;
};

const Case kCases[] = {{{3, 37, 64}, {1, 2, 2}},
                       {{2, 37, 65}, {1, 3, 1.5f}},
                       {{40, 50}, {1, 2}},
                       {{40, 50}, {2, 1}},
                       {{2, 9, 9, 33}, {1, 2, 2, 2}},
                       {{3, 20, 200}, {1, 0.5f, 0.25f}},
                       {{3, 20, 20}, {1, 0.5f, 2}},
                       {{7, 40, 7}, {1, 2, 1}},
                       {{5, 600}, {1, 7}},
                       {{3, 5, 12}, {1, 2, 2}},
                       {{2, 4, 700}, {1, 2, 2}},
                       {{40, 600}, {1, 2}},
                       {{2, 30, 30}, {1, 0.4f, 0.4f}, true}};

template <class T>
ResampleParams params_of(const Case& c) {
  ResampleParams params;
  params.type = OperatorType::resample3;
  params.interpolation_mode = InterpolationMode::linear;
  params.antialiased = c.antialiased;
  params.scales = c.scales;
  params.input = {.data_type = Bits<T>::kType, .sizes = c.in};
  params.output = params.input;
  for (std::size_t d = 0; d < c.in.size(); ++d) {
    params.output.sizes[d] = static_cast<uint32_t>(static_cast<float>(c.in[d]) * c.scales[d]);
  }
  return params;
}

template <class T, class Params>
std::vector<T> results(const Params& params, Isa isa, const std::vector<T>& input) {
  const Plan plan = weft::plan(params, {.threads = 2, .max_isa = isa});
  std::vector<T> output = elements<T>(params.output.sizes);
  const base::AlignedMemory workspace(plan.workspace_size_in_bytes());
  const ConstBuffer inputs[] = {{input.data(), input.size() * sizeof(T)}};
  const Buffer outputs[] = {{output.data(), output.size() * sizeof(T)}};
  plan.run({.inputs = inputs, .outputs = outputs}, workspace.buffer());
  return output;
}

template <class T, class Params>
void expect_one_nan(const Params& params) {
  const std::vector<T> input = elements<T>(params.input.sizes);
  const std::vector<T> right = results(params, Isa::base, input);
  std::size_t nans = 0;
  for (const T x : right) {
    nans += is_nan(x) ? 1 : 0;
    ASSERT_TRUE(!is_nan(x) || x == Bits<T>::kOneNan) << x;
  }
  ASSERT_GT(nans, right.size() / 2);
  for (const Isa isa : {Isa::sse4, Isa::avx2, Isa::avx512}) {
    ASSERT_EQ(results(params, isa, input), right) << name(isa);
  }
}

TEST(OneNan, OfLinearResults) {
  for (const Case& c : kCases) {
    expect_one_nan<uint32_t>(params_of<uint32_t>(c));
    expect_one_nan<uint16_t>(params_of<uint16_t>(c));
  }
}

template <class T>
FoldParams fold_params(uint32_t window, uint32_t stride, bool channels_last = false) {
  FoldParams params;
  params.window_sizes = {window, window};
  params.strides = {stride, stride};
  params.output = {.data_type = Bits<T>::kType, .sizes = {2, 5, 39, 60}};
  if (channels_last) params.output.strides = {5 * 39 * 60, 1, 5 * 60, 5};
  params.input = {.data_type = Bits<T>::kType, .sizes = input_sizes(params)};
  return params;
}

TEST(OneNan, OfOverlappingWindows) {
  for (const auto& [window, stride] : {std::pair{3u, 1u}, {4u, 2u}, {7u, 1u}, {8u, 4u}, {7u, 5u}}) {
    for (const bool channels_last : {false, true}) {
      expect_one_nan<uint64_t>(fold_params<uint64_t>(window, stride, channels_last));
      expect_one_nan<uint32_t>(fold_params<uint32_t>(window, stride, channels_last));
      expect_one_nan<uint16_t>(fold_params<uint16_t>(window, stride, channels_last));
    }
  }
}

TEST(OneNan, IsNotOfWindowsThatAreCopied) {
  // All elements are quiet NaN or numbers, each in one window; of 3x1, all in the only row of them.
  for (const Dims& sizes : {Dims{2, 5, 39, 60}, Dims{2, 5, 3, 60}}) {
    for (const bool has_gaps : {false, true}) {
      FoldParams params;
      params.window_sizes = {3, sizes[2] == 3 ? 1u : 3u};
      params.strides = {sizes[2] == 3 ? 1u : 3u, params.window_sizes[1]};
      params.output = {.sizes = sizes};
      params.input.sizes = input_sizes(params);
      if (has_gaps) params.input.strides = {1u << 20, 1u << 10, 1};
      std::vector<uint32_t> input =
          elements<uint32_t>(has_gaps ? Dims{1u << 21} : params.input.sizes);
      for (uint32_t& x : input) x |= 0x400000;
      std::vector<uint32_t> output = results(params, Isa::base, input);
      EXPECT_EQ(results(params, Isa::avx512, input), output);
      for (const uint32_t x : output) ASSERT_NE(x, Bits<uint32_t>::kOneNan);
      std::sort(input.begin(), input.end());
      std::sort(output.begin(), output.end());
      EXPECT_TRUE(has_gaps || input == output);
    }
  }
}

TEST(OneNan, IsNotOfWhatIsNotInterpolated) {
  ResampleParams params;
  params.interpolation_mode = InterpolationMode::linear;
  params.scales = {1, 1};
  params.input = params.output = {.data_type = DataType::float16, .sizes = {5, 7}};
  const std::vector<uint16_t> input = elements<uint16_t>({5, 7});
  EXPECT_EQ(results(params, Isa::avx512, input), input);
}

}  // namespace
}  // namespace weft
