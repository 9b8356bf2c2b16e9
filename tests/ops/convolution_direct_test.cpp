#include "ops/convolution_direct.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "base/cpu.h"
#include "ops/checked_case.h"
#include "ops/split_case.h"
#include "support/number.h"
#include "weft/convolution.h"

namespace weft::ops {
namespace {

using Floats = std::vector<float>;

struct DirectShape {
  std::uint32_t groups, in, out;  // channels a group
  Dims size, window, strides, dilations;
  ConvolutionDirection direction = ConvolutionDirection::forward;
};

// Two images, padding 1 at both ends.
ConvolutionParams direct_params(const DirectShape& s) {
  const bool backward = s.direction == ConvolutionDirection::backward;
  const std::size_t spatial = s.size.size();
  ConvolutionParams p;
  p.mode = ConvolutionMode::cross_correlation;
  p.direction = s.direction;
  p.group_count = s.groups;
  p.strides = s.strides;
  p.dilations = s.dilations;
  p.start_padding = p.end_padding = Dims(spatial, 1);
  p.input.sizes = {2, s.groups * s.in};
  p.filter.sizes = {s.groups * (backward ? s.in : s.out), backward ? s.out : s.in};
  Dims bias = {1, s.groups * s.out};
  for (std::size_t d = 0; d < spatial; ++d) {
    p.input.sizes.push_back(s.size[d]);
    p.filter.sizes.push_back(s.window[d]);
    bias.push_back(1);
  }
  p.bias = TensorDesc{.sizes = bias};
  p.output.sizes = output_sizes(p);
  return p;
}

const DirectShape shapes[] = {
    {5, 1, 1, {14, 14}, {3, 3}, {1, 1}, {1, 1}},              // shared rows
    {3, 1, 1, {30, 70}, {7, 7}, {1, 1}, {1, 1}},              // several strips
    {3, 1, 1, {14, 14}, {5, 5}, {2, 2}, {1, 1}},              // two planes, narrow rows
    {2, 1, 1, {25, 50}, {3, 3}, {3, 3}, {1, 1}},              // three planes
    {2, 1, 1, {20, 40}, {3, 3}, {1, 1}, {4, 3}},              // dilated
    {4, 1, 2, {9, 33}, {3, 3}, {1, 1}, {1, 1}},               // two outputs a group
    {3, 4, 4, {56, 56}, {3, 3}, {1, 1}, {1, 1}},              // small groups
    {1, 15, 3, {9, 70}, {3, 3}, {1, 1}, {1, 1}},              // several chains
    {2, 17, 1, {20, 40}, {3, 3}, {1, 1}, {1, 1}},             // of shared rows
    {1, 2, 1, {20, 40}, {9, 9}, {1, 1}, {1, 1}},              // of bands
    {1, 5, 1, {300}, {31}, {1}, {1}},                         // of a run
    {1, 9, 3, {40, 200}, {3, 3}, {1, 1}, {1, 1}},             // the last layer of an upscaler
    {1, 3, 5, {12, 20}, {3, 3}, {1, 1}, {1, 1}},              // a panel that is not full
    {9, 1, 1, {29, 60}, {5, 5}, {2, 2}, {1, 1}},              // every other row shared
    {2, 1, 1, {40, 41}, {7, 7}, {2, 2}, {1, 1}},              // rows of which none is shared
    {7, 1, 1, {7, 8}, {5, 5}, {1, 1}, {1, 1}},                // an odd channel, half vectors
    {5, 1, 1, {3, 20}, {3, 3}, {1, 1}, {1, 1}},               // hardly any rows
    {3, 1, 1, {23, 101}, {3, 3}, {2, 2}, {1, 1}},             // strips of every other column
    {3, 1, 1, {5, 9, 20}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}},   // layers
    {3, 1, 1, {5, 12, 33}, {2, 3, 3}, {2, 2, 2}, {1, 1, 1}},  // every other layer
    {40, 1, 1, {6, 7, 5}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}},   // several rows a vector
    {2, 1, 1, {17, 30}, {3, 3}, {2, 1}, {2, 1}},              // dilated as far as strided
    {70, 1, 1, {5, 6}, {3, 3}, {1, 1}, {1, 1}},               // several groups at a time
    {3, 1, 1, {33, 40}, {9, 9}, {1, 1}, {1, 1}},              // two bands of rows
    {2, 1, 1, {40, 23}, {31, 5}, {1, 1}, {1, 1}},             // five
    {3, 1, 1, {13, 7}, {8, 3}, {1, 1}, {1, 1}},               // half vectors
    {2, 2, 1, {20, 100}, {10, 3}, {1, 1}, {1, 1}},            // of several channels and strips
    {2, 1, 1, {4, 25, 30}, {2, 8, 3}, {1, 1, 1}, {1, 1, 1}},  // of several layers
    {2, 1, 1, {50, 40}, {11, 3}, {2, 1}, {2, 1}},             // of every other row
    {4, 1, 1, {500}, {31}, {1}, {1}},                         // one dimension
    {3, 2, 1, {300}, {49}, {1}, {1}},                         // taps that have none 16 further on
    {2, 1, 1, {400}, {20}, {1}, {3}},                         // dilated
    {2, 1, 1, {90}, {9}, {1}, {1}},                           // runs of 1 to 4 taps together
    {2, 1, 1, {65}, {17}, {1}, {1}},
    {3, 1, 1, {120}, {24}, {1}, {1}},
    {2, 1, 1, {77}, {25}, {1}, {1}},
    {2, 1, 1, {150}, {32}, {1}, {1}},
    {2, 2, 1, {140}, {41}, {1}, {1}},
    {2, 1, 1, {600, 600}, {3, 3}, {1, 1}, {1, 1}},  // several boxes
    {2, 1, 1, {90, 104}, {5, 5}, {1, 1}, {1, 1}},   // 7 vectors a row
    {3, 1, 1, {7, 20, 20}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}},
    {2, 1, 1, {40, 64, 64}, {3, 3, 3}, {2, 1, 2}, {1, 1, 1}},
    {2, 10, 3, {30, 70}, {3, 3}, {1, 1}, {1, 1}},             // many channels, read in place
    {1, 16, 1, {40, 50}, {3, 3}, {1, 1}, {1, 1}},             // one of them at a time
    {1, 9, 7, {16, 24}, {2, 5}, {1, 1}, {1, 2}},              // two panels
    {1, 8, 3, {4, 17, 33}, {2, 4, 2}, {2, 1, 1}, {1, 1, 1}},  // layers
    {1, 8, 3, {29, 40}, {3, 3}, {2, 1}, {3, 1}},              // rows apart
    {1, 9, 3, {21, 100}, {5, 3}, {1, 1}, {1, 1}, ConvolutionDirection::backward},
    {3, 1, 1, {16, 20}, {4, 4}, {2, 2}, {1, 1}, ConvolutionDirection::backward},
    {2, 1, 1, {21, 150}, {4, 4}, {2, 2}, {1, 1}, ConvolutionDirection::backward},   // doubled
    {1, 1, 1, {260, 190}, {4, 4}, {2, 2}, {1, 1}, ConvolutionDirection::backward},  // in boxes
    {2, 1, 1, {4, 9, 13}, {1, 4, 4}, {1, 2, 2}, {1, 1, 1}, ConvolutionDirection::backward},
    {1, 6, 1, {12, 16}, {9, 9}, {3, 3}, {1, 1}, ConvolutionDirection::backward},
    {1, 9, 1, {20, 130}, {9, 9}, {3, 3}, {1, 1}, ConvolutionDirection::backward},  // nine sums
    {1, 9, 1, {10, 70}, {7, 7}, {3, 3}, {1, 1}, ConvolutionDirection::backward},  // not of all taps
    {1, 5, 3, {9, 90}, {5, 3}, {2, 2}, {1, 1}, ConvolutionDirection::backward},
    {2, 2, 2, {9, 9}, {2, 2}, {3, 3}, {1, 1}, ConvolutionDirection::backward},  // empty phases
    {2, 1, 1, {9, 9}, {3, 3}, {2, 2}, {2, 3}, ConvolutionDirection::backward},
    {2, 1, 1, {5, 6, 7}, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}, ConvolutionDirection::backward},
    {2, 1, 1, {69}, {3}, {2}, {1}, ConvolutionDirection::backward},  // several boxes
    {1, 3, 1, {200, 150}, {4, 4}, {2, 2}, {1, 1}, ConvolutionDirection::backward},
    {2, 1, 1, {40, 300}, {3, 3}, {2, 2}, {1, 1}, ConvolutionDirection::backward},
    {1, 12, 3, {9, 33}, {4, 4}, {2, 2}, {1, 1}, ConvolutionDirection::backward},  // twelve sums
    {1, 2, 1, {11, 40}, {8, 8}, {4, 2}, {1, 1}, ConvolutionDirection::backward},
    {2, 30, 3, {14, 21}, {5, 3}, {2, 2}, {1, 1}, ConvolutionDirection::backward},  // phase by phase
    {1, 20, 3, {9, 48}, {4, 4}, {2, 2}, {1, 1}, ConvolutionDirection::backward},
    {1, 20, 3, {9, 41}, {4, 4}, {2, 2}, {1, 1}, ConvolutionDirection::backward},  // all together
    {1, 20, 1, {9, 32}, {4, 4}, {2, 2}, {1, 1}, ConvolutionDirection::backward},
    {1, 20, 3, {3, 5, 40}, {4, 3, 4}, {2, 2, 2}, {1, 1, 1}, ConvolutionDirection::backward},
    {3, 1, 1, {12, 21}, {13, 7}, {1, 1}, {1, 1}, ConvolutionDirection::backward},  // upward bands
};

