// Fields of dispatchables and of the descs of operators: missing, unknown, of a wrong type.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

constexpr char kFusable[] =
    "ELEMENT_WISE_CLIP, ACTIVATION_ELU, ACTIVATION_HARD_SIGMOID, ACTIVATION_IDENTITY, "
    "ACTIVATION_LEAKY_RELU, ACTIVATION_LINEAR, ACTIVATION_PARAMETRIC_SOFTPLUS, ACTIVATION_RELU, "
    "ACTIVATION_SCALED_ELU, ACTIVATION_SCALED_TANH, ACTIVATION_SIGMOID, ACTIVATION_SOFTPLUS, "
    "ACTIVATION_SOFTSIGN, ACTIVATION_TANH, ACTIVATION_THRESHOLDED_RELU, ACTIVATION_SHRINK, "
    "ACTIVATION_CELU, ACTIVATION_GELU";

constexpr char kWhole32[] = ", must be a whole number from 0 to 4294967295";
constexpr char kFloat[] =
    ", must be a number within +-3.4028235e+38, \"nan\", \"inf\" or \"-inf\" (FLOAT32)";

BadInput in_op(std::string name, Change change, std::vector<std::string> errors,
               std::string model = "CONVOLUTION") {
  if (change.kind != Change::replace) change.at = "/dispatchables/op" + change.at;
  for (std::string& error : errors) error = "model.json: /dispatchables/op" + error;
  return {std::move(name), std::move(model), std::move(change), std::move(errors)};
}

// A row for each field that the desc of an operator cannot do without.
void add_missing_fields(std::vector<BadInput>& rows) {
  const std::map<std::string, std::vector<std::string>> fields = {
      {"CONVOLUTION",
       {"InputTensor", "FilterTensor", "OutputTensor", "Mode", "Direction", "DimensionCount",
        "Strides", "Dilations", "StartPadding", "EndPadding", "OutputPadding", "GroupCount"}},
      {"UNFOLD",
       {"InputTensor", "OutputTensor", "DimensionCount", "WindowSizes", "Strides", "Dilations",
        "StartPadding", "EndPadding"}},
      {"FOLD",
       {"InputTensor", "OutputTensor", "DimensionCount", "WindowSizes", "Strides", "Dilations",
        "StartPadding", "EndPadding"}},
      {"RESAMPLE", {"InputTensor", "OutputTensor", "InterpolationMode", "ScaleCount", "Scales"}},
      {"RESAMPLE1",
       {"InputTensor", "OutputTensor", "InterpolationMode", "DimensionCount", "Scales",
        "InputPixelOffsets", "OutputPixelOffsets"}},
      {"RESAMPLE2",
       {"InputTensor", "OutputTensor", "InterpolationMode", "RoundingDirection", "DimensionCount",
        "Scales", "InputPixelOffsets", "OutputPixelOffsets"}},
      {"RESAMPLE3",
       {"InputTensor", "OutputTensor", "InterpolationMode", "RoundingDirection", "DimensionCount",
        "Scales", "InputPixelOffsets", "OutputPixelOffsets", "Antialiased"}},
      {"ELEMENT_WISE_IDENTITY", {"InputTensor", "OutputTensor"}},
      {"ELEMENT_WISE_CLIP", {"InputTensor", "OutputTensor", "Min", "Max"}},
      {"ACTIVATION_ELU", {"Alpha"}},
      {"ACTIVATION_HARD_SIGMOID", {"Alpha", "Beta"}},
      {"ACTIVATION_LEAKY_RELU", {"Alpha"}},
      {"ACTIVATION_LINEAR", {"Alpha", "Beta"}},
      {"ACTIVATION_PARAMETRIC_SOFTPLUS", {"Alpha", "Beta"}},
      {"ACTIVATION_SCALED_ELU", {"Alpha", "Gamma"}},
      {"ACTIVATION_SCALED_TANH", {"Alpha", "Beta"}},
      {"ACTIVATION_SOFTPLUS", {"Steepness"}},
      {"ACTIVATION_THRESHOLDED_RELU", {"Alpha"}},
      {"ACTIVATION_SHRINK", {"Bias", "Threshold"}},
      {"ACTIVATION_CELU", {"Alpha"}}};
  for (const auto& [model, names] : fields) {
    for (const std::string& name : names) {
      rows.push_back(
          in_desc(model, "no " + name, remove('/' + name), {"field \"" + name + "\" is missing"}));
    }
  }
}

