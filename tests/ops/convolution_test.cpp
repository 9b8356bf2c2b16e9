#include "weft/convolution.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/aligned_memory.h"
#include "support/number.h"
#include "weft/info.h"

namespace weft {
namespace {

using Floats = std::vector<float>;

TensorDesc desc(Dims sizes, Dims strides = {}) {
  return {.data_type = DataType::float32, .sizes = std::move(sizes), .strides = std::move(strides)};
}

Floats run(const ConvolutionParams& params, const Floats& input, const Floats& filter,
           const Floats& bias = {}, const PlanOptions& options = {}) {
  Floats output(*minimum_size_in_bytes(params.output) / sizeof(float), -77.0f);
  const auto bytes = [](const Floats& x) {
    return ConstBuffer(x.empty() ? nullptr : x.data(), x.size() * sizeof(float));
  };
  const ConstBuffer inputs[] = {bytes(input), bytes(filter), bytes(bias)};
  const Buffer outputs[] = {{output.data(), output.size() * sizeof(float)}};
  plan(params, options).run({.inputs = inputs, .outputs = outputs});
  return output;
}

Floats random_floats(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  Floats result(count);
  for (float& x : result) x = number(engine);
  return result;
}

ConvolutionParams line(ConvolutionMode mode, ConvolutionDirection direction, std::uint32_t in,
                       std::uint32_t window, std::uint32_t out, std::uint32_t stride = 1) {
  return {.input = desc({1, 1, in}),
          .filter = desc({1, 1, window}),
          .output = desc({1, 1, out}),
          .mode = mode,
          .direction = direction,
          .strides = {stride}};
}

constexpr auto kCross = ConvolutionMode::cross_correlation;
constexpr auto kFlip = ConvolutionMode::convolution;
constexpr auto kForward = ConvolutionDirection::forward;
constexpr auto kBackward = ConvolutionDirection::backward;

TEST(Convolution, ForwardInBothModes) {
  const Floats input{1, 2, 3, 4};
  const Floats filter{1, 10, 100};
  EXPECT_EQ(run(line(kCross, kForward, 4, 3, 2), input, filter), (Floats{321, 432}));
  EXPECT_EQ(run(line(kFlip, kForward, 4, 3, 2), input, filter), (Floats{123, 234}));
}

TEST(Convolution, BackwardInBothModes) {
  const Floats input{1, 2};
  const Floats filter{1, 10, 100};
  EXPECT_EQ(run(line(kCross, kBackward, 2, 3, 5, 2), input, filter), (Floats{1, 10, 102, 20, 200}));
  EXPECT_EQ(run(line(kFlip, kBackward, 2, 3, 5, 2), input, filter), (Floats{100, 10, 201, 20, 2}));
}

TEST(Convolution, BackwardOutputLargerThanNominalIsComputed) {
  EXPECT_EQ(run(line(kCross, kBackward, 2, 3, 6, 2), {1, 2}, {1, 10, 100}),
            (Floats{1, 10, 102, 20, 200, 0}));
  // Cropped by end padding, the further elements have contributors of their own.
  ConvolutionParams params = line(kCross, kBackward, 2, 3, 5, 2);
  params.end_padding = {1};
  EXPECT_EQ(run(params, {1, 2}, {1, 1, 1}), (Floats{1, 1, 3, 2, 2}));
}

TEST(Convolution, OutputPaddingIsZeroBeforeBiasAndActivation) {
  ConvolutionParams params = line(kCross, kBackward, 2, 3, 5, 2);
  params.end_padding = {1};
  params.output_padding = {1};
  EXPECT_EQ(run(params, {1, 2}, {1, 1, 1}), (Floats{1, 1, 3, 2, 0}));
  params.bias = desc({1, 1, 1});
  params.fused_activation = {OperatorType::activation_linear, 2, 1};
  EXPECT_EQ(run(params, {1, 2}, {1, 1, 1}, {10}), (Floats{23, 23, 27, 25, 21}));

  ConvolutionParams forward = line(kCross, kForward, 4, 3, 4);
  forward.output_padding = {2};
  EXPECT_EQ(run(forward, {1, 2, 3, 4}, {1, 10, 100}), (Floats{321, 432, 0, 0}));
}

TEST(Convolution, ImageWithConstantFilter) {
  Floats input(9);
  std::iota(input.begin(), input.end(), 1.0f);
  const ConvolutionParams params{
      .input = desc({1, 1, 3, 3}), .filter = desc({1, 1, 2, 2}), .output = desc({1, 1, 2, 2})};
  EXPECT_EQ(run(params, input, Floats(4, 0.5f)), (Floats{6, 8, 12, 14}));
}

TEST(Convolution, GroupsTakeTheirOwnChannels) {
  const ConvolutionParams params{.input = desc({1, 4, 1}),
                                 .filter = desc({2, 2, 1}),
                                 .output = desc({1, 2, 1}),
                                 .group_count = 2};
  EXPECT_EQ(run(params, {1, 2, 3, 4}, {1, 10, 1, 10}), (Floats{21, 43}));
}

TEST(Convolution, PaddingIsSkippedSoInfiniteWeightsDoNoHarm) {
  const float inf = std::numeric_limits<float>::infinity();
  // Five output channels take the gemm path, one the direct path.
  for (const std::uint32_t channels : {1u, 5u}) {
    const ConvolutionParams params{.input = desc({1, 1, 3}),
                                   .filter = desc({channels, 1, 3}),
                                   .output = desc({1, channels, 3}),
                                   .start_padding = {1},
                                   .end_padding = {1}};
    Floats filter(channels * 3, 1.0f);
    filter[0] = inf;
    const Floats output = run(params, {1, 2, 3}, filter);
    EXPECT_EQ(output[0], 3);  // 1 + 2; the infinite tap lies in the padding
    EXPECT_EQ(output[1], inf);
    EXPECT_EQ(output[2], inf);
    if (channels > 1) {
      EXPECT_EQ(output[3], 3);
    }
  }
}

TEST(Convolution, GapsOfAStridedOutputStayUntouched) {
  ConvolutionParams params = line(kCross, kForward, 4, 3, 2);
  params.output = desc({1, 1, 2}, {6, 6, 3});
  EXPECT_EQ(run(params, {1, 2, 3, 4}, {1, 10, 100}), (Floats{321, -77, -77, 432}));
}

// A layer large enough for several tiles, depth blocks and panels.
ConvolutionParams layer(ConvolutionDirection direction) {
  ConvolutionParams params{.input = desc({2, 40, 17, 19}),
                           .filter = desc({direction == kForward ? 50u : 40u, 40, 3, 3}),
                           .bias = desc({1, direction == kForward ? 50u : 40u, 1, 1}),
                           .direction = direction,
                           .strides = {2, 1},
                           .dilations = {1, 2},
                           .start_padding = {1, 2},
                           .end_padding = {0, 1},
                           .fused_activation = Activation{OperatorType::activation_relu}};
  params.output = desc(output_sizes(params));
  return params;
}

TEST(Convolution, SameBitsForEveryThreadCountAndForPreparedWeights) {
  for (const ConvolutionDirection direction : {kForward, kBackward}) {
    const ConvolutionParams params = layer(direction);
    const Floats input = random_floats(2 * 40 * 17 * 19, 1);
    const Floats filter = random_floats(50 * 40 * 9, 2);
    const Floats bias = random_floats(50, 3);
    const Floats expected = run(params, input, filter, bias, {.threads = 1});
    for (const unsigned threads : {2u, 3u, 8u}) {
      EXPECT_EQ(run(params, input, filter, bias, {.threads = threads}), expected);
    }
    const Plan prepared = plan(params, {.prepare_filter = true});
    const base::AlignedMemory weights(prepared.prepared_size_in_bytes());
    prepared.prepare({filter.data(), filter.size() * sizeof(float)}, weights.buffer());
    Floats output(expected.size());
    const ConstBuffer inputs[] = {{input.data(), input.size() * sizeof(float)},
                                  {},
                                  {bias.data(), bias.size() * sizeof(float)}};
    const Buffer outputs[] = {{output.data(), output.size() * sizeof(float)}};
    prepared.run({.inputs = inputs, .outputs = outputs, .prepared = weights.buffer()});
    EXPECT_EQ(output, expected);
  }
}

TEST(Convolution, MemoryOfAThreadIsBounded) {
  const auto workspace = [](std::uint32_t size) {
    ConvolutionParams params{.input = desc({1, 64, size, size}),
                             .filter = desc({64, 64, 3, 3}),
                             .start_padding = {1, 1},
                             .end_padding = {1, 1}};
    params.output = desc(output_sizes(params));
    // The matrix unit has a bound of its own: SplitConvolutionTest.MemoryOfAThreadIsBounded.
    return plan(params, {.threads = 2, .max_isa = Isa::avx512}).workspace_size_in_bytes();
  };
  // Packed filter, and for each thread at most 2 MiB of input, sums and terms; im2col would be 147
  // MB and 2.4 GB.
  EXPECT_LE(workspace(256), 5u << 20);
  EXPECT_LE(workspace(1024), 5u << 20);
}

TEST(Convolution, MessagesNameTheFieldAndTheRightValue) {
  ConvolutionParams params{.input = desc({1, 3, 5, 5}),
                           .filter = desc({4, 2, 3, 3}),
                           .output = desc({2, 4, 4, 3}),
                           .strides = {1, 1},
                           .start_padding = {1, 0}};
  const std::vector<Violation> violations = validate(params);
  std::vector<std::string> texts;
  for (const Violation& violation : violations) texts.push_back(violation.text());
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "CONVOLUTION.FilterTensor.Sizes[1] is 2, must be 3: "
                       "InputTensor.Sizes[1] 3 / GroupCount 1",
                       "CONVOLUTION.OutputTensor.Sizes[0] is 2, must be 1: InputTensor.Sizes[0], "
                       "the batch"}));
}