class DirectConvolutionTest : public ::testing::Test {
 protected:
  template <class Test>
  void for_each_shape(const Test& test) {
    for (std::size_t i = 0; i < std::size(shapes) && !HasFatalFailure(); ++i) {
      SCOPED_TRACE(i);
      random_.seed(7);
      params_ = direct_params(shapes[i]);
      x_ = numbers(params_.input);
      w_ = numbers(params_.filter);
      b_ = numbers(*params_.bias);
      test();
    }
  }

  Floats numbers(const TensorDesc& desc) {
    std::normal_distribution<float> distribution;
    Floats result(*element_count(desc.sizes));
    for (float& x : result) x = distribution(random_);
    return result;
  }

  Floats run(const Plan& plan) const {
    const auto bytes = [](const Floats& v) { return ConstBuffer(v.data(), v.size() * 4); };
    Floats y(*element_count(params_.output.sizes), -77.0f);
    const ConstBuffer inputs[] = {bytes(x_), bytes(w_), bytes(b_)};
    const Buffer outputs[] = {{y.data(), y.size() * 4}};
    plan.run({inputs, outputs});
    return y;
  }

  Floats direct(const PlanOptions& options) const {
    return run(Plan(std::make_shared<DirectConvolution>(params_, options)));
  }
  Floats general() const {
    return run(Plan(std::make_shared<ConvolutionPlan>(params_, PlanOptions{})));
  }