// Fields that only a later version of an operator has.
void add_later_fields(std::vector<BadInput>& rows) {
  const auto unknown = [&](const std::string& model, const std::string& name, std::string json,
                           const std::string& hint = "") {
    rows.push_back(in_desc(model, "has " + name, set('/' + name, std::move(json)),
                           {"unknown field \"" + name + "\"" + hint}));
  };
  unknown("RESAMPLE", "InputPixelOffsets", "[0, 0, 0, 0]");
  unknown("RESAMPLE", "DimensionCount", "4");
  unknown("RESAMPLE1", "RoundingDirection", "\"INCREASING\"");
  unknown("RESAMPLE1", "ScaleCount", "4");
  unknown("RESAMPLE2", "Antialiased", "true");
  unknown("RESAMPLE3", "AntiAliased", "true", " (did you mean \"Antialiased\"?)");
  unknown("ACTIVATION_RELU", "Alpha", "1");
  unknown("ACTIVATION_ELU", "ScaleBias", "null");
  unknown("ACTIVATION_ELU", "alpha", "1", " (did you mean \"Alpha\"?)");
  unknown("UNFOLD", "OutputPadding", "[0, 0]", " (did you mean \"StartPadding\"?)");
  unknown("FOLD", "Window", "[3, 2]");
  unknown("CONVOLUTION", "Groups", "2");
}

