// The rules that no model can break, because its reader would refuse it first: values outside of
// enumerations, fields that an operator does not have, arrays of a length of their own.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "weft/weft.h"

namespace weft {
namespace {

constexpr float kNan = NAN;

TensorDesc floats(Dims sizes) { return {.sizes = std::move(sizes)}; }

UnfoldParams unfold() {
  return {.input = floats({1, 2, 5, 5}),
          .output = floats({1, 18, 9}),
          .window_sizes = {3, 3},
          .strides = {1, 1},
          .dilations = {1, 1},
          .start_padding = {0, 0},
          .end_padding = {0, 0}};
}

FoldParams fold() {
  return {.input = floats({1, 18, 9}), .output = floats({1, 2, 5, 5}), .window_sizes = {3, 3}};
}

ConvolutionParams convolution() {
  return {.input = floats({1, 2, 5, 5}),
          .filter = floats({4, 2, 3, 3}),
          .output = floats({1, 4, 3, 3})};
}

ResampleParams resample(OperatorType type) {
  return {.type = type,
          .input = floats({1, 1, 2, 2}),
          .output = floats({1, 1, 4, 4}),
          .scales = {1, 1, 2, 2}};
}

ElementWiseParams element_wise(OperatorType type) {
  return {.input = floats({2, 3}),
          .output = floats({2, 3}),
          .function = {.type = type, .alpha = 1, .beta = 1}};
}

// A good desc with one change, and every violation of it.
struct BadParams {
  OperatorParams params;
  std::vector<std::string> violations;
  ErrorCode code = ErrorCode::invalid_argument;
};

template <class Params>
BadParams with(Params params, const std::function<void(Params&)>& change,
               std::vector<std::string> violations, ErrorCode code = ErrorCode::invalid_argument) {
  EXPECT_TRUE(validate(params).empty()) << "the desc is bad before its change";
  change(params);
  return {params, std::move(violations), code};
}

std::vector<BadParams> bad_windows() {
  const std::string length =
      " is 1 entry, must be 2 entries: DimensionCount, one a spatial dimension";
  const auto shorten = [](auto& p) { p.strides = p.dilations = p.start_padding = {1}; };
  return {with<UnfoldParams>(unfold(), shorten,
                             {"UNFOLD.Strides" + length, "UNFOLD.Dilations" + length,
                              "UNFOLD.StartPadding" + length}),
          with<FoldParams>(
              fold(), shorten,
              {"FOLD.Strides" + length, "FOLD.Dilations" + length, "FOLD.StartPadding" + length}),
          with<UnfoldParams>(unfold(),
                             [](auto& p) {
                               p.end_padding = {0, 0, 0};
                             },
                             {"UNFOLD.EndPadding is 3 entries, must be 2 entries: DimensionCount, "
                              "one a spatial dimension"}),
          with<UnfoldParams>(unfold(), [](auto& p) { p.input.data_type = DataType{99}; },
                             {"UNFOLD.InputTensor.DataType is 99, must be one of FLOAT64, "
                              "FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, "
                              "UINT16, UINT8: the types of this operator"}),
          with<UnfoldParams>(unfold(), [](auto& p) { p.output.data_type = DataType{99}; },
                             {"UNFOLD.OutputTensor.DataType is 99, must be one of FLOAT64, "
                              "FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, "
                              "UINT16, UINT8: the types of this operator",
                              "UNFOLD.OutputTensor.DataType is 99, must be FLOAT32: the data type "
                              "of InputTensor"})};
}

std::vector<BadParams> bad_convolutions() {
  const auto fuse = [](Activation activation) {
    return [activation](ConvolutionParams& p) { p.fused_activation = activation; };
  };
  const std::string fusable =
      ", must be ELEMENT_WISE_CLIP or an ACTIVATION_ of one number: the functions that CONVOLUTION "
      "can fuse";
  return {
      with<ConvolutionParams>(convolution(), [](auto& p) { p.mode = ConvolutionMode{2}; },
                              {"CONVOLUTION.Mode is 2, must be CONVOLUTION (0) or "
                               "CROSS_CORRELATION (1): the values of DML_CONVOLUTION_MODE"}),
      with<ConvolutionParams>(
          convolution(),
          [](auto& p) {
            p.input = floats({1, 1});
            p.bias = floats({1, 4, 1, 1});
            p.strides = {1, 1};
            p.dilations = {0, 1};
          },
          {"CONVOLUTION.InputTensor.DimensionCount is 2, must be 3 to 5: one entry of Sizes each",
           "CONVOLUTION.Dilations[0] is 0, must be >= 1: a dilation of 0 reads one element over "
           "and "
           "over"}),
      with<ConvolutionParams>(convolution(), [](auto& p) { p.direction = ConvolutionDirection{7}; },
                              {"CONVOLUTION.Direction is 7, must be FORWARD (0) or BACKWARD (1): "
                               "the values of DML_CONVOLUTION_DIRECTION"}),
      with<ConvolutionParams>(convolution(), fuse({.type = OperatorType::unfold}),
                              {"CONVOLUTION.FusedActivation.Type is UNFOLD" + fusable}),
      with<ConvolutionParams>(
          convolution(), fuse({.type = OperatorType::element_wise_identity}),
          {"CONVOLUTION.FusedActivation.Type is ELEMENT_WISE_IDENTITY" + fusable}),
      with<ConvolutionParams>(convolution(), fuse({.type = OperatorType{12345}}),
                              {"CONVOLUTION.FusedActivation.Type is 12345" + fusable}),
      // What DirectML has and Weft has not.
      with<ConvolutionParams>(
          convolution(), fuse({.type = OperatorType{48}}),
          {"CONVOLUTION.FusedActivation.Type is ACTIVATION_SOFTMAX (48)" + fusable}),
      with<ConvolutionParams>(
          convolution(),
          fuse({.type = OperatorType::activation_relu, .scale_bias = ScaleBias{2, 1}}),
          {"CONVOLUTION.FusedActivation.ScaleBias is present, must be absent: only "
           "ELEMENT_WISE_IDENTITY and ELEMENT_WISE_CLIP have one"})};
}

std::vector<BadParams> bad_resamples() {
  std::vector<BadParams> rows;
  const std::string family =
      ", must be RESAMPLE, RESAMPLE1, RESAMPLE2 or RESAMPLE3: the operators that resample";
  for (const auto type : {OperatorType::resample, OperatorType::resample1, OperatorType::resample2,
                          OperatorType::resample3}) {
    const std::string op(name(type));
    rows.push_back(with<ResampleParams>(
        resample(type), [](auto& p) { p.interpolation_mode = InterpolationMode{2}; },
        {op + ".InterpolationMode is 2, must be NEAREST_NEIGHBOR (0) or LINEAR (1): the values of "
              "DML_INTERPOLATION_MODE"}));
    const bool rounds = type == OperatorType::resample2 || type == OperatorType::resample3;
    if (rounds) {
      rows.push_back(with<ResampleParams>(
          resample(type), [](auto& p) { p.rounding_direction = AxisDirection{2}; },
          {op + ".RoundingDirection is 2, must be INCREASING (0) or DECREASING (1): the values of "
                "DML_AXIS_DIRECTION"}));
    }
    if (type != OperatorType::resample3) {
      rows.push_back(with<ResampleParams>(
          resample(type), [](auto& p) { p.antialiased = true; },
          {op + ".Antialiased is true, must be false: only RESAMPLE3 has it"}));
    }
  }
  rows.push_back(with<ResampleParams>(
      resample(OperatorType::resample),
      [](auto& p) {
        p.input_pixel_offsets = {0.5f, 0.5f, 0.25f, 0.5f};
        p.output_pixel_offsets = {-0.5f, -0.5f, -0.5f, kNan};
      },
      {"RESAMPLE.InputPixelOffsets[2] is 0.25, must be 0.5: RESAMPLE has no other offsets",
       "RESAMPLE.OutputPixelOffsets[3] is nan, must be -0.5: RESAMPLE has no other offsets"}));
  rows.push_back(with<ResampleParams>(
      resample(OperatorType::resample2), [](auto& p) { p.scales = {}; },
      {"RESAMPLE2.Scales is 0 entries, must be 4 entries: DimensionCount of InputTensor"}));
  rows.push_back(with<ResampleParams>(resample(OperatorType::resample2),
                                      [](auto& p) { p.type = OperatorType::fold; },
                                      {"FOLD.Type is FOLD" + family}));
  rows.push_back(with<ResampleParams>(resample(OperatorType::resample2),
                                      [](auto& p) { p.type = OperatorType{12345}; },
                                      {"INVALID.Type is 12345" + family}));
  rows.push_back(with<ResampleParams>(
      resample(OperatorType::resample2), [](auto& p) { p.type = OperatorType{66}; },
      {"UPSAMPLE_2D.Type is UPSAMPLE_2D (66)" + family}, ErrorCode::unsupported));
  // What depends on the number of dimensions is not asked for where the number is wrong.
  rows.push_back(with<ResampleParams>(
      resample(OperatorType::resample3),
      [](auto& p) {
        p.input = p.output = floats({1, 1, 1, 2, 2});
        p.input_pixel_offsets = {0, 0};
      },
      {"RESAMPLE3.InputTensor.DimensionCount is 5, must be 1 to 4: one entry of Sizes each",
       "RESAMPLE3.OutputTensor.DimensionCount is 5, must be 1 to 4: one entry of Sizes each"}));
  return rows;
}

std::vector<BadParams> bad_functions() {
  const std::string element_wise_types =
      ", must be ELEMENT_WISE_IDENTITY, ELEMENT_WISE_CLIP or an ACTIVATION_ of one number: the "
      "element-wise operators";
  return {with<ElementWiseParams>(element_wise(OperatorType::activation_relu),
                                  [](auto& p) { p.function.type = OperatorType::convolution; },
                                  {"CONVOLUTION.Type is CONVOLUTION" + element_wise_types}),
          with<ElementWiseParams>(element_wise(OperatorType::activation_relu),
                                  [](auto& p) { p.function.type = OperatorType{178}; },
                                  {"INVALID.Type is 178" + element_wise_types}),
          with<ElementWiseParams>(
              element_wise(OperatorType::activation_relu),
              [](auto& p) { p.function.type = OperatorType{48}; },
              {"ACTIVATION_SOFTMAX.Type is ACTIVATION_SOFTMAX (48)" + element_wise_types},
              ErrorCode::unsupported),
          with<ElementWiseParams>(
              element_wise(OperatorType::activation_elu),
              [](auto& p) {
                p.function.scale_bias = ScaleBias{2, 1};
              },
              {"ACTIVATION_ELU.ScaleBias is present, must be absent: only ELEMENT_WISE_IDENTITY "
               "and ELEMENT_WISE_CLIP have one"})};
}

TEST(BadParamsTest, EveryRowIsRefused) {
  for (const auto group : {bad_windows, bad_convolutions, bad_resamples, bad_functions}) {
    for (const BadParams& row : group()) {
      std::vector<std::string> found;
      for (const Violation& violation : validate(row.params)) {
        found.push_back(violation.text());
        EXPECT_FALSE(violation.rule.empty()) << violation.text();
      }
      EXPECT_EQ(found, row.violations);
      try {
        plan(row.params);
        ADD_FAILURE() << "planned";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), row.code) << error.what();
      }
    }
  }
}

