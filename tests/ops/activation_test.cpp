#include "ops/activation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace weft::ops {
namespace {

using enum OperatorType;
using ::testing::ElementsAre;
using Messages = std::vector<std::string>;

Messages check(OperatorType op, std::string_view field, const Activation& activation, bool fused) {
  Checker checker(op);
  check_activation(checker, field, activation, fused);
  Messages result;
  for (const Violation& violation : checker.take()) result.push_back(violation.text());
  return result;
}

Messages alone(const Activation& activation) {
  return check(activation.type, "", activation, false);
}

Messages fused(const Activation& activation) {
  return check(convolution, "FusedActivation", activation, true);
}

TEST(CheckActivation, TakesEveryTypeItShould) {
  for (const OperatorType type : all_operator_types()) {
    EXPECT_EQ(fused({type, 1, 1}).empty(), is_fusable(type)) << name(type);
    EXPECT_EQ(alone({type, 1, 1}).empty(), is_activation(type)) << name(type);
  }
}

TEST(CheckActivation, NamesWhatIsWrong) {
  EXPECT_THAT(
      fused({fold}),
      ElementsAre("CONVOLUTION.FusedActivation.Type is FOLD, must be ELEMENT_WISE_CLIP or an "
                  "ACTIVATION_ of one number: the functions that CONVOLUTION can fuse"));
  EXPECT_THAT(fused({activation_elu, NAN}),
              ElementsAre("CONVOLUTION.FusedActivation.Alpha is nan, must be a number: a parameter "
                          "of the function"));
  EXPECT_THAT(
      alone({activation_scaled_elu, 1, NAN}),
      ElementsAre("ACTIVATION_SCALED_ELU.Gamma is nan, must be a number: a parameter of the "
                  "function"));
  EXPECT_THAT(
      alone({activation_celu, -0.0f}),
      ElementsAre("ACTIVATION_CELU.Alpha is -0, must be finite and not 0: f(x) = max(0, x) + "
                  "min(0, Alpha * (exp(x / Alpha) - 1))"));
  EXPECT_THAT(alone({activation_softplus, -1.5f}),
              ElementsAre("ACTIVATION_SOFTPLUS.Steepness is -1.5, must be > 0 and finite: f(x) = "
                          "ln(1 + exp(Steepness * x)) / Steepness"));
  EXPECT_THAT(alone({activation_relu, 0, 0, ScaleBias{}}),
              ElementsAre("ACTIVATION_RELU.ScaleBias is present, must be absent: only "
                          "ELEMENT_WISE_IDENTITY and ELEMENT_WISE_CLIP have one"));
}

TEST(CheckActivation, CollectsEverything) {
  EXPECT_THAT(
      fused({element_wise_clip, NAN, NAN, ScaleBias{NAN, NAN}}),
      ElementsAre("CONVOLUTION.FusedActivation.Min is nan, must be a number: a parameter of "
                  "the function",
                  "CONVOLUTION.FusedActivation.Max is nan, must be a number: a parameter of "
                  "the function",
                  "CONVOLUTION.FusedActivation.ScaleBias.Scale is nan, must be a number: the input "
                  "is multiplied by it",
                  "CONVOLUTION.FusedActivation.ScaleBias.Bias is nan, must be a number: it is "
                  "added to the scaled input"));
}

TEST(CheckActivation, BoundsOfTheParameters) {
  for (const float bad : {0.0f, -1.0f, INFINITY, NAN}) {
    EXPECT_EQ(alone({activation_softplus, bad}).size(), 1u) << bad;
  }
  for (const float good : {1e-45f, 0.5f, 3e38f}) {
    EXPECT_EQ(alone({activation_softplus, good}), Messages()) << good;
    EXPECT_EQ(alone({activation_celu, -good}), Messages()) << good;
  }
  for (const float bad : {0.0f, INFINITY, -INFINITY, NAN}) {
    EXPECT_EQ(alone({activation_celu, bad}).size(), 1u) << bad;
  }
  EXPECT_EQ(alone({element_wise_clip, -INFINITY, INFINITY}), Messages());
  EXPECT_EQ(alone({element_wise_clip, 1, -1}), Messages()) << "gives Max";
  EXPECT_EQ(alone({activation_linear, INFINITY, -INFINITY}), Messages());
}

TEST(RampOf, IsWhatKernelsApply) {
  using kernels::Ramp;
  EXPECT_EQ(ramp_of(std::nullopt), Ramp());
  EXPECT_EQ(ramp_of(Activation{activation_identity}), Ramp());
  EXPECT_EQ(ramp_of(Activation{activation_relu, 3, 4}), Ramp{.least = 0});
  EXPECT_EQ(ramp_of(Activation{element_wise_clip, -1, 6}), (Ramp{.least = -1, .most = 6}));
  EXPECT_EQ(ramp_of(Activation{activation_leaky_relu, 0.1f}), Ramp{.slope = 0.1f});
  EXPECT_EQ(Ramp().bent(), nullptr);
  for (const Ramp& ramp : {Ramp{.slope = -1}, Ramp{.least = 0}, Ramp{.most = -INFINITY}}) {
    EXPECT_EQ(ramp.bent(), &ramp);
  }
}

TEST(RampOf, IsNoOtherFunction) {
  EXPECT_FALSE(ramp_of(Activation{element_wise_clip, -1, 6, ScaleBias{}}));
  for (const OperatorType type : all_operator_types()) {
    const bool ramps = type == activation_identity || type == activation_relu ||
                       type == activation_leaky_relu || type == element_wise_clip;
    if (is_fusable(type)) {
      EXPECT_EQ(ramp_of(Activation{type, 1, 1}).has_value(), ramps) << name(type);
    }
  }
}

TEST(CheckActivation, IgnoresParametersThatTheTypeLacks) {
  EXPECT_EQ(fused({activation_relu, NAN, NAN}), Messages());
  EXPECT_EQ(fused({activation_elu, 1, NAN}), Messages());
}

}  // namespace
}  // namespace weft::ops