void add_wrong_fields(std::vector<BadInput>& rows) {
  const auto add = [&](std::string model, std::string name, Change change,
                       std::vector<std::string> errors) {
    for (std::string& error : errors) error = "/desc" + error;
    if (change.kind != Change::replace) change.at = "/desc" + change.at;
    rows.push_back(in_op(std::move(name), std::move(change), std::move(errors), std::move(model)));
  };
  add("UNFOLD", "desc that is an array", set("", "[]"), {": is an array, must be an object"});
  add("UNFOLD", "desc that is null", set("", "null"), {": is null, must be an object"});
  add("UNFOLD", "field twice",
      replace("\"DimensionCount\": 2", "\"Strides\": [1, 1], \"DimensionCount\": 2"),
      {": field \"Strides\" is there twice"});
  add("UNFOLD", "strides that are a number", set("/Strides", "2"),
      {"/Strides: is 2, must be an array"});
  add("UNFOLD", "strides that are null", set("/Strides", "null"),
      {"/Strides: is null, must be an array"});
  add("UNFOLD", "negative stride", set("/Strides/0", "-1"),
      {std::string("/Strides/0: is -1") + kWhole32});
  add("UNFOLD", "half a window", set("/WindowSizes/1", "1.5"),
      {std::string("/WindowSizes/1: is 1.5") + kWhole32});
  add("UNFOLD", "window past 32 bits", set("/WindowSizes/0", "4294967296"),
      {std::string("/WindowSizes/0: is 4294967296") + kWhole32});
  add("UNFOLD", "window past 64 bits", set("/WindowSizes/0", "36893488147419103235"),
      {std::string("/WindowSizes/0: is 3.6893488147419103e+19") + kWhole32});
  add("UNFOLD", "huge window", set("/WindowSizes/0", "1e300"),
      {std::string("/WindowSizes/0: is 1e+300") + kWhole32});
  add("UNFOLD", "padding that is text", set("/StartPadding/0", "\"same\""),
      {std::string("/StartPadding/0: is \"same\"") + kWhole32});
  add("UNFOLD", "padding of arrays", set("/EndPadding", "[[1], [1]]"),
      {std::string("/EndPadding/0: is an array") + kWhole32,
       std::string("/EndPadding/1: is an array") + kWhole32});
  add("UNFOLD", "one stride too many", set("/Strides", "[1, 1, 1]"),
      {"/Strides: has 3 entries, must have 2: DimensionCount"});
  add("UNFOLD", "one dilation too few", set("/Dilations", "[1]"),
      {"/Dilations: has 1 entry, must have 2: DimensionCount"});
  add("UNFOLD", "DimensionCount of all dimensions", set("/DimensionCount", "4"),
      {"/WindowSizes: has 2 entries, must have 4: DimensionCount",
       "/Strides: has 2 entries, must have 4: DimensionCount",
       "/Dilations: has 2 entries, must have 4: DimensionCount",
       "/StartPadding: has 2 entries, must have 4: DimensionCount",
       "/EndPadding: has 2 entries, must have 4: DimensionCount"});
  add("RESAMPLE", "ScaleCount of two", set("/ScaleCount", "2"),
      {"/Scales: has 4 entries, must have 2: ScaleCount"});
  add("RESAMPLE2", "scale that is text", set("/Scales/0", "\"2x\""),
      {std::string("/Scales/0: is \"2x\"") + kFloat});
  add("RESAMPLE2", "scale past float32", set("/Scales/0", "1e39"),
      {std::string("/Scales/0: is 1e+39") + kFloat});
  add("RESAMPLE2", "unknown interpolation", set("/InterpolationMode", "\"CUBIC\""),
      {"/InterpolationMode: is \"CUBIC\", must be one of NEAREST_NEIGHBOR, LINEAR"});
  add("RESAMPLE2", "interpolation by number", set("/InterpolationMode", "1"),
      {"/InterpolationMode: is 1, must be one of NEAREST_NEIGHBOR, LINEAR"});
  add("RESAMPLE2", "unknown rounding", set("/RoundingDirection", "\"DECREASE\""),
      {"/RoundingDirection: is \"DECREASE\", must be one of INCREASING, DECREASING"});
  add("RESAMPLE3", "Antialiased that is a number", set("/Antialiased", "1"),
      {"/Antialiased: is 1, must be true or false"});
  add("CONVOLUTION", "unknown mode", set("/Mode", "\"CORRELATION\""),
      {"/Mode: is \"CORRELATION\", must be one of CONVOLUTION, CROSS_CORRELATION"});
  add("CONVOLUTION", "unknown direction", set("/Direction", "\"DML_CONVOLUTION_DIRECTION_UP\""),
      {"/Direction: is \"DML_CONVOLUTION_DIRECTION_UP\", must be one of FORWARD, BACKWARD"});
  add("CONVOLUTION", "groups that are text", set("/GroupCount", "\"two\""),
      {std::string("/GroupCount: is \"two\"") + kWhole32});
  add("CONVOLUTION", "activation that is text", set("/FusedActivation", "\"RELU\""),
      {"/FusedActivation: is \"RELU\", must be an object"});
  add("CONVOLUTION", "activation without a type", set("/FusedActivation", "{}"),
      {"/FusedActivation: field \"Type\" is missing"});
  add("CONVOLUTION", "activation type that is a number", set("/FusedActivation", R"({"Type": 44})"),
      {"/FusedActivation/Type: is 44, must be a string"});
  add("CONVOLUTION", "activation that cannot be fused",
      set("/FusedActivation", R"({"Type": "ACTIVATION_SOFTMAX"})"),
      {std::string("/FusedActivation/Type: is \"ACTIVATION_SOFTMAX\", must be one of ") + kFusable +
       " (did you mean \"ACTIVATION_SOFTPLUS\"?)"});
  add("CONVOLUTION", "identity with a scale as activation",
      set("/FusedActivation", R"({"Type": "ELEMENT_WISE_IDENTITY"})"),
      {std::string("/FusedActivation/Type: is \"ELEMENT_WISE_IDENTITY\", must be one of ") +
       kFusable + " (did you mean \"ELEMENT_WISE_CLIP\"?)"});
  add("CONVOLUTION", "activation without its parameter",
      set("/FusedActivation", R"({"Type": "ACTIVATION_LINEAR", "Alpha": 1})"),
      {"/FusedActivation: field \"Beta\" is missing"});
  add("CONVOLUTION", "activation with a tensor",
      set("/FusedActivation", R"({"Type": "ACTIVATION_RELU", "Desc": {"InputTensor": {}}})"),
      {"/FusedActivation/Desc: unknown field \"InputTensor\""});
  add("CONVOLUTION", "activation beside its desc",
      set("/FusedActivation", R"({"Type": "ACTIVATION_ELU", "Alpha": 1, "Desc": {"Alpha": 1}})"),
      {"/FusedActivation: unknown field \"Alpha\""});
  add("CONVOLUTION", "activation whose desc is no object",
      set("/FusedActivation", R"({"Type": "ACTIVATION_ELU", "Desc": 1})"),
      {"/FusedActivation/Desc: is 1, must be an object"});
  add("ELEMENT_WISE_CLIP", "parameter that is text", set("/Min", "\"low\""),
      {std::string("/Min: is \"low\"") + kFloat});
  add("ELEMENT_WISE_CLIP", "parameter that is null", set("/Max", "null"),
      {std::string("/Max: is null") + kFloat});
  add("ELEMENT_WISE_IDENTITY", "ScaleBias that is an array", set("/ScaleBias", "[2, 1]"),
      {"/ScaleBias: is an array, must be an object"});
  add("ELEMENT_WISE_IDENTITY", "ScaleBias without Bias", remove("/ScaleBias/Bias"),
      {"/ScaleBias: field \"Bias\" is missing"});
  add("ELEMENT_WISE_IDENTITY", "ScaleBias with more", set("/ScaleBias/Offset", "1"),
      {"/ScaleBias: unknown field \"Offset\""});
}

