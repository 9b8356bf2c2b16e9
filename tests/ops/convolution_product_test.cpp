#include "ops/convolution_product.h"

#include <gmock/gmock.h>

#include <limits>

#include "ops/split_case.h"
#include "reference/reference.h"
#include "support/number.h"

namespace weft::ops {
namespace {

using ::testing::HasSubstr;

class ProductConvolutionTest : public MatrixUnitTest {
 protected:
  void expect_right(const ConvolutionParams& params) {
    expect_right_plan<ProductConvolution>(params);
  }
};

// Windows that overlap: patches come from planes.
TEST_F(ProductConvolutionTest, FirstLayers) {
  expect_right(params_of({2, 3, 64, 1, 40, 53, 7, 2, 1}));
  expect_right(params_of({1, 3, 16, 1, 9, 300, 3, 1, 1}));
  expect_right(params_of({1, 4, 40, 1, 33, 31, 5, 3, 2}));
  expect_right(params_of({1, 6, 96, 2, 21, 17, 3, 1, 1}));
  expect_right(params_of({1, 3, 32, 1, 200, 500, 3, 1, 1}));  // several bands
  expect_right(params_of({1, 1, 16, 1, 30, 33, 5, 1, 1}));
  expect_right(params_of({2, 2, 8, 1, 20, 27, 4, 2, 1}));
  expect_right(params_of({1, 5, 49, 1, 12, 50, 6, 3, 1}));  // rows that are gathered
  expect_right(params_of({1, 3, 33, 1, 20, 47, 3, 1, 1, ConvolutionDirection::backward}));
  expect_right(params_of({3, 3, 17, 1, 3, 12, 3, 1, 1}));
  for (const Dims& window : {Dims{5, 1}, Dims{1, 5}, Dims{2, 3}}) {
    ConvolutionParams p = params_of({1, 3, 20, 1, 19, 45, 1, 1, 1});
    for (const ConvolutionMode mode :
         {ConvolutionMode::convolution, ConvolutionMode::cross_correlation}) {
      p.mode = mode;
      p.filter.sizes = {20, 3, window[0], window[1]};
      p.output.sizes = output_sizes(p);
      expect_right(p);
    }
  }
}

// Positions far apart: neighbours of a row are gathered together, but not where some are outside.
TEST_F(ProductConvolutionTest, WindowsSideBySide) {
  for (const Shape& shape :
       {Shape{2, 5, 40, 1, 48, 90, 16, 16, 1}, Shape{1, 20, 34, 2, 21, 47, 5, 5, 1},
        Shape{1, 33, 20, 1, 9, 70, 2, 3, 1}, Shape{1, 20, 20, 1, 40, 61, 3, 7, 2},
        Shape{3, 17, 70, 1, 30, 19, 6, 4, 1}}) {
    ConvolutionParams p = params_of(shape);
    for (const ConvolutionMode mode :
         {ConvolutionMode::convolution, ConvolutionMode::cross_correlation}) {
      p.mode = mode;
      expect_right(p);
      p.start_padding = {0, 0};
      p.output.sizes = output_sizes(p);
      expect_right(p);
    }
  }
  expect_right(volumes_of(ConvolutionDirection::forward, {1, 3, 9, 20, 60}, {40, 3, 4, 4, 8},
                          {4, 4, 8}, {1, 2, 5}));
}

TEST_F(ProductConvolutionTest, EveryHalf) {
  for (const std::uint32_t stride : {1u, 2u}) {
    for (const std::uint32_t out : {16u, 35u}) {
      expect_every_half<ProductConvolution>({1, 3, out, 1, 151, 187, 3, stride, 1});
    }
  }
  expect_every_half<ProductConvolution>({1, 35, 40, 1, 43, 46, 1, 1, 1});
  expect_every_half<ProductConvolution>({1, 35, 40, 1, 43, 46, 1, 2, 1});
  expect_every_half<ProductConvolution>({1, 9, 40, 1, 85, 90, 5, 5, 1});
}

// One output where the stride has several: one phase, but as many classes of taps as ever.
TEST_F(ProductConvolutionTest, PhaseOfSeveralClasses) {
  for (const std::uint32_t stride : {2u, 3u}) {
    ConvolutionParams p = params_of({1, 8, 32, 1, 1, 64, 3, 1, 1, ConvolutionDirection::backward});
    p.strides = {stride, 1};
    p.end_padding = {1, 1};
    p.output.sizes = output_sizes(p);
    ASSERT_EQ(p.output.sizes[2], 1u);
    expect_right(p);
  }
}

// What no window reads may be infinite: for every number of threads, or for none.
TEST_F(ProductConvolutionTest, RowsBetweenWindowsAreNotRead) {
  ConvolutionParams p = params_of({1, 3, 32, 1, 41, 64, 1, 1, 1});
  p.filter.sizes = {32, 3, 1, 9};
  p.strides = {3, 1};
  p.start_padding = {0, 4};
  p.end_padding = {0, 4};
  p.output.sizes = output_sizes(p);
  const Floats w = numbers(count_of(p.filter));
  const Floats b = numbers(p.output.sizes[1]);
  Floats x = numbers(count_of(p.input));
  const Floats expected = run(plan_of<ProductConvolution>(p), x, w, b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i / 64 % 41 % 3 != 0) x[i] = std::numeric_limits<float>::infinity();
  }
  for (const unsigned threads : {1u, 2u, 16u}) {
    EXPECT_TRUE(same_bits(run(plan_of<ProductConvolution>(p, threads), x, w, b), expected))
        << threads;
  }
}

TEST_F(ProductConvolutionTest, ThreeDimensions) {
  expect_right(volumes_of(ConvolutionDirection::forward, {1, 3, 6, 20, 22}, {40, 3, 3, 5, 5},
                          {1, 2, 2}, {1, 2, 2}));
  expect_right(volumes_of(ConvolutionDirection::backward, {2, 40, 3, 4, 5}, {40, 24, 2, 2, 2},
                          {2, 2, 2}, {0, 0, 0}));
}

// Stride phases that read the same inputs, some of them a position later, take turns in the output.
TEST_F(ProductConvolutionTest, PhasesThatTakeTurns) {
  constexpr auto kBackward = ConvolutionDirection::backward;
  for (const Shape& shape : {Shape{1, 70, 40, 1, 16, 40, 4, 2, 1, kBackward},
                             Shape{2, 40, 33, 1, 7, 60, 6, 3, 1, kBackward},
                             Shape{1, 64, 64, 2, 9, 50, 8, 8, 1, kBackward},
                             Shape{1, 33, 32, 1, 5, 100, 10, 5, 1, kBackward},
                             Shape{1, 600, 32, 1, 12, 40, 2, 2, 1, kBackward}}) {
    expect_right(params_of(shape));
    expect_right_plan_in_halves<ProductConvolution>(params_of(shape));
  }
  expect_right(params_of({1, 32, 64, 1, 131, 132, 2, 2, 1, kBackward}));  // stored past the cache
  // More phases than one store takes, or phases unlike each other.
  expect_right(params_of({1, 40, 32, 1, 4, 40, 9, 9, 1, kBackward}));
  expect_right(params_of({1, 40, 32, 1, 12, 40, 3, 2, 1, kBackward}));
  expect_right(params_of({1, 40, 32, 1, 8, 8, 4, 2, 1, kBackward}));
  ConvolutionParams p = params_of({1, 40, 36, 1, 10, 45, 4, 2, 1, kBackward});
  for (const OperatorType type :
       {OperatorType::activation_relu, OperatorType::activation_leaky_relu}) {
    p.fused_activation = Activation{.type = type, .alpha = 0.25f};
    expect_right(p);
  }
}

// Phases of rows and depths alone: some are a row later than others, so that whole blocks of
// positions are none of their outputs.
TEST_F(ProductConvolutionTest, PhasesOfRowsAndDepths) {
  ConvolutionParams p = params_of({1, 64, 64, 1, 31, 64, 2, 2, 1, ConvolutionDirection::backward});
  p.strides = {2, 1};
  for (const std::uint32_t width : {32u, 64u, 75u}) {
    for (const std::uint32_t window : {2u, 3u}) {
      for (const std::uint32_t padding : {0u, 1u}) {
        p.input.sizes[3] = width;
        p.filter.sizes[3] = window;
        p.start_padding = p.end_padding = {padding, 0};
        p.output.sizes = output_sizes(p);
        expect_right(p);
      }
    }
  }
  expect_right(volumes_of(ConvolutionDirection::backward, {1, 64, 5, 6, 32}, {64, 40, 4, 4, 1},
                          {2, 2, 1}, {1, 1, 0}));
}

// Images are computed as one, without a trace of it.
TEST_F(ProductConvolutionTest, ImagesBesideEachOther) {
  constexpr std::uint32_t kBatch = 5;
  const auto unpadded = [](const Shape& shape) {
    ConvolutionParams p = params_of(shape);
    p.start_padding = {0, 0};
    p.output.sizes = output_sizes(p);
    return p;
  };
  const auto backward = ConvolutionDirection::backward;
  const ConvolutionParams all[] = {unpadded({kBatch, 70, 50, 1, 7, 7, 1, 1, 1}),
                                   unpadded({kBatch, 64, 32, 2, 3, 3, 1, 1, 1}),
                                   unpadded({kBatch, 2048, 40, 1, 7, 7, 1, 1, 1}),
                                   unpadded({kBatch, 40, 33, 1, 1, 1, 1, 1, 1}),
                                   unpadded({kBatch, 3, 40, 1, 9, 35, 3, 1, 1}),
                                   unpadded({kBatch, 33, 40, 1, 9, 8, 1, 2, 1}),
                                   unpadded({kBatch, 300, 64, 1, 8, 12, 4, 4, 1}),
                                   unpadded({kBatch, 40, 40, 1, 5, 6, 2, 2, 1, backward}),
                                   params_of({kBatch, 40, 40, 1, 5, 6, 3, 2, 1, backward})};
  for (const ConvolutionParams& params : all) {
    SCOPED_TRACE(::testing::PrintToString(params.input.sizes));
    expect_right(params);
    const Floats w = numbers(count_of(params.filter));
    const Floats b = numbers(params.output.sizes[1]);
    Floats x = numbers(count_of(params.input));
    const Floats expected = run(plan_of<ProductConvolution>(params), x, w, b);
    const std::size_t image = x.size() / kBatch, result_image = expected.size() / kBatch;
    ConvolutionParams alone = params;
    alone.input.sizes[0] = alone.output.sizes[0] = 1;
    const Floats third(x.begin() + 2 * image, x.begin() + 3 * image);
    const Floats y = run(plan_of<ProductConvolution>(alone), third, w, b);
    EXPECT_EQ(std::memcmp(y.data(), &expected[2 * result_image], result_image * 4), 0);

    x[2 * image] = std::numeric_limits<float>::infinity();
    const Floats odd = run(plan_of<ProductConvolution>(params), x, w, b);
    const Floats chain = run(general(params), x, w, b);
    for (std::size_t i = 0; i < kBatch; ++i) {
      EXPECT_EQ(std::memcmp(&odd[i * result_image], &(i == 2 ? chain : expected)[i * result_image],
                            result_image * 4),
                0)
          << i;
    }
  }
}

// Rows are read where they lie, or, with a column of padding at the end, gathered: the same bits.
TEST_F(ProductConvolutionTest, RowsInPlaceOrGathered) {
  struct Row {
    Dims sizes, window, strides;
  };
  const Row rows[] = {{{1, 33, 1, 101}, {1, 3}, {1, 2}},  {{2, 70, 1, 67}, {1, 1}, {1, 2}},
                      {{1, 40, 19, 65}, {1, 1}, {2, 2}},  {{1, 40, 9, 34}, {2, 2}, {1, 1}},
                      {{3, 36, 7, 33}, {3, 2}, {2, 2}},   {{1, 65, 40, 20}, {2, 1}, {3, 1}},
                      {{1, 700, 3, 300}, {1, 2}, {1, 2}}, {{1, 33, 20, 20}, {1, 1}, {2, 2}}};
  for (const Row& row : rows) {
    for (const DataType type : {DataType::float32, DataType::float16}) {
      SCOPED_TRACE(::testing::PrintToString(row.sizes) + std::string(name(type)));
      ConvolutionParams p;
      p.mode = ConvolutionMode::cross_correlation;
      p.input = {.data_type = type, .sizes = row.sizes};
      p.filter = {.data_type = type, .sizes = {37, row.sizes[1], row.window[0], row.window[1]}};
      p.output.data_type = type;
      p.strides = row.strides;
      p.output.sizes = output_sizes(p);
      ConvolutionParams padded = p;
      padded.end_padding = {0, row.strides[1]};
      padded.output.sizes = output_sizes(padded);
      const auto bytes = [&](const TensorDesc& desc) {
        std::vector<std::byte> result(count_of(desc) * byte_size(type));
        const Floats values = numbers(count_of(desc));
        for (std::size_t i = 0; i < values.size(); ++i) {
          testing::write_real(type, &result[i * byte_size(type)], values[i]);
        }
        return result;
      };
      const auto x = bytes(p.input), w = bytes(p.filter);
      const auto run = [&](const ConvolutionParams& params) {
        std::vector<std::byte> y(count_of(params.output) * byte_size(type));
        const ConstBuffer inputs[] = {{x.data(), x.size()}, {w.data(), w.size()}, {}};
        const Buffer outputs[] = {{y.data(), y.size()}};
        plan_of<ProductConvolution>(params).run({inputs, outputs});
        return y;
      };
      const auto in_place = run(p), gathered = run(padded);
      const std::size_t length = std::size_t{p.output.sizes[3]} * byte_size(type);
      const std::size_t longer = std::size_t{padded.output.sizes[3]} * byte_size(type);
      ASSERT_EQ(longer, length + byte_size(type));
      for (std::size_t i = 0; i < in_place.size() / length; ++i) {
        ASSERT_EQ(std::memcmp(&in_place[i * length], &gathered[i * longer], length), 0) << i;
      }
    }
  }
}

TEST_F(ProductConvolutionTest, ActivationsInRegistersAndNot) {
  for (const OperatorType type :
       {OperatorType::activation_relu, OperatorType::activation_leaky_relu}) {
    for (const std::uint32_t window : {1u, 3u}) {
      ConvolutionParams p = params_of({1, 70, 50, 1, 9, 13, window, 1, 1});
      p.fused_activation = Activation{.type = type, .alpha = 0.25f};
      expect_right(p);
    }
  }
}

TEST_F(ProductConvolutionTest, LongSumsAreCutWithoutATrace) {
  expect_right(params_of({1, 1100, 70, 1, 7, 9, 1, 1, 1}));
  expect_right(params_of({2, 130, 70, 1, 20, 21, 3, 1, 1}));
}

// So many of them that they are one chain forward.
TEST_F(ProductConvolutionTest, PhasesOfOneTapHaveShortChains) {
  constexpr std::uint32_t kChannels = 512;
  const auto error = [&](const Shape& shape) {
    const ConvolutionParams params = params_of(shape);
    const Floats x = numbers(count_of(params.input));
    const Floats w = numbers(count_of(params.filter));
    const Floats b(params.output.sizes[1], 0.0f);
    const Floats y = run(plan_of<ProductConvolution>(params), x, w, b);
    return squared_error(y, exact_sums(params, x, w, b)) / static_cast<double>(y.size());
  };
  const double chain = error({1, kChannels, 64, 1, 24, 24, 1, 1, 1});
  const auto backward = ConvolutionDirection::backward;
  EXPECT_LT(error({1, kChannels, 64, 1, 24, 24, 2, 2, 1, backward}), 0.5 * chain);
  expect_right(params_of({1, 320, 40, 1, 9, 11, 2, 2, 1, backward}));
}

// 900 million of them: no list of these is made.
TEST_F(ProductConvolutionTest, ManyPhasesAreNotItsWay) {
  ConvolutionParams p =
      params_of({2, 32, 32, 1, 2, 2, 3, 30000, 1, ConvolutionDirection::backward});
  EXPECT_TRUE(std::isinf(ProductConvolution::seconds(p, {})));
}

// Of a window cropped to few outputs each class of taps would be packed as whole blocks.
TEST_F(ProductConvolutionTest, ManyClassesAreNotItsWay) {
  constexpr std::uint32_t kWindow = 1 << 24, kOutputs = 32;
  ConvolutionParams p = params_of({1, 1, 1, 1, 1, 1, 1, 1, 1, ConvolutionDirection::backward});
  p.filter.sizes = {1, 1, 1, kWindow};
  p.strides = {1, kWindow};
  p.start_padding = {0, kWindow - kOutputs};
  p.end_padding = {0, 0};
  p.output.sizes = output_sizes(p);
  ASSERT_EQ(p.output.sizes[3], kOutputs);
  EXPECT_TRUE(std::isinf(ProductConvolution::seconds(p, {})));
}

// Each packs its own, unless there are so many output channels that packing counts for little.
TEST_F(ProductConvolutionTest, ThreadsShareOutPositions) {
  const auto explained = [](std::uint32_t channels, std::uint32_t outputs, unsigned threads) {
    const ConvolutionParams params = pointwise(1, 1, channels, outputs, {14, 14});
    return ProductConvolution(params, {.threads = threads}).explanation;
  };
  EXPECT_THAT(explained(256, 64, 1), HasSubstr("tiles of 224 positions x 64 channels"));
  EXPECT_THAT(explained(256, 64, 2), HasSubstr("tiles of 128 positions x 64 channels"));
  EXPECT_THAT(explained(256, 64, 4), HasSubstr("tiles of 128 positions x 32 channels"));
  EXPECT_THAT(explained(256, 32, 3), HasSubstr("tiles of 128 positions x 32 channels"));
  EXPECT_THAT(explained(1024, 64, 2), HasSubstr("tiles of 128 positions x 64 channels"));
  EXPECT_THAT(explained(1024, 512, 2), HasSubstr("tiles of 224 positions x 256 channels"));
  expect_right(pointwise(1, 1, 256, 64, {14, 14}));
  expect_right(pointwise(1, 1, 1024, 64, {14, 14}));  // in several chunks
}

TEST_F(ProductConvolutionTest, MemoryOfAThreadIsBounded) {
  for (const std::uint32_t channels : {3u, 64u, 2048u}) {
    for (const std::uint32_t window : {1u, 3u, 7u}) {
      for (const std::uint32_t stride : {1u, 2u, 7u}) {
        for (const std::uint32_t size : {7u, 300u, 5000u}) {
          const ConvolutionParams params =
              params_of({1, channels, 512, 1, 20, size + 7, window, stride, 1});
          const Plan one(std::make_shared<ProductConvolution>(
              params, PlanOptions{.threads = 1, .prepare_filter = true}));
          EXPECT_LE(one.workspace_size_in_bytes(), 4u << 20)
              << one.explain() << ", window " << window << ", stride " << stride << ", " << size;
          const Plan back(std::make_shared<ProductConvolution>(
              params_of({1, channels, 512, 1, 20, size + 7, window, stride, 1,
                         ConvolutionDirection::backward}),
              PlanOptions{.threads = 1, .prepare_filter = true}));
          EXPECT_LE(back.workspace_size_in_bytes(), 4u << 20)
              << back.explain() << ", window " << window << ", stride " << stride << ", " << size;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::ops
