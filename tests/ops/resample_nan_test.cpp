// Which NaN linear interpolation gives where it was given several.

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/aligned_memory.h"
#include "weft/plan.h"
#include "weft/resample.h"

namespace weft {
namespace {

using std::uint16_t;
using std::uint32_t;

// Bits of a type of floating point.
template <class T>
struct Bits;
template <>
struct Bits<uint16_t> {
  static constexpr DataType kType = DataType::float16;
  static constexpr uint16_t kSign = 0x8000, kInfinity = 0x7c00, kOneNan = 0xfe00, kNumber = 0x3c01;
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
  std::mt19937 random(17);
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

template <class T>
std::vector<T> results(const ResampleParams& params, Isa isa, const std::vector<T>& input) {
  const Plan plan = weft::plan(params, {.threads = 2, .max_isa = isa});
  std::vector<T> output = elements<T>(params.output.sizes);
  const base::AlignedMemory workspace(plan.workspace_size_in_bytes());
  const ConstBuffer inputs[] = {{input.data(), input.size() * sizeof(T)}};
  const Buffer outputs[] = {{output.data(), output.size() * sizeof(T)}};
  plan.run({.inputs = inputs, .outputs = outputs}, workspace.buffer());
  return output;
}

template <class T>
void expect_one_nan() {
  for (const Case& c : kCases) {
    const ResampleParams params = params_of<T>(c);
    const std::vector<T> input = elements<T>(c.in);
    const std::vector<T> right = results(params, Isa::base, input);
    std::size_t nans = 0;
    for (const T x : right) {
      nans += is_nan(x) ? 1 : 0;
      ASSERT_TRUE(!is_nan(x) || x == Bits<T>::kOneNan) << x << ' ' << params.output.sizes.size();
    }
    ASSERT_GT(nans, right.size() / 2);
    for (const Isa isa : {Isa::sse4, Isa::avx2, Isa::avx512}) {
      ASSERT_EQ(results(params, isa, input), right) << name(isa);
    }
  }
}

TEST(ResampleNan, IsOneAndTheSameAtEveryLevel) {
  expect_one_nan<uint32_t>();
  expect_one_nan<uint16_t>();
}

TEST(ResampleNan, IsCopiedWhereNothingIsInterpolated) {
  ResampleParams params;
  params.interpolation_mode = InterpolationMode::linear;
  params.scales = {1, 1};
  params.input = params.output = {.data_type = DataType::float16, .sizes = {5, 7}};
  const std::vector<uint16_t> input = elements<uint16_t>({5, 7});
  EXPECT_EQ(results(params, Isa::avx512, input), input);
}

}  // namespace
}  // namespace weft