void add_tensor_fields(std::vector<BadInput>& rows) {
  const auto add = [&](std::string name, Change change, std::vector<std::string> errors) {
    for (std::string& error : errors) error = "/desc/InputTensor" + error;
    change.at = "/desc/InputTensor" + change.at;
    rows.push_back(in_op("tensor, " + name, std::move(change), std::move(errors), "UNFOLD"));
  };
  const std::string types =
      ", must be one of UNKNOWN, FLOAT32, FLOAT16, UINT32, UINT16, UINT8, INT32, INT16, INT8, "
      "FLOAT64, UINT64, INT64, UINT4, INT4";
  add("null", set("", "null"), {": is null, must be an object"});
  add("name instead of a desc", set("", "\"x\""), {": is \"x\", must be an object"});
  add("of another kind", set("/Type", "\"TEXTURE\""), {"/Type: is \"TEXTURE\", must be BUFFER"});
  add("without a type", remove("/DataType"), {": field \"DataType\" is missing"});
  add("without sizes", remove("/Sizes"), {": field \"Sizes\" is missing"});
  add("unknown type", set("/DataType", "\"FLOAT\""), {"/DataType: is \"FLOAT\"" + types});
  add("type that is a number", set("/DataType", "1"), {"/DataType: is 1" + types});
  add("unknown flag", set("/Flags", "[\"NONE\", \"OWNED\"]"),
      {"/Flags/1: is \"OWNED\", must be one of NONE, OWNED_BY_DML"});
  add("flag that is a number", set("/Flags", "1"),
      {"/Flags: is 1, must be one of NONE, OWNED_BY_DML"});
  add("sizes that are a number", set("/Sizes", "5"), {"/Sizes: is 5, must be an array"});
  add("negative size", set("/Sizes/2", "-5"), {std::string("/Sizes/2: is -5") + kWhole32});
  add("size that is a fraction", set("/Sizes/2", "5.5"),
      {std::string("/Sizes/2: is 5.5") + kWhole32});
  add("size past 32 bits", set("/Sizes/0", "4294967296"),
      {std::string("/Sizes/0: is 4294967296") + kWhole32});
  add("DimensionCount of another length", set("/DimensionCount", "3"),
      {"/DimensionCount: is 3, must be 4: the length of Sizes"});
  add("negative stride", set("/Strides", "[90, 30, -6, 1]"),
      {std::string("/Strides/2: is -6") + kWhole32});
  add("total size that is negative", set("/TotalTensorSizeInBytes", "-1"),
      {"/TotalTensorSizeInBytes: is -1, must be a whole number from 0 to 18446744073709551615"});
  add("alignment past 32 bits", set("/GuaranteedBaseOffsetAlignment", "4294967296"),
      {std::string("/GuaranteedBaseOffsetAlignment: is 4294967296") + kWhole32});
  add("unknown field", set("/Stride", "[1, 1, 1, 1]"),
      {": unknown field \"Stride\" (did you mean \"Strides\"?)"});
  add("desc of a desc with more", set("", R"({"Type": "BUFFER", "DataType": "FLOAT32",
      "Desc": {"DataType": "FLOAT32", "Sizes": [2, 3, 5, 6]}})"),
      {": unknown field \"DataType\""});
  add("desc of a desc that is null", set("", R"({"Type": "BUFFER", "Desc": null})"),
      {"/Desc: is null, must be an object"});
  rows.push_back(in_op("DimensionCount without Sizes",
                       set("/desc/OutputTensor", R"({"DataType": "FLOAT32", "DimensionCount": 3})"),
                       {"/desc/OutputTensor/DimensionCount: must be left out where Sizes is"},
                       "UNFOLD"));
}

}  // namespace

