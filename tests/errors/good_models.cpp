#include "errors/good_models.h"

#include <vector>

#include "support/npy_file.h"

namespace weft::testing {

namespace {

constexpr char kResources[] = R"(
    "x": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 1024, "value": 1}},
    "w": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 1024, "value": 1}},
    "b": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 1024, "value": 1}},
    "y": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 1024, "value": 0}})";

constexpr char kBindings[] = R"("InputTensor": "x", "OutputTensor": "y")";

constexpr char kDispatch[] = R"({"type": "dispatch", "dispatchable": "op", "bindings": {)";

constexpr char kPrintAndWrite[] = R"(}},
    {"type": "print", "resource": "y"},
    {"type": "writeFile", "resource": "y", "targetPath": "y.npy"})";

// A model of one operator. What a row refuses must not have been printed or written.
std::string model(const std::string& type, const std::string& desc,
                  const std::string& bindings = kBindings,
                  const std::string& resources = kResources,
                  const std::string& commands = kPrintAndWrite) {
  return "{\n  \"resources\": {" + resources + "\n  },\n  \"dispatchables\": {\n    \"op\": {" +
         "\"type\": \"" + type + "\", \"desc\": {" + desc + "}}\n  },\n  \"commands\": [\n    " +
         kDispatch + bindings + commands + "\n  ]\n}\n";
}

std::string tensor(const std::string& name, const std::string& sizes,
                   const std::string& flags = "NONE") {
  return "\"" + name + R"(": {"DataType": "FLOAT32", "Flags": ")" + flags + R"(", "Sizes": )" +
         sizes + "},\n";
}

constexpr char kWindows[] = R"(
      "DimensionCount": 2, "WindowSizes": [3, 2], "Strides": [2, 1], "Dilations": [1, 2],
      "StartPadding": [1, 0], "EndPadding": [0, 1])";

constexpr char kForward[] = R"(
      "Mode": "CROSS_CORRELATION", "Direction": "FORWARD",
      "DimensionCount": 2, "Strides": [1, 2], "Dilations": [1, 1], "StartPadding": [1, 0],
      "EndPadding": [1, 0], "OutputPadding": [0, 0], "GroupCount": 2,
      "FusedActivation": {"Type": "ACTIVATION_ELU", "Alpha": 1})";

constexpr char kBackward[] = R"(
      "Mode": "CONVOLUTION", "Direction": "BACKWARD",
      "DimensionCount": 2, "Strides": [2, 2], "Dilations": [1, 1], "StartPadding": [1, 1],
      "EndPadding": [1, 1], "OutputPadding": [1, 1], "GroupCount": 2)";

constexpr char kConvolutionBindings[] =
    R"("InputTensor": "x", "FilterTensor": "w", "BiasTensor": "b", "OutputTensor": "y")";

std::string convolution(const std::string& filter_flags = "NONE",
                        const std::string& bindings = kConvolutionBindings) {
  return model(
      "CONVOLUTION",
      tensor("InputTensor", "[2, 4, 6, 6]") + tensor("FilterTensor", "[6, 2, 3, 3]", filter_flags) +
          tensor("BiasTensor", "[1, 6, 1, 1]") + tensor("OutputTensor", "[2, 6, 6, 2]") + kForward,
      bindings);
}

std::string backward() {
  return model("CONVOLUTION",
               tensor("InputTensor", "[2, 6, 4, 4]") + tensor("FilterTensor", "[6, 2, 3, 3]") +
                   tensor("BiasTensor", "[1, 4, 1, 1]") + tensor("OutputTensor", "[2, 4, 8, 8]") +
                   kBackward,
               kConvolutionBindings);
}

std::string owned() {
  std::string text =
      convolution("OWNED_BY_DML", R"("InputTensor": "x", "BiasTensor": "b", "OutputTensor": "y")");
  return changed(text, set("/dispatchables/op/bindings", R"({"FilterTensor": "w"})"));
}

std::string without_bias() {
  return changed(changed(convolution(), remove("/dispatchables/op/desc/BiasTensor")),
                 remove("/commands/0/bindings/BiasTensor"));
}

std::string resample(const std::string& type) {
  const bool first = type == "RESAMPLE";
  const bool rounds = type == "RESAMPLE2" || type == "RESAMPLE3";
  std::string desc = tensor("InputTensor", "[1, 2, 3, 4]") +
                     tensor("OutputTensor", "[1, 2, 6, 4]") + R"("InterpolationMode": "LINEAR", )";
  if (rounds) desc += R"("RoundingDirection": "DECREASING", )";
  desc += first ? R"("ScaleCount": 4, )" : R"("DimensionCount": 4, )";
  desc += R"("Scales": [1, 1, 2, 1])";
  if (!first) {
    desc += R"(, "InputPixelOffsets": [0.5, 0.5, 0.5, 0.5])"
            R"(, "OutputPixelOffsets": [-0.5, -0.5, -0.5, -0.5])";
  }
  if (type == "RESAMPLE3") desc += R"(, "Antialiased": false)";
  return model(type, desc);
}

std::string function(const std::string& type, const std::string& parameters) {
  return model(
      type, tensor("InputTensor", "[2, 3, 4]") + tensor("OutputTensor", "[2, 3, 4]") + parameters);
}

