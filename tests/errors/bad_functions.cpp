// The rules of the element-wise operators and of the functions that CONVOLUTION fuses.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

const char* const kFunctions[] = {"ELEMENT_WISE_IDENTITY",  "ELEMENT_WISE_CLIP",
                                  "ACTIVATION_ELU",         "ACTIVATION_HARD_SIGMOID",
                                  "ACTIVATION_IDENTITY",    "ACTIVATION_LEAKY_RELU",
                                  "ACTIVATION_LINEAR",      "ACTIVATION_PARAMETRIC_SOFTPLUS",
                                  "ACTIVATION_RELU",        "ACTIVATION_SCALED_ELU",
                                  "ACTIVATION_SCALED_TANH", "ACTIVATION_SIGMOID",
                                  "ACTIVATION_SOFTPLUS",    "ACTIVATION_SOFTSIGN",
                                  "ACTIVATION_TANH",        "ACTIVATION_THRESHOLDED_RELU",
                                  "ACTIVATION_SHRINK",      "ACTIVATION_CELU",
                                  "ACTIVATION_GELU"};

struct Parameter {
  const char* function;
  const char* name;
  const char* value;  // JSON
  const char* said;   // after "is "
};

constexpr char kNumber[] = "nan, must be a number: a parameter of the function";
constexpr char kSteepness[] =
    "must be > 0 and finite: f(x) = ln(1 + exp(Steepness * x)) / Steepness";
constexpr char kAlpha[] =
    "must be finite and not 0: f(x) = max(0, x) + min(0, Alpha * (exp(x / Alpha) - 1))";

const Parameter kParameters[] = {{"ELEMENT_WISE_CLIP", "Min", "\"nan\"", kNumber},
                                 {"ELEMENT_WISE_CLIP", "Max", "\"nan\"", kNumber},
                                 {"ACTIVATION_ELU", "Alpha", "\"nan\"", kNumber},
                                 {"ACTIVATION_HARD_SIGMOID", "Alpha", "\"nan\"", kNumber},
                                 {"ACTIVATION_HARD_SIGMOID", "Beta", "\"nan\"", kNumber},
                                 {"ACTIVATION_LEAKY_RELU", "Alpha", "\"nan\"", kNumber},
                                 {"ACTIVATION_LINEAR", "Alpha", "\"nan\"", kNumber},
                                 {"ACTIVATION_LINEAR", "Beta", "\"nan\"", kNumber},
                                 {"ACTIVATION_PARAMETRIC_SOFTPLUS", "Alpha", "\"nan\"", kNumber},
                                 {"ACTIVATION_PARAMETRIC_SOFTPLUS", "Beta", "\"nan\"", kNumber},
                                 {"ACTIVATION_SCALED_ELU", "Alpha", "\"nan\"", kNumber},
                                 {"ACTIVATION_SCALED_ELU", "Gamma", "\"nan\"", kNumber},
                                 {"ACTIVATION_SCALED_TANH", "Alpha", "\"nan\"", kNumber},
                                 {"ACTIVATION_SCALED_TANH", "Beta", "\"nan\"", kNumber},
                                 {"ACTIVATION_THRESHOLDED_RELU", "Alpha", "\"nan\"", kNumber},
                                 {"ACTIVATION_SHRINK", "Bias", "\"nan\"", kNumber},
                                 {"ACTIVATION_SHRINK", "Threshold", "\"nan\"", kNumber},
                                 {"ACTIVATION_SOFTPLUS", "Steepness", "\"nan\"", kSteepness},
                                 {"ACTIVATION_SOFTPLUS", "Steepness", "0", kSteepness},
                                 {"ACTIVATION_SOFTPLUS", "Steepness", "-1", kSteepness},
                                 {"ACTIVATION_SOFTPLUS", "Steepness", "\"inf\"", kSteepness},
                                 {"ACTIVATION_CELU", "Alpha", "\"nan\"", kAlpha},
                                 {"ACTIVATION_CELU", "Alpha", "0", kAlpha},
                                 {"ACTIVATION_CELU", "Alpha", "\"-inf\"", kAlpha}};

std::string said(const Parameter& parameter) {
  const std::string text = parameter.said;
  if (text == kNumber) return text;
  std::string value = parameter.value;
  if (value.front() == '"') value = value.substr(1, value.size() - 2);
  return value + ", " + text;
}