TEST(Convolution, WindowLargerThanThePaddedInputIsRefused) {
  ConvolutionParams params = line(kCross, kForward, 4, 3, 1);
  params.dilations = {2};
  const auto violations = validate(params);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].text(),
            "CONVOLUTION.FilterTensor.Sizes[2] is 3, must be at most 2: the window has to fit the "
            "padded input (InputTensor.Sizes[2] 4, window 3, stride 1, dilation 2, padding 0+0, "
            "output padding 0)");
}

TEST(Convolution, FusedClipAppliesItsScaleBiasFirst) {
  ConvolutionParams params = line(kCross, kForward, 4, 3, 2);
  params.fused_activation = {OperatorType::element_wise_clip, 0, 900,
                             ScaleBias{.scale = 2, .bias = 50}};
  EXPECT_EQ(run(params, {1, 2, 3, 4}, {1, 10, 100}), (Floats{692, 900}));
}

TEST(Convolution, FusedClipsScaleBiasIsRoundedAsTheOperatorRoundsIt) {
  // One rounding: 2 * 3e38 passes float32, 2 * 3e38 - 3e38 does not.
  ConvolutionParams params = line(kCross, kForward, 1, 1, 1);
  params.fused_activation = {OperatorType::element_wise_clip, 0, 3.2e38f,
                             ScaleBias{.scale = 3e38f, .bias = -3e38f}};
  EXPECT_EQ(run(params, {2}, {1}), (Floats{3e38f}));
}

