// `weft check`, and descs in JSON: what is accepted. What is not: tests/errors.

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "cli/model_folder.h"

namespace weft::testing {
namespace {

TEST(CheckTest, SaysThatAllIsWell) {
  const ModelFolder folder;
  const Outcome outcome = folder.check(unfold_model());
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "model.json: no problems (2 resources, 1 dispatchable, 1 command)\n");
  rapidjson::Document json;
  json.Parse(folder.check(unfold_model(), "--json").out.c_str());
  EXPECT_TRUE(json["valid"].GetBool());
  EXPECT_EQ(json["problems"].Size(), 0u);
}

TEST(CheckTest, CountsProblems) {
  const ModelFolder folder;
  const std::string model = R"({"resources": {}, "dispatchables": 3, "commands": []})";
  const Outcome outcome = folder.check(model);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "model.json: 1 problem\n");
  EXPECT_EQ(outcome.err, "weft: error: model.json: /dispatchables: is 3, must be an object\n");
  rapidjson::Document json;
  json.Parse(folder.check(model, "--json").out.c_str());
  EXPECT_FALSE(json["valid"].GetBool());
  EXPECT_STREQ(json["problems"][0]["place"].GetString(), "model.json: /dispatchables");
}

TEST(CheckTest, WritesNothing) {
  const ModelFolder folder;
  EXPECT_EQ(
      folder.check(unfold_model(R"({"type": "writeFile", "resource": "y", "targetPath": "y.npy"})"))
          .status,
      0);
  EXPECT_FALSE(folder.has("y.npy"));
}

// The fields of an UNFOLD desc but for the tensors.
constexpr const char* kWindows = R"("DimensionCount": 2, "WindowSizes": [3, 3], "Strides": [1, 1],
    "Dilations": [1, 1], "StartPadding": [0, 0], "EndPadding": [0, 0])";

std::string unfold_desc(const std::string& input, const std::string& output,
                        const std::string& windows = kWindows) {
  return "{\"InputTensor\": " + input + ", \"OutputTensor\": " + output + ", " + windows + "}";
}

constexpr const char* kInput = R"({"DataType": "FLOAT32", "Sizes": [1, 1, 5, 5]})";
constexpr const char* kOutput = R"({"DataType": "FLOAT32"})";

TEST(CheckTest, TakesEveryFormOfTensor) {
  const ModelFolder folder;
  for (const std::string input :
       {R"({"Type": "DML_TENSOR_TYPE_BUFFER", "Desc": {"DataType": "DML_TENSOR_DATA_TYPE_FLOAT32",
            "Flags": "DML_TENSOR_FLAG_NONE", "DimensionCount": 4, "Sizes": [1, 1, 5, 5],
            "Strides": [25, 25, 5, 1], "TotalTensorSizeInBytes": 100,
            "GuaranteedBaseOffsetAlignment": 16}})",
        R"({"Type": "BUFFER", "DataType": "FLOAT32", "Sizes": [1, 1, 5, 5], "Strides": null,
            "Flags": ["NONE"], "TotalTensorSizeInBytes": 0})",
        R"({"DataType": "FLOAT32", "Sizes": [1, 1, 5, 5], "Strides": []})"}) {
    const Outcome outcome = folder.check(unfold_model("", unfold_desc(input, kOutput)));
    EXPECT_EQ(outcome.err, "");
  }
}

// Every operator's desc, complete; "@" stands for the tensors.
struct Operator {
  std::string type;
  std::string desc;
};

class OperatorTest : public ::testing::TestWithParam<Operator> {};

TEST_P(OperatorTest, IsRead) {
  const ModelFolder folder;
  const auto& [type, desc] = GetParam();
  const Outcome outcome = folder.check(
      R"({"resources": {}, "commands": [], "dispatchables": {"op": {"type": ")" + type +
      R"(", "dmlCompileType": "DmlCompileGraph",
                       "executionFlags": ["DISABLE_META_COMMANDS"], "desc": {
                         "InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 2, 4, 4]},
                         "OutputTensor": {"DataType": "FLOAT32"}, )" +
      desc + "}}}}");
  EXPECT_EQ(outcome.err, "");
}

constexpr const char* kScales = R"("InterpolationMode": "DML_INTERPOLATION_MODE_LINEAR",
    "Scales": [1, 1, 2, 2], )";