std::vector<BadInput> bad_dispatchables() {
  const std::string unsupported = " dispatchables are not supported: only DirectML operators are";
  return {
      in_op("dispatchable that is text", set("", "\"CONVOLUTION\""),
            {": is \"CONVOLUTION\", must be an object"}),
      in_op("no type", remove("/type"), {": field \"type\" is missing"}),
      in_op("no desc", remove("/desc"), {": field \"desc\" is missing"}),
      in_op("type that is a number", set("/type", "53"), {"/type: is 53, must be a string"}),
      in_op("shader", set("/type", "\"hlsl\""), {"/type: \"hlsl\"" + unsupported}),
      in_op("ONNX model", set("/type", "\"onnx\""), {"/type: \"onnx\"" + unsupported}),
      in_op("graph", set("/type", "\"dmlSerializedGraph\""),
            {"/type: \"dmlSerializedGraph\"" + unsupported}),
      in_op("operator that Weft does not have", set("/type", "\"DML_OPERATOR_GEMM\""),
            {std::string("/type: operator \"DML_OPERATOR_GEMM\" is not supported; Weft has ") +
             kOperatorNames}),
      in_op("misspelt operator", set("/type", "\"CONVOLUTE\""),
            {std::string("/type: operator \"CONVOLUTE\" is not supported (did you mean "
                         "\"CONVOLUTION\"?); Weft has ") +
             kOperatorNames}),
      in_op("unknown way to compile", set("/dmlCompileType", "\"Jit\""),
            {"/dmlCompileType: is \"Jit\", must be one of DmlCompileOp, DmlCompileGraph"}),
      in_op("unknown execution flag", set("/executionFlags", "[\"FAST\"]"),
            {"/executionFlags/0: is \"FAST\", must be one of NONE, "
             "ALLOW_HALF_PRECISION_COMPUTATION, DISABLE_META_COMMANDS, DESCRIPTORS_VOLATILE"}),
      in_op("unknown field", set("/Bindings", "{}"),
            {": unknown field \"Bindings\" (did you mean \"bindings\"?)"}),
  };
}

std::vector<BadInput> bad_descs() {
  std::vector<BadInput> rows;
  add_missing_fields(rows);
  add_later_fields(rows);
  add_wrong_fields(rows);
  add_tensor_fields(rows);
  return rows;
}

}  // namespace weft::testing