// What inferring sizes refuses; empty where it does not.
std::string refusal(const std::function<void()>& infer) {
  try {
    infer();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(BadParamsTest, InferredSizesKeepTheLimitOfATensor) {
  const std::string limit = ", must be at most 4294967295 elements: the limit of a tensor";
  ConvolutionParams doubled = convolution();
  doubled.input = floats({1, 1, 65536, 65535});
  doubled.filter = floats({2, 1, 1, 1});
  EXPECT_EQ(refusal([&] { output_sizes(doubled); }),
            "CONVOLUTION.OutputTensor.Sizes is 1x2x65536x65535" + limit);
  UnfoldParams columns = unfold();
  columns.input = floats({1, 1, 65536, 65535});
  columns.window_sizes = {2, 1};
  EXPECT_EQ(refusal([&] { output_sizes(columns); }),
            "UNFOLD.OutputTensor.Sizes is 1x2x4294836225" + limit);
  FoldParams image = fold();
  image.output = floats({1, 1, 65536, 65535});
  image.window_sizes = {2, 1};
  EXPECT_EQ(refusal([&] { input_sizes(image); }),
            "FOLD.InputTensor.Sizes is 1x2x4294836225" + limit);
  ResampleParams large = resample(OperatorType::resample2);
  large.scales = {1, 1, 65536, 65536};
  EXPECT_EQ(refusal([&] { output_sizes(large); }),
            "RESAMPLE2.OutputTensor.Sizes is 1x1x131072x131072" + limit);
}

}  // namespace
}  // namespace weft