constexpr const char* kOffsets = R"("DimensionCount": 4, "InputPixelOffsets": [0.5, 0.5, 0.5, 0.5],
    "OutputPixelOffsets": [-0.5, -0.5, -0.5, -0.5])";

std::string convolution(const std::string& more) {
  return R"("FilterTensor": {"DataType": "FLOAT32", "Sizes": [2, 2, 3, 3]}, )" + more +
         R"("Mode": "CONVOLUTION", "Direction": "DML_CONVOLUTION_DIRECTION_BACKWARD",
            "DimensionCount": 2, "Strides": [2, 2], "Dilations": [1, 1], "StartPadding": [0, 0],
            "EndPadding": [0, 0], "OutputPadding": [1, 1], "GroupCount": 1)";
}

INSTANTIATE_TEST_SUITE_P(
    All, OperatorTest,
    ::testing::Values(
        Operator{"CONVOLUTION", convolution("")},
        Operator{"CONVOLUTION", convolution(R"("BiasTensor": null, "FusedActivation": null, )")},
        Operator{"CONVOLUTION",
                 convolution(R"("BiasTensor": {"DataType": "FLOAT32", "Sizes": [1, 2, 1, 1]},
                                "FusedActivation": {"Type": "DML_OPERATOR_ACTIVATION_ELU",
                                                    "Alpha": 0.5}, )")},
        Operator{"CONVOLUTION", convolution(R"("FusedActivation": {"Type": "ACTIVATION_SHRINK",
                                "Desc": {"Bias": 0.5, "Threshold": 1}}, )")},
        Operator{"CONVOLUTION",
                 convolution(R"("FusedActivation": {"Type": "ELEMENT_WISE_CLIP", "Min": "-inf",
                                "Max": 6, "ScaleBias": {"Scale": 2, "Bias": 1}}, )")},
        Operator{"UNFOLD", kWindows},
        Operator{"RESAMPLE", std::string(kScales) + "\"ScaleCount\": 4"},
        Operator{"RESAMPLE1", std::string(kScales) + kOffsets},
        Operator{"RESAMPLE2",
                 std::string(kScales) + kOffsets + R"(, "RoundingDirection": "DECREASING")"},
        Operator{"RESAMPLE3", std::string(kScales) + kOffsets +
                                  R"(, "RoundingDirection": "DML_AXIS_DIRECTION_INCREASING",
                                     "Antialiased": true)"},
        Operator{"ELEMENT_WISE_IDENTITY", R"("ScaleBias": {"Scale": 2, "Bias": 1})"},
        Operator{"ELEMENT_WISE_CLIP", R"("Min": 0, "Max": 6)"},
        Operator{"ACTIVATION_ELU", R"("Alpha": 1)"}, Operator{"ACTIVATION_CELU", R"("Alpha": 1)"},
        Operator{"ACTIVATION_HARD_SIGMOID", R"("Alpha": 0.2, "Beta": 0.5)"},
        Operator{"ACTIVATION_IDENTITY", ""}, Operator{"ACTIVATION_LEAKY_RELU", R"("Alpha": 0.01)"},
        Operator{"ACTIVATION_LINEAR", R"("Alpha": 1, "Beta": 2)"},
        Operator{"ACTIVATION_PARAMETRIC_SOFTPLUS", R"("Alpha": 1, "Beta": 2)"},
        Operator{"ACTIVATION_RELU", ""},
        Operator{"ACTIVATION_SCALED_ELU", R"("Alpha": 1.67, "Gamma": 1.05)"},
        Operator{"ACTIVATION_SCALED_TANH", R"("Alpha": 1, "Beta": 0.5)"},
        Operator{"ACTIVATION_SIGMOID", ""}, Operator{"ACTIVATION_SOFTPLUS", R"("Steepness": 1)"},
        Operator{"ACTIVATION_SOFTSIGN", ""}, Operator{"ACTIVATION_TANH", ""},
        Operator{"ACTIVATION_THRESHOLDED_RELU", R"("Alpha": 1)"},
        Operator{"ACTIVATION_SHRINK", R"("Bias": 0, "Threshold": 0.5)"},
        Operator{"ACTIVATION_GELU", ""}));

}  // namespace
}  // namespace weft::testing