  std::mt19937 random_;
  ConvolutionParams params_;
  Floats x_, w_, b_;
};

bool equal_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * 4) == 0;
}

double root_mean_square(const Floats& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x * x;
  return std::sqrt(sum / static_cast<double>(numbers.size()));
}

TEST_F(DirectConvolutionTest, AgreesWithTheGeneralPlanAtEveryLevel) {
  for_each_shape([&] {
    const Floats expected = general();
    // Terms are of both signs, each about 1: rounding errors grow with their number as sums do.
    const double tolerance = 3e-6 * root_mean_square(expected);
    for (const Isa isa : {Isa::base, Isa::sse4, Isa::avx2, Isa::avx512}) {
      if (base::choose_isa(isa) != isa) continue;
      const Floats result = direct({.threads = 1, .max_isa = isa});
      for (std::size_t i = 0; i < result.size(); ++i) {
        ASSERT_NEAR(result[i], expected[i], tolerance) << i << " " << name(isa);
      }
    }
  });
}

TEST_F(DirectConvolutionTest, RoundsFloat16SumsOnceAtEveryLevel) {
  for_each_shape([&] {
    // Small integers, whose sums are exact: only the last rounding may change them.
    const auto integers = [&](const TensorDesc& desc, Floats& floats) {
      std::uniform_int_distribution<int> distribution(-9, 9);
      std::vector<std::uint16_t> halves;
      for (float& x : floats) {
        x = static_cast<float>(distribution(random_));
        halves.push_back(testing::double_to_half(x));
      }
      EXPECT_EQ(halves.size(), *element_count(desc.sizes));
      return halves;
    };
    const auto x = integers(params_.input, x_), w = integers(params_.filter, w_),
               b = integers(*params_.bias, b_);
    const Floats sums = general();
    for (TensorDesc* desc : {&params_.input, &params_.filter, &*params_.bias, &params_.output}) {
      desc->data_type = DataType::float16;
    }
    const auto bytes = [](const auto& v) { return ConstBuffer(v.data(), v.size() * 2); };
    const ConstBuffer inputs[] = {bytes(x), bytes(w), bytes(b)};
    for (const Isa isa : {Isa::base, Isa::sse4, Isa::avx2, Isa::avx512}) {
      if (base::choose_isa(isa) != isa) continue;
      std::vector<std::uint16_t> y(sums.size() + 1, 0x7e55);
      const Buffer outputs[] = {{y.data(), sums.size() * 2}};
      Plan(std::make_shared<DirectConvolution>(params_, PlanOptions{.threads = 1, .max_isa = isa}))
          .run({inputs, outputs});
      for (std::size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(y[i], testing::double_to_half(sums[i])) << i << " " << name(isa);
      }
      EXPECT_EQ(y.back(), 0x7e55);
    }
  });
}

