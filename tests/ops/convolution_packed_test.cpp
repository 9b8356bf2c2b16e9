#include "ops/convolution_packed.h"

#include <gtest/gtest.h>

#include "ops/checked_case.h"
#include "ops/convolution_plan.h"
#include "ops/split_case.h"

namespace weft {
namespace {

using ops::Floats;

// Strides of memory in which the last dimension but the batch is the channels.
Dims channels_last(const Dims& sizes) {
  Dims strides(sizes.size());
  std::uint32_t stride = 1;
  strides[1] = stride;
  stride *= sizes[1];
  for (std::size_t d = sizes.size(); d-- > 2;) {
    strides[d] = stride;
    stride *= sizes[d];
  }
  strides[0] = stride;
  return strides;
}

// Packed numbers to channels last, or back.
Floats moved(const Floats& from, const Dims& sizes, bool back) {
  Floats to(from.size());
  const Dims strides = channels_last(sizes);
  std::size_t at = 0;
  for (std::uint32_t n = 0; n < sizes[0]; ++n) {
    for (std::uint32_t c = 0; c < sizes[1]; ++c) {
      for (std::uint32_t p = 0; p < sizes[2] * sizes[3]; ++p, ++at) {
        const std::size_t apart = std::size_t{n} * strides[0] + c + std::size_t{p} * strides[3];
        (back ? to[at] : to[apart]) = from[back ? apart : at];
      }
    }
  }
  return to;
}

bool packs(const ConvolutionParams& params) {
  return plan(params, {.threads = 2}).explain().find("packs ") != std::string::npos;
}

TEST(ConvolutionPacked, ChannelsLastIsRight) {
  std::uint64_t seed = 0;
  for (const ops::Shape& shape : {
           ops::Shape{2, 8, 40, 1, 9, 21, 3, 1, 1},                                 // dense
           ops::Shape{1, 3, 20, 1, 30, 33, 3, 2, 1},                                // first layer
           ops::Shape{3, 24, 24, 24, 10, 11, 3, 1, 1},                              // depthwise
           ops::Shape{1, 40, 33, 1, 13, 1, 1, 1, 1},                                // one column
           ops::Shape{2, 33, 6, 1, 7, 9, 4, 2, 1, ConvolutionDirection::backward},  // phases
       }) {
    for (const bool input : {true, false}) {
      for (const bool output : {true, false}) {
        for (const DataType type : {DataType::float32, DataType::float16}) {
          ConvolutionParams p = ops::params_of(shape);
          p.input.data_type = p.filter.data_type = p.output.data_type = type;
          p.bias->data_type = type;
          if (input) p.input.strides = channels_last(p.input.sizes);
          if (output) p.output.strides = channels_last(p.output.sizes);
          EXPECT_EQ(packs(p), input || output);
          testing::expect_right(p, ++seed, random_cases::Values::special);
        }
      }
    }
  }
}

// A filter that is prepared, or packed by the run, and images in several parts.
TEST(ConvolutionPacked, HasTheBitsOfPackedTensors) {
  std::mt19937 random(1);
  std::normal_distribution<float> distribution;
  const auto numbers = [&](std::size_t count) {
    Floats result(count);
    for (float& x : result) x = distribution(random);
    return result;
  };
  for (const ops::Shape& shape :
       {ops::Shape{4, 40, 40, 1, 20, 20, 3, 1, 1}, ops::Shape{3, 4, 4, 1, 600, 600, 1, 1, 1}}) {
    ConvolutionParams p = ops::params_of(shape);
    const Floats x = numbers(ops::count_of(p.input));
    const Floats filter = numbers(ops::count_of(p.filter));
    const Floats bias = numbers(ops::count_of(*p.bias));
    // The parts are planned for fewer images than there are.
    Floats right;
    {
      const std::uint32_t images = p.input.sizes[0];
      ConvolutionParams one = p;
      if (shape.width == 600) one.input.sizes[0] = one.output.sizes[0] = 1;
      const std::size_t step = ops::count_of(one.input);
      for (std::size_t i = 0; i < x.size(); i += step) {
        const Floats part(x.begin() + static_cast<std::ptrdiff_t>(i),
                          x.begin() + static_cast<std::ptrdiff_t>(i + step));
        const Floats y = ops::run(plan(one), part, filter, bias);
        right.insert(right.end(), y.begin(), y.end());
      }
      ASSERT_EQ(right.size() % images, 0u);
    }
    p.input.strides = channels_last(p.input.sizes);
    p.output.strides = channels_last(p.output.sizes);
    const Plan packing = plan(p);
    ASSERT_TRUE(packs(p));
    const Floats y = ops::run(packing, moved(x, p.input.sizes, false), filter, bias);
    EXPECT_EQ(moved(y, p.output.sizes, true), right) << packing.explain();
  }
}

// Nor is a line fetched for each 64 bytes of it.
TEST(ConvolutionPacked, TheStrideOfASingleColumnDoesNotMatter) {
  ConvolutionParams p = ops::params_of({1, 39, 70, 1, 37, 1, 1, 2, 1});
  p.start_padding = {4, 4};
  p.output.sizes = output_sizes(p);
  p.input.strides = {5, 37, 1, UINT32_MAX};
  EXPECT_FALSE(packs(p));
  testing::expect_right(p, 1);
}

TEST(ConvolutionPacked, MemoryIsBounded) {
  ConvolutionParams p = ops::params_of({64, 8, 8, 1, 200, 201, 1, 1, 1});
  const auto rest = plan(p, {.threads = 2}).workspace_size_in_bytes();
  p.input.strides = channels_last(p.input.sizes);
  p.output.strides = channels_last(p.output.sizes);
  EXPECT_TRUE(packs(p));
  EXPECT_LE(plan(p, {.threads = 2}).workspace_size_in_bytes(), rest + (16u << 20) + 512);
  // An image of its own is packed whole, unless it is huge; so is none whose elements repeat.
  p = ops::params_of({1, 64, 64, 1, 1500, 1500, 1, 1, 1});
  p.output.strides = channels_last(p.output.sizes);
  EXPECT_FALSE(packs(p));
  p = ops::params_of({2, 64, 64, 1, 30, 30, 1, 1, 1});
  p.input.strides = {0, 1, 64, 0};
  EXPECT_FALSE(packs(p));
  // A filter of a single number is read where it lies.
  p = ops::params_of({1, 16384, 16384, 1, 4, 4, 3, 1, 1});
  p.filter.strides = {0, 0, 0, 0};
  const auto small = plan(p, {.threads = 2}).workspace_size_in_bytes();
  p.input.strides = channels_last(p.input.sizes);
  EXPECT_LE(plan(p, {.threads = 2}).workspace_size_in_bytes(), small + (16u << 20) + 512);
}

// What the parts of a plan are planned for.
struct Part {
  std::uint32_t images;
  bool prepares;
};
Part part_of(const ops::Shape& shape) {
  static Part part;
  ConvolutionParams p = ops::params_of(shape);
  p.input.strides = channels_last(p.input.sizes);
  const ops::ConvolutionPlanner planner = [](const ConvolutionParams& params,
                                             const PlanOptions& options) {
    part = {params.input.sizes[0], options.prepare_filter};
    return std::shared_ptr<const ops::PlanBody>(
        std::make_shared<ops::ConvolutionPlan>(params, options));
  };
  EXPECT_NE(ops::convolution_packed(p, {.threads = 2}, planner), nullptr);
  return part;
}

TEST(ConvolutionPacked, OnlyPartsPrepareTheFilter) {
  EXPECT_FALSE(part_of({3, 16, 16, 1, 20, 20, 3, 1, 1}).prepares);
  EXPECT_TRUE(part_of({3, 4, 4, 1, 600, 600, 1, 1, 1}).prepares);
}

TEST(ConvolutionPacked, PartsOfABatchWithoutDivisorsAreNotSmall) {
  EXPECT_EQ(part_of({3000, 16, 16, 1, 8, 8, 3, 1, 1}).images, 1500u);
  EXPECT_EQ(part_of({3001, 16, 16, 1, 8, 8, 3, 1, 1}).images, 1501u);
  EXPECT_EQ(part_of({17, 16, 16, 1, 128, 128, 3, 1, 1}).images, 1u);
  // The last part goes back over an image.
  ConvolutionParams p = ops::params_of({3001, 16, 16, 1, 8, 8, 3, 1, 1});
  Floats x(ops::count_of(p.input)), filter(ops::count_of(p.filter)), bias(16, 1.0f);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1013 % 8);
  for (std::size_t i = 0; i < filter.size(); ++i) filter[i] = static_cast<float>(i % 5);
  const Floats right = ops::run(plan(p, {.winograd = Winograd::never}), x, filter, bias);
  p.output.strides = channels_last(p.output.sizes);
  const Plan packing = plan(p, {.winograd = Winograd::never});
  const Floats y = ops::run(packing, x, filter, bias);
  EXPECT_EQ(moved(y, p.output.sizes, true), right) << packing.explain();
}

}  // namespace
}  // namespace weft
