#include "weft/element_wise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/checked_case.h"
#include "random/dice.h"

namespace weft {
namespace {

using enum OperatorType;
using ::testing::ElementsAre;
using testing::expect_right;
using ::testing::IsEmpty;
using testing::messages;

template <class T>
std::vector<T> apply(const Activation& function, std::vector<T> input) {
  ElementWiseParams params;
  params.function = function;
  params.input.data_type = params.output.data_type = data_type_of<T>();
  params.input.sizes = params.output.sizes = {static_cast<std::uint32_t>(input.size())};
  std::vector<T> output(input.size(), T{77});
  element_wise(params, {input.data(), input.size() * sizeof(T)},
               {output.data(), output.size() * sizeof(T)});
  return output;
}

ElementWiseParams small_params() {
  ElementWiseParams params;
  params.function.type = activation_relu;
  params.input.sizes = params.output.sizes = {2, 3};
  return params;
}

TEST(ElementWise, RandomCases) {
  for (std::uint64_t i = 0; i < 1000 && !HasFailure(); ++i) {
    const random_cases::Case c = random_cases::draw(5, i, "ELEMENT_WISE");
    const random_cases::Result result = random_cases::check(c);
    EXPECT_EQ(result.verdict, random_cases::Verdict::right) << result.message << '\n'
                                                            << random_cases::describe(c);
  }
}

TEST(ElementWise, RowsOnBothSidesOfATile) {
  random_cases::Dice dice(3);
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    ElementWiseParams params;
    params.function = {dice.pick({activation_gelu, activation_linear, element_wise_clip}), 0.5f, 2};
    const DataType type = dice.pick({DataType::float32, DataType::float16});
    const auto width = dice.pick({2047u, 2048u, 2049u, 63u, 64u, 65u, 4097u});
    const auto height = dice.pick({1u, 7u, 8u, 9u, 65u});
    params.input = {.data_type = type, .sizes = {2, height, width}};
    params.output = {.data_type = type, .sizes = {2, height, width}};
    const Dims padded = {height * (width + 3), width + 3, 1};
    const Dims transposed = {height * width, 1, height};
    params.input.strides = dice.pick({Dims{}, padded, transposed, Dims{0, width, 1}});
    params.output.strides = dice.pick({Dims{}, padded, transposed});
    expect_right(params, seed, random_cases::Values::special);
  }
}

TEST(ElementWise, IntegersAreTruncatedAndSaturated) {
  const Activation scale{element_wise_identity, 0, 0, ScaleBias{0.5f, 0}};
  EXPECT_THAT(apply<std::int8_t>(scale, {-128, -3, -1, 0, 1, 3, 127}),
              ElementsAre(-64, -1, 0, 0, 0, 1, 63));
  const Activation stretch{element_wise_identity, 0, 0, ScaleBias{3, -10}};
  EXPECT_THAT(apply<std::int8_t>(stretch, {-128, 0, 127}), ElementsAre(-128, -10, 127));
  EXPECT_THAT(apply<std::uint8_t>(stretch, {0, 4, 255}), ElementsAre(0, 2, 255));
  EXPECT_THAT(apply<std::uint32_t>(stretch, {0, 4, UINT32_MAX}), ElementsAre(0, 2, UINT32_MAX));
  EXPECT_THAT(apply<std::int32_t>(stretch, {INT32_MIN, 4, INT32_MAX}),
              ElementsAre(INT32_MIN, 2, INT32_MAX));
  const Activation boundless{element_wise_identity, 0, 0, ScaleBias{INFINITY, 0}};
  EXPECT_THAT(apply<std::int16_t>(boundless, {-1, 0, 1}), ElementsAre(-32768, 0, 32767))
      << "infinity times 0 is 0";
}

TEST(ElementWise, IntegerClip) {
  EXPECT_THAT(apply<std::int8_t>({element_wise_clip, -2.9f, 3.9f}, {-128, -3, -2, 3, 4, 127}),
              ElementsAre(-2, -2, -2, 3, 3, 3));
  EXPECT_THAT(apply<std::uint8_t>({element_wise_clip, -5, 1e9f}, {0, 255}), ElementsAre(0, 255));
  EXPECT_THAT(apply<std::uint16_t>({element_wise_clip, -9, -5}, {0, 9}), ElementsAre(0, 0));
  EXPECT_THAT(apply<std::int64_t>({element_wise_clip, -INFINITY, INFINITY}, {INT64_MIN, INT64_MAX}),
              ElementsAre(INT64_MIN, INT64_MAX));
  EXPECT_THAT(apply<std::int64_t>({element_wise_clip, -1e10f, 1e10f}, {INT64_MIN, 5, INT64_MAX}),
              ElementsAre(-10'000'000'000, 5, 10'000'000'000));
  EXPECT_THAT(apply<std::uint64_t>({element_wise_clip, 1, 0x1p63f}, {0, UINT64_MAX}),
              ElementsAre(1, std::uint64_t{1} << 63));
  EXPECT_THAT(apply<std::int32_t>({element_wise_clip, 5, 2}, {0, 3, 9}), ElementsAre(2, 2, 2));
  EXPECT_THAT(apply<std::int32_t>({element_wise_clip, 0, 6, ScaleBias{0.5f, 1}}, {-9, 3, 100}),
              ElementsAre(0, 2, 6));
}

TEST(ElementWise, IntegerReluAndShrink) {
  EXPECT_THAT(apply<std::int8_t>({activation_relu}, {-128, -1, 0, 127}), ElementsAre(0, 0, 0, 127));
  const Activation shrink{activation_shrink, 1.5f, 3};
  EXPECT_THAT(apply<std::int8_t>(shrink, {-128, -4, -3, 3, 4, 127}),
              ElementsAre(-126, -2, 0, 0, 2, 125));
  EXPECT_THAT(apply<std::uint8_t>(shrink, {0, 3, 4, 255}), ElementsAre(0, 0, 2, 253));
  EXPECT_THAT(apply<std::int8_t>({activation_shrink, 5, 0}, {-128, 127, 2, -2}),
              ElementsAre(-123, 122, -3, 3));
  EXPECT_THAT(apply<std::uint8_t>({activation_shrink, 5, 0}, {2, 9}), ElementsAre(0, 4));
}

TEST(ElementWise, ScaleAndBiasComeFirst) {
  EXPECT_THAT(apply<float>({element_wise_identity, 0, 0, ScaleBias{2, 1}}, {-1, 0, 3}),
              ElementsAre(-1, 1, 7));
  EXPECT_THAT(apply<float>({element_wise_clip, 0, 5, ScaleBias{2, 1}}, {-1, 0, 3}),
              ElementsAre(0, 1, 5));
}

TEST(ElementWise, NanStaysNan) {
  for (const OperatorType type : all_operator_types()) {
    if (!is_activation(type)) continue;
    EXPECT_TRUE(std::isnan(apply<float>({type, 1, 2}, {NAN})[0])) << name(type);
  }
}

TEST(ElementWise, InPlace) {
  ElementWiseParams params = small_params();
  std::vector<float> data = {-1, 2, -3, 4, -5, 6};
  const ConstBuffer from(data.data(), 24);
  const Buffer to{data.data(), 24};
  element_wise(params, from, to);
  EXPECT_THAT(data, ElementsAre(0, 2, 0, 4, 0, 6));
  params.function.type = element_wise_identity;
  element_wise(params, from, to);
  EXPECT_THAT(data, ElementsAre(0, 2, 0, 4, 0, 6));
  params.input.strides = {1, 2};
  EXPECT_THROW(element_wise(params, from, to), Error);
}

TEST(ElementWise, OutputSizesAreTheInputs) {
  ElementWiseParams params = small_params();
  params.output = {};
  EXPECT_THAT(output_sizes(params), ElementsAre(2, 3));
  params.input.sizes = {};
  EXPECT_THROW(output_sizes(params), Error);
}

TEST(ElementWise, PlanTellsWhatItDoes) {
  const Plan p = plan(small_params(), {.threads = 1, .max_isa = Isa::base});
  EXPECT_EQ(p.explain(),
            "ACTIVATION_RELU: relu_base, 1 tiles, rows of 6, 1 thread, workspace 0 bytes");
  ElementWiseParams integers = small_params();
  integers.input.data_type = integers.output.data_type = DataType::int8;
  EXPECT_EQ(plan(integers, {.max_isa = Isa::base}).algorithm(), "int8_base");
  ElementWiseParams half = small_params();
  half.input.data_type = half.output.data_type = DataType::float16;
  EXPECT_EQ(plan(half, {.threads = 1}).workspace_size_in_bytes(), 2304u);
}

struct Refused {
  const char* message;
  void (*change)(ElementWiseParams& params);
};

constexpr Refused kRefused[] = {
    {"CONVOLUTION.Type is CONVOLUTION, must be ELEMENT_WISE_IDENTITY, ELEMENT_WISE_CLIP or an "
     "ACTIVATION_ of one number: the element-wise operators",
     [](ElementWiseParams& p) { p.function.type = convolution; }},
    {"ACTIVATION_RELU.OutputTensor.Sizes[1] is 4, must be 3: the size of InputTensor",
     [](ElementWiseParams& p) { p.output.sizes[1] = 4; }},
    {"ACTIVATION_RELU.OutputTensor.DimensionCount is 3, must be 2: the DimensionCount of "
     "InputTensor",
     [](ElementWiseParams& p) {
       p.output.sizes = {1, 2, 3};
     }},
    {"ACTIVATION_RELU.OutputTensor.DataType is FLOAT16, must be FLOAT32: the data type of "
     "InputTensor",
     [](ElementWiseParams& p) { p.output.data_type = DataType::float16; }},
    {"ELEMENT_WISE_CLIP.ScaleBias is present, must be absent: INT64 tensors take none",
     [](ElementWiseParams& p) {
       p.function = {element_wise_clip, 0, 1, ScaleBias{}};
       p.input.data_type = p.output.data_type = DataType::int64;
     }},
    {"ELEMENT_WISE_IDENTITY.ScaleBias is present, must be absent: FLOAT64 tensors take none",
     [](ElementWiseParams& p) {
       p.function = {element_wise_identity, 0, 0, ScaleBias{}};
       p.input.data_type = p.output.data_type = DataType::float64;
     }},
    {"ACTIVATION_ELU.Alpha is nan, must be a number: a parameter of the function",
     [](ElementWiseParams& p) {
       p.function = {activation_elu, NAN};
     }},
};

TEST(ElementWise, RefusesWithAMessage) {
  EXPECT_THAT(messages(small_params()), IsEmpty());
  for (const Refused& refused : kRefused) {
    ElementWiseParams params = small_params();
    refused.change(params);
    EXPECT_THAT(messages(params), ElementsAre(refused.message));
    EXPECT_THROW(plan(params), Error);
  }
}

TEST(ElementWise, RefusesTypesThatTheOperatorLacks) {
  ElementWiseParams params = small_params();
  params.input.data_type = params.output.data_type = DataType::uint8;
  EXPECT_EQ(messages(params).size(), 2u);  // each tensor's
  params.function.type = activation_shrink;
  EXPECT_THAT(messages(params), IsEmpty());
}

}  // namespace
}  // namespace weft