TEST_F(DirectConvolutionTest, ThreadsChangeNoBit) {
  for_each_shape([&] {
    const Floats expected = direct({.threads = 1});
    for (const unsigned threads : {2u, 3u, 7u}) {
      EXPECT_TRUE(equal_bits(direct({.threads = threads}), expected)) << threads;
    }
  });
}

TEST_F(DirectConvolutionTest, InfiniteWeightsDoNotMeetPadding) {
  for_each_shape([&] {
    w_[w_.size() / 2] = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(equal_bits(direct({.threads = 1}), general()));
  });
}

// Depthwise layers whose windows lie before and behind the image: what is left is the bias.
TEST(DirectConvolutionPadding, LayersThatReadNothing) {
  std::uint64_t seed = 0;
  for (const std::uint32_t window : {1u, 3u}) {
    for (const std::uint32_t width : {7u, 28u, 70u}) {
      for (const Dims& padding : {Dims{13, 5}, Dims{0, 7}, Dims{6, 0}, Dims{3, 3}}) {
        for (const DataType type : {DataType::float32, DataType::float16}) {
          ConvolutionParams p =
              direct_params({3, 1, 1, {2, 9, width}, {window, 3, 3}, {2, 1, 1}, {1, 1, 1}});
          p.start_padding[0] = padding[0];
          p.end_padding[0] = padding[1];
          p.output.sizes = output_sizes(p);
          p.input.data_type = p.filter.data_type = p.bias->data_type = p.output.data_type = type;
          testing::expect_right(p, ++seed);
        }
      }
    }
  }
}

// Levels with kernels of their own, and the seeds that take them: every fifth one.
constexpr std::uint64_t kLevels = 5;
constexpr std::pair<Isa, std::uint64_t> kSeeds[] = {{Isa::avx512, 1}, {Isa::avx2, 3}};

class DirectChannelsTest : public NumbersTest {
 protected:
  void SetUp() override { skip_without(Isa::avx2); }
};

DataType other_than(DataType type) {
  return type == DataType::float32 ? DataType::float16 : DataType::float32;
}

// Few outputs of many channels: all numbers of outputs and of rows of a window that have kernels of
// their own, windows that begin before the image, lie in it, or end past it; of each padding every
// other window and number of outputs has the other type.
TEST_F(DirectChannelsTest, AreReadWhereTheyLie) {
  std::uint64_t seed = 0;
  DataType type = DataType::float32;
  for (const std::uint32_t out : {1u, 2u, 3u, 4u, 5u}) {
    for (const std::uint32_t window : {1u, 2u, 3u, 5u, 7u}) {
      for (const Dims& padding : {Dims{0, 0}, Dims{2, 1}, Dims{9, 17}, Dims{8, 45}}) {
        ConvolutionParams p = direct_params({1, 17, out, {16, 43}, {window, 3}, {1, 1}, {1, 1}});
        p.start_padding = p.end_padding = padding;
        p.output.sizes = output_sizes(p);
        p.input.data_type = p.filter.data_type = p.bias->data_type = p.output.data_type = type;
        type = other_than(type);
        seed += kLevels;
        if (seed % 3 == 0) p.fused_activation = Activation{.type = OperatorType::activation_relu};
        for (const auto& [isa, level] : kSeeds) {
          if (base::choose_isa(isa) == isa) testing::expect_right(p, seed + level);
        }
      }
      type = other_than(type);
    }
  }
}