TEST(Convolution, WorkGrowsWithTheOutputOnly) {
  // So many stride phases of one element each, and as much output padding.
  constexpr std::uint32_t kSize = 300'000;
  ConvolutionParams params = line(kCross, kBackward, 1, 1, 2 * kSize, kSize);
  params.output_padding = {kSize};
  params.bias = desc({1, 1, 1});
  Floats expected(2 * kSize, 5);
  expected[0] = 11;
  EXPECT_EQ(run(params, {2}, {3}, {5}), expected);
}

TEST(Convolution, BackwardCroppedToNothingLeavesTheBias) {
  // Nominal (2 - 1) * 1 + 3 - 3 - 3 < 1: an output has at least one element all the same.
  ConvolutionParams params = line(kCross, kBackward, 2, 3, 4);
  params.start_padding = {3};
  params.end_padding = {3};
  params.bias = desc({1, 1, 1});
  ASSERT_EQ(output_sizes(params), (Dims{1, 1, 1}));
  ConvolutionParams padded = params;
  padded.output_padding = {2};
  EXPECT_EQ(output_sizes(padded), (Dims{1, 1, 3}));
  // Position 0 is the last element of the uncropped result; nothing contributes beyond it.
  EXPECT_EQ(run(params, {1, 2}, {1, 10, 100}, {5}), (Floats{205, 5, 5, 5}));
}