void add_parameters(std::vector<BadInput>& rows) {
  for (const Parameter& parameter : kParameters) {
    const std::string name = parameter.name;
    const std::string value = parameter.value;
    rows.push_back(
        in_desc(parameter.function, name + ' ' + value, set('/' + name, value),
                {std::string(parameter.function) + '.' + name + " is " + said(parameter)}));
  }
}

void add_scale_bias(std::vector<BadInput>& rows) {
  for (const std::string op : {"ELEMENT_WISE_IDENTITY", "ELEMENT_WISE_CLIP"}) {
    rows.push_back(
        in_desc(op, "Scale that is not a number", set("/ScaleBias/Scale", "\"nan\""),
                {op + ".ScaleBias.Scale is nan, must be a number: the input is multiplied by it"}));
    rows.push_back(in_desc(
        op, "Scale and Bias that are not numbers",
        set("/ScaleBias", R"({"Scale": "nan", "Bias": "nan"})"),
        {op + ".ScaleBias.Scale is nan, must be a number: the input is multiplied by it",
         op + ".ScaleBias.Bias is nan, must be a number: it is added to the scaled input"}));
    rows.push_back(
        in_desc(op, "ScaleBias with INT64",
                merge("", R"({"InputTensor": {"DataType": "INT64", "Sizes": [2, 3, 4]},
                           "OutputTensor": {"DataType": "INT64", "Sizes": [2, 3, 4]}})"),
                {op + ".ScaleBias is present, must be absent: INT64 tensors take none"}));
  }
}

void add_shapes(std::vector<BadInput>& rows) {
  for (const std::string op : kFunctions) {
    const std::string rank =
        ".OutputTensor.DimensionCount is 2, must be 3: the DimensionCount of InputTensor";
    rows.push_back(
        in_desc(op, "output of two dimensions", set("/OutputTensor/Sizes", "[6, 4]"), {op + rank}));
    rows.push_back(in_desc(op, "output of other sizes", set("/OutputTensor/Sizes", "[2, 4, 3]"),
                           {op + ".OutputTensor.Sizes[1] is 4, must be 3: the size of InputTensor",
                            op + ".OutputTensor.Sizes[2] is 3, must be 4: the size of "
                                 "InputTensor"}));
    rows.push_back(in_desc(
        op, "output of another type", set("/OutputTensor/DataType", "\"FLOAT16\""),
        {op + ".OutputTensor.DataType is FLOAT16, must be FLOAT32: the data type of InputTensor"}));
  }
}

void add_fused(std::vector<BadInput>& rows) {
  const auto add = [&](std::string name, std::string activation, std::string violation) {
    rows.push_back(in_desc("CONVOLUTION", "fused " + name,
                           set("/FusedActivation", std::move(activation)),
                           {"CONVOLUTION.FusedActivation." + violation}));
  };
  add("SOFTPLUS", R"({"Type": "ACTIVATION_SOFTPLUS", "Steepness": -2})",
      std::string("Steepness is -2, ") + kSteepness);
  add("CELU", R"({"Type": "DML_OPERATOR_ACTIVATION_CELU", "Alpha": 0})",
      std::string("Alpha is 0, ") + kAlpha);
  add("ELU", R"({"Type": "ACTIVATION_ELU", "Alpha": "nan"})", std::string("Alpha is ") + kNumber);
  add("SHRINK", R"({"Type": "ACTIVATION_SHRINK", "Bias": 0, "Threshold": "nan"})",
      std::string("Threshold is ") + kNumber);
  add("CLIP", R"({"Type": "ELEMENT_WISE_CLIP", "Desc": {"Min": "nan", "Max": 1}})",
      std::string("Min is ") + kNumber);
  add("CLIP with a scale that is not a number",
      R"({"Type": "ELEMENT_WISE_CLIP", "Min": 0, "Max": 1, "ScaleBias": {"Scale": "nan", "Bias": 0}})",
      "ScaleBias.Scale is nan, must be a number: the input is multiplied by it");
}

}  // namespace

std::vector<BadInput> bad_functions() {
  std::vector<BadInput> rows;
  add_parameters(rows);
  add_scale_bias(rows);
  add_shapes(rows);
  add_fused(rows);
  return rows;
}

}  // namespace weft::testing