TEST(DirectConvolutionChannels, AreChosenWhereTheyAreFaster) {
  const auto explanation = [](const DirectShape& shape, Isa isa) {
    return plan(direct_params(shape), {.max_isa = isa}).explain();
  };
  const auto in_place = ::testing::HasSubstr("in place");
  if (base::choose_isa(Isa::avx512) == Isa::avx512) {
    const auto explain = [&](const DirectShape& s) { return explanation(s, Isa::avx512); };
    EXPECT_THAT(explain({1, 16, 4, {40, 50}, {3, 3}, {1, 1}, {1, 1}}), in_place);
    EXPECT_THAT(explain({1, 7, 3, {40, 50}, {3, 3}, {1, 1}, {1, 1}}), Not(in_place));
    EXPECT_THAT(explain({1, 16, 3, {40, 50}, {3, 3}, {2, 1}, {1, 1}}), Not(in_place));
    EXPECT_THAT(explain({1, 16, 1, {40, 50}, {5, 5}, {1, 1}, {1, 1}}), Not(in_place));
  }
  if (base::choose_isa(Isa::avx2) == Isa::avx2) {
    const auto explain = [&](const DirectShape& s) { return explanation(s, Isa::avx2); };
    EXPECT_THAT(explain({1, 16, 3, {40, 50}, {3, 3}, {2, 1}, {1, 1}}), in_place);
    EXPECT_THAT(explain({1, 16, 4, {40, 50}, {3, 3}, {1, 1}, {1, 1}}), Not(in_place));
  }
}

// The window's ends lie in the first vector, in the last ones, in none, or several strips away.
// Rows are read in place with AVX2, whole or in parts, and with AVX-512 those from 8 vectors on
// whose vectors leave nothing but their ends.
TEST(DirectConvolutionPadding, LongRowsUnderLongWindows) {
  std::uint64_t seed = 0;
  const auto test = [&](std::uint32_t size, std::uint32_t window, const Dims& padding) {
    ConvolutionParams p = direct_params({3, 1, 1, {2, size}, {1, window}, {1, 1}, {1, 1}});
    p.start_padding = {0, padding[0]};
    p.end_padding = {0, padding[1]};
    p.output.sizes = output_sizes(p);
    seed += kLevels;
    for (const DataType type : {DataType::float32, DataType::float16}) {
      p.input.data_type = p.filter.data_type = p.bias->data_type = p.output.data_type = type;
      for (const auto& [isa, level] : kSeeds) {
        if (base::choose_isa(isa) == isa) testing::expect_right(p, seed + level);
      }
    }
  };
  for (const std::uint32_t size : {130u, 257u, 497u, 500u, 512u}) {
    for (const std::uint32_t window : {17u, 25u, 31u, 32u}) {
      for (const Dims& padding : {Dims{15, 15}, Dims{0, 30}, Dims{16, 1}, Dims{17, 0}}) {
        test(size, window, padding);
      }
    }
  }
  for (const std::uint32_t size : {41u, 74u, 97u}) {
    for (const std::uint32_t window : {2u, 3u, 8u, 9u, 12u, 16u, 33u, 40u}) {
      for (const Dims& padding : {Dims{4, 4}, Dims{0, 0}, Dims{100, 3}, Dims{2, 130}}) {
        test(size, window, padding);
      }
    }
  }
  for (const std::uint32_t window : {65u, 101u, 128u, 129u}) {
    for (const Dims& padding : {Dims{0, 0}, Dims{64, 63}, Dims{150, 9}}) {
      test(300, window, padding);
    }
  }
}

TEST(DirectConvolutionChoice, RunsAreReadInPlace) {
  const auto explain = [](std::uint32_t size, std::uint32_t window, Isa isa) {
    const Plan runs = plan(direct_params({16, 1, 1, {size}, {window}, {1}, {1}}), {.max_isa = isa});
    return std::string(runs.algorithm()) + " " + runs.explain();
  };
  const auto in_place = ::testing::HasSubstr("in place");
  if (base::choose_isa(Isa::avx2) == Isa::avx2) {
    for (const std::uint32_t window : {2u, 7u, 31u, 128u}) {
      EXPECT_THAT(explain(400, window, Isa::avx2), in_place);
    }
    EXPECT_THAT(explain(30, 7, Isa::avx2), Not(in_place));
    EXPECT_THAT(explain(400, 129, Isa::avx2), Not(in_place));
  }
  if (base::choose_isa(Isa::avx512) == Isa::avx512) {
    EXPECT_THAT(explain(400, 31, Isa::avx512), AllOf(in_place, ::testing::HasSubstr("avx512")));
    if (base::halves_vectors()) {
      EXPECT_THAT(explain(400, 7, Isa::avx512), AllOf(in_place, ::testing::HasSubstr("avx2")));
    }
  }
}