TEST(Convolution, HugeStridesAndDilationsTerminate) {
  ConvolutionParams params = line(kCross, kBackward, 2, 2, 7, 4294967295u);
  params.dilations = {4294967295u};
  // Nominal (2 - 1) * s + (2 - 1) * d + 1 - start; the start padding crops almost all of it.
  params.start_padding = {4294967295u};
  params.end_padding = {4294967290u};
  ASSERT_EQ(output_sizes(params), (Dims{1, 1, 6}));
  // y = j * s + k * d - start: y = 0 gets in(0) * filter(1) + in(1) * filter(0).
  EXPECT_EQ(run(params, {2, 3}, {10, 100}), (Floats{230, 0, 0, 0, 0, 0, 0}));
}

// Planning that looks at each of them takes 10 s.
TEST(Convolution, ManyPhasesArePlannedAtOnce) {
  constexpr std::uint32_t kMany = 400'000'000;
  ConvolutionParams p{.input = {.sizes = {1, 8, 2, 2}},
                      .filter = {.sizes = {8, 4, 2, 1}},
                      .direction = ConvolutionDirection::backward,
                      .strides = {1, kMany / 2}};
  p.output.sizes = output_sizes(p);
  EXPECT_EQ(p.output.sizes.back(), kMany / 2 + 1);
  plan(p);
  p.strides = {1, 1};
  p.output_padding = {0, kMany / 2};
  p.output.sizes = output_sizes(p);
  plan(p);
}

TEST(Convolution, WideRowsArePlannedAtOnce) {
  ConvolutionParams p{.input = {.sizes = {1, 200, 1}},
                      .filter = {.sizes = {4, 200, 3}},
                      .start_padding = {500'000'000},
                      .end_padding = {500'000'000}};
  p.output.sizes = output_sizes(p);
  EXPECT_EQ(p.output.sizes.back(), 999'999'999);
  const auto start = std::chrono::steady_clock::now();
  plan(p);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));
}

TEST(Convolution, HalfPrecisionRoundsOnce) {
  // 2048 + 1 is not a float16, 2048 + 1 + 1 is: rounding each sum would lose both ones.
  const std::uint16_t big = testing::double_to_half(2048), one = testing::double_to_half(1);
  const std::vector<std::uint16_t> input{big, one, one};
  const std::vector<std::uint16_t> filter{one, one, one};
  std::vector<std::uint16_t> output(2);
  ConvolutionParams params = line(kCross, kForward, 3, 3, 1);
  params.input.data_type = params.filter.data_type = params.output.data_type = DataType::float16;
  convolution(params, {input.data(), 6}, {filter.data(), 6}, {}, {output.data(), 4});
  EXPECT_EQ(testing::half_to_double(output[0]), 2050);
}

// A sum of 2049, which is no float16: rounded before the bias or the activation adds 1, it would be
// 2048 and stay that.
TEST(Convolution, HalfPrecisionRoundsAfterBiasAndActivation) {
  const std::uint16_t one = testing::double_to_half(1);
  const std::vector<std::uint16_t> input{testing::double_to_half(2048), one};
  const std::vector<std::uint16_t> ones(10, one);
  std::vector<std::uint16_t> output(6);
  const auto first_result = [&](const ConvolutionParams& params) {
    convolution(params, {input.data(), 4}, {ones.data(), 20}, {ones.data(), 10},
                {output.data(), 12});
    return testing::half_to_double(output[0]);
  };
  for (const ConvolutionDirection direction : {kForward, kBackward}) {
    for (const std::uint32_t channels : {1u, 5u}) {  // a path of its own each
      const bool forward = direction == kForward;
      ConvolutionParams params{
          .input = desc({1, 2, 1}),
          .filter = desc({forward ? channels : 2, forward ? 2 : channels, 1}),
          .output = desc({1, channels, 1}),
          .direction = direction,
          .fused_activation = Activation{OperatorType::activation_linear, 1, 1}};
      for (TensorDesc* tensor : {&params.input, &params.filter, &params.output}) {
        tensor->data_type = DataType::float16;
      }
      EXPECT_EQ(first_result(params), 2050);
      params.fused_activation.reset();
      params.bias = params.output;
      EXPECT_EQ(first_result(params), 2050);
    }
  }
}