// A copy of a 2x3 matrix, with `x` as told and an output of the same size.
std::string copy(const std::string& x, const std::string& commands) {
  return model("ELEMENT_WISE_IDENTITY",
               R"("InputTensor": {"DataType": "FLOAT32", "Sizes": [2, 3]},
      "OutputTensor": {"DataType": "FLOAT32", "Sizes": [2, 3]})",
               kBindings, "\n    \"x\": " + x + R"(,
    "y": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 6, "value": 0}})",
               commands);
}

constexpr char kExpect[] = R"(}},
    {"type": "expect", "resource": "y", "values": [0, 1, 2, 3, 4, 5], "atol": 0, "rtol": 0})";

constexpr char kEveryCommand[] = R"(}},
    {"type": "print", "resource": "y", "verbose": true},
    {"type": "writeFile", "resource": "y", "targetPath": "y.npy", "dimensions": [3, 2]},
    {"type": "expect", "resource": "y", "values": [0, 1, 2, 3, 4, 5], "atol": 0, "rtol": 0},
    {"type": "expect", "resource": "y", "sourcePath": "want.npy"})";

constexpr char kMixed[] = R"({"initialValuesDataType": "UNKNOWN", "initialValues": [
      {"name": "first", "type": "FLOAT32", "value": 0}, {"type": "FLOAT32", "value": 1},
      {"type": "FLOAT32", "value": 2}, {"type": "FLOAT32", "value": 3},
      {"type": "FLOAT32", "value": 4}, {"type": "UINT32", "value": 1084227584}]})";

std::map<std::string, GoodModel> make_models() {
  const std::string image = "[2, 3, 5, 6]";
  const std::string columns = "[2, 18, 10]";
  std::map<std::string, GoodModel> models;
  models["UNFOLD"].text =
      model("UNFOLD", tensor("InputTensor", image) + tensor("OutputTensor", columns) + kWindows);
  models["FOLD"].text =
      model("FOLD", tensor("InputTensor", columns) + tensor("OutputTensor", image) + kWindows);
  models["CONVOLUTION"].text = convolution();
  models["BACKWARD"].text = backward();
  for (const char* type : {"RESAMPLE", "RESAMPLE1", "RESAMPLE2", "RESAMPLE3"}) {
    models[type].text = resample(type);
  }
  const std::map<std::string, std::string> functions = {
      {"ELEMENT_WISE_IDENTITY", R"("ScaleBias": {"Scale": 2, "Bias": 1})"},
      {"ELEMENT_WISE_CLIP", R"("Min": -1, "Max": 1, "ScaleBias": {"Scale": 2, "Bias": 1})"},
      {"ACTIVATION_ELU", R"("Alpha": 1)"},
      {"ACTIVATION_HARD_SIGMOID", R"("Alpha": 0.2, "Beta": 0.5)"},
      {"ACTIVATION_IDENTITY", ""},
      {"ACTIVATION_LEAKY_RELU", R"("Alpha": 0.01)"},
      {"ACTIVATION_LINEAR", R"("Alpha": 2, "Beta": 1)"},
      {"ACTIVATION_PARAMETRIC_SOFTPLUS", R"("Alpha": 1, "Beta": 1)"},
      {"ACTIVATION_RELU", ""},
      {"ACTIVATION_SCALED_ELU", R"("Alpha": 1.7, "Gamma": 1.05)"},
      {"ACTIVATION_SCALED_TANH", R"("Alpha": 1, "Beta": 0.5)"},
      {"ACTIVATION_SIGMOID", ""},
      {"ACTIVATION_SOFTPLUS", R"("Steepness": 1)"},
      {"ACTIVATION_SOFTSIGN", ""},
      {"ACTIVATION_TANH", ""},
      {"ACTIVATION_THRESHOLDED_RELU", R"("Alpha": 1)"},
      {"ACTIVATION_SHRINK", R"("Bias": 0, "Threshold": 0.5)"},
      {"ACTIVATION_CELU", R"("Alpha": 1)"},
      {"ACTIVATION_GELU", ""}};
  for (const auto& [type, parameters] : functions) models[type].text = function(type, parameters);

  const std::string shape = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string matrix = npy_file(shape, float_bytes(6));
  const std::string list =
      R"({"initialValuesDataType": "FLOAT32", "initialValues": [0, 1, 2, 3, 4, 5]})";
  models["npy"] = {copy(R"({"initialValues": {"sourcePath": "x.npy"}})", kExpect),
                   {{"x.npy", matrix}}};
  models["raw"] = {copy(R"({"initialValuesDataType": "FLOAT32", "initialValues": )"
                        R"({"sourcePath": "x.bin"}})",
                        kExpect),
                   {{"x.bin", float_bytes(6)}}};
  models["commands"] = {copy(list, kEveryCommand), {{"want.npy", matrix}}};
  models["mixed"] = {copy(kMixed, kExpect)};
  models["owned"].text = owned();
  models["no bias"].text = without_bias();
  return models;
}

}  // namespace

const std::map<std::string, GoodModel>& good_models() {
  static const std::map<std::string, GoodModel> models = make_models();
  return models;
}

std::string float_bytes(std::uint32_t count) {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

}  // namespace weft::testing