// Vectors of rows in place begin at most a window before them.
TEST(DirectConvolutionPadding, NarrowRowsBehindMoreThanAWindow) {
  for (const std::uint32_t padding : {2u, 3u, 5u}) {
    ConvolutionParams p = direct_params({33, 1, 1, {4, 3}, {3, 3}, {1, 1}, {1, 1}});
    p.start_padding = {1, padding};
    p.end_padding = {1, 0};
    p.output.sizes = output_sizes(p);
    testing::expect_right(p, 6);  // AVX-512
    if (padding < 3) continue;
    EXPECT_EQ(plan(p).explain().find("in place"), std::string::npos);
  }
}

// Bands of a window's rows, of which each row of outputs has others in the padding; some have all.
TEST(DirectConvolutionPadding, WindowsHigherThanTheImage) {
  std::uint64_t seed = 0;
  for (const std::uint32_t window : {9u, 13u, 27u}) {
    for (const Dims& padding : {Dims{13, 13}, Dims{0, 20}, Dims{29, 3}}) {
      for (const auto direction : {ConvolutionDirection::forward, ConvolutionDirection::backward}) {
        for (const DataType type : {DataType::float32, DataType::float16}) {
          ConvolutionParams p =
              direct_params({3, 1, 1, {30, 9}, {window, 5}, {1, 1}, {1, 1}, direction});
          p.start_padding[0] = padding[0];
          p.end_padding[0] = padding[1];
          if (direction == ConvolutionDirection::forward) p.input.sizes[2] = 14;
          p.output.sizes = output_sizes(p);
          p.input.data_type = p.filter.data_type = p.bias->data_type = p.output.data_type = type;
          for (int level = 0; level < 5; ++level) testing::expect_right(p, ++seed);
        }
      }
    }
  }
}

// Depthwise planes as one row each: of those that have room for a mask of each vector and column of
// the window, and of larger ones. The sizes leave much of the last vectors of rows empty.
TEST(DirectConvolutionPadding, WholePlanes) {
  std::uint64_t seed = 0;
  for (const std::uint32_t size : {17u, 25u, 33u, 35u, 40u, 50u}) {
    for (const Dims& window : {Dims{3, 3, 3}, Dims{5, 3, 3}, Dims{3, 5, 5}}) {
      for (const DataType type : {DataType::float32, DataType::float16}) {
        ConvolutionParams p =
            direct_params({2, 1, 1, {4, size, size}, window, {1, 1, 1}, {1, 1, 1}});
        p.start_padding = p.end_padding = {window[0] / 2, window[1] / 2, window[2] / 2};
        p.output.sizes = output_sizes(p);
        p.input.data_type = p.filter.data_type = p.bias->data_type = p.output.data_type = type;
        seed += kLevels;
        for (const auto& [isa, level] : kSeeds) {
          if (base::choose_isa(isa) == isa) testing::expect_right(p, seed + level);
        }
      }
    }
  }
}

// Tiles that begin within a row.
TEST(DirectConvolutionPadding, RowsPastTheCache) {
  std::uint64_t seed = 0;
  for (const std::uint32_t window : {3u, 31u, 65u}) {
    const ConvolutionParams p = direct_params({2, 1, 1, {60001}, {window}, {1}, {1}});
    seed += kLevels;
    for (const auto& [isa, level] : kSeeds) {
      if (base::choose_isa(isa) == isa) testing::expect_right(p, seed + level);
    }
  }
  for (const DataType type : {DataType::float32, DataType::float16}) {
    ConvolutionParams p = direct_params({2, 1, 1, {3, 9001}, {3, 3}, {1, 1}, {1, 1}});
    p.input.data_type = p.filter.data_type = p.bias->data_type = p.output.data_type = type;
    testing::expect_right(p, 6);  // AVX-512
  }
}

TEST(DirectConvolutionChoice, IsForFewOutputChannels) {
  const auto algorithm = [](const DirectShape& shape) {
    return plan(direct_params(shape), {.max_isa = Isa::base}).algorithm();
  };
  EXPECT_EQ(algorithm(shapes[0]), "direct_f32_base");
  EXPECT_EQ(algorithm({1, 8, 8, {14, 14}, {3, 3}, {1, 1}, {1, 1}}), "gemm_f32_base");
  // Planes of so many rows would not fit any cache.
  EXPECT_EQ(algorithm({1, 2, 1, {3000, 29}, {3, 3}, {1, 1}, {1400, 1}}), "rows_f32_base");
}

}  // namespace
}  // namespace weft::ops