// NaN of other bits in the input, the filter or the bias: one NaN comes out, at every instruction
// set, for any number of threads.
TEST(Convolution, NanHasTheSameBitsWhereverItComesFrom) {
  struct Case {
    Dims input, filter, stride, padding;
    std::uint32_t groups = 1;
    ConvolutionDirection direction = ConvolutionDirection::forward;
  };
  constexpr auto kBackward = ConvolutionDirection::backward;
  const Case cases[] = {{{2, 52, 1, 357}, {43, 52, 1, 3}, {1, 1}, {0, 2}},
                        {{1, 8, 20, 40}, {8, 1, 3, 3}, {1, 1}, {1, 1}, 8},
                        {{1, 70, 9, 45}, {40, 70, 3, 3}, {1, 1}, {1, 1}},
                        {{1, 3, 40, 45}, {33, 3, 5, 5}, {2, 2}, {2, 2}},
                        {{1, 64, 10, 40}, {40, 64, 1, 1}, {1, 1}, {0, 0}},
                        {{1, 40, 5, 30}, {40, 36, 4, 4}, {2, 2}, {1, 1}, 1, kBackward},
                        {{1, 40, 5, 30}, {40, 36, 3, 3}, {1, 3}, {1, 1}, 1, kBackward}};
  for (const Case& c : cases) {
    for (const DataType type : {DataType::float32, DataType::float16}) {
      const bool half = type == DataType::float16;
      ConvolutionParams p;
      p.direction = c.direction;
      p.input = {.data_type = type, .sizes = c.input};
      p.filter = {.data_type = type, .sizes = c.filter};
      p.strides = c.stride;
      p.start_padding = p.end_padding = c.padding;
      p.group_count = c.groups;
      p.output.data_type = type;
      p.output.sizes = output_sizes(p);
      p.bias = TensorDesc{.data_type = type, .sizes = {1, p.output.sizes[1], 1, 1}};
      const TensorDesc* const descs[] = {&p.input, &p.filter, &*p.bias};
      for (std::size_t odd = 0; odd < 3; ++odd) {
        std::vector<std::byte> bytes[3];
        ConstBuffer inputs[3];
        for (std::size_t t = 0; t < 3; ++t) {
          const Floats values = random_floats(*element_count(descs[t]->sizes), 7);
          bytes[t].resize(values.size() * byte_size(type));
          for (std::size_t i = 0; i < values.size(); ++i) {
            std::byte* const at = &bytes[t][i * byte_size(type)];
            testing::write_real(type, at, values[i]);
            if (t != odd || i % 37 != 5) continue;
            const std::uint64_t sign = i % 2;
            testing::write_bits(type, at, half ? 0x7e01 | sign << 15 : 0x7fc12345 | sign << 31);
          }
          inputs[t] = {bytes[t].data(), bytes[t].size()};
        }
        std::vector<std::byte> first;
        for (const Isa isa : {Isa::base, Isa::avx2, Isa::avx512, Isa::amx}) {
          if (isa > best_isa()) continue;
          for (const unsigned threads : {1u, 2u, 3u, 4u}) {
            std::vector<std::byte> y(*element_count(p.output.sizes) * byte_size(type));
            const Buffer outputs[] = {{y.data(), y.size()}};
            plan(p, {.threads = threads, .max_isa = isa}).run({inputs, outputs});
            if (threads == 1) first = y;
            ASSERT_EQ(y, first) << name(isa) << ", " << threads << " threads, tensor " << odd;
            std::size_t found = 0;
            for (std::size_t at = 0; at < y.size(); at += byte_size(type)) {
              const std::uint64_t bits = testing::read_bits(type, &y[at]);
              if ((bits & (half ? 0x7fff : 0x7fffffff)) <= (half ? 0x7c00 : 0x7f800000)) continue;
              ++found;
              ASSERT_EQ(bits, half ? 0xfe00u : 0xffc00000u) << name(isa) << ", tensor " << odd;
            }
            ASSERT_GT(found, 0u);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft
