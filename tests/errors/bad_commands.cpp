// Commands, and the resources that they bind.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

constexpr char kWhole64[] = ", must be a whole number from 0 to 18446744073709551615";
constexpr char kPositive[] = ", must be a whole number from 1 to 18446744073709551615";

BadInput in_commands(std::string name, Change change, std::vector<std::string> errors,
                     std::string model = "commands") {
  if (change.kind != Change::replace) change.at = "/commands" + change.at;
  for (std::string& error : errors) error = "model.json: /commands" + error;
  return {std::move(name), std::move(model), std::move(change), std::move(errors)};
}

BadInput in_bindings(std::string name, Change change, std::vector<std::string> errors,
                     std::string model = "UNFOLD") {
  if (change.kind != Change::replace) change.at = "/0/bindings" + change.at;
  for (std::string& error : errors) error = "/0/bindings" + error;
  return in_commands(std::move(name), std::move(change), std::move(errors), std::move(model));
}

BadInput in_owned(std::string name, Change change, std::vector<std::string> errors) {
  change.at = "/dispatchables/op/bindings" + change.at;
  for (std::string& error : errors) error = "model.json: /dispatchables/op" + error;
  return {std::move(name), "owned", std::move(change), std::move(errors)};
}

}  // namespace

// Command 0 dispatches, 1 prints, 2 writes y.npy, 3 expects values and 4 those of a file.
std::vector<BadInput> bad_commands() {
  const std::string tolerance = ", must be a number >= 0";
  const std::string float_rule =
      ", must be a number within +-3.4028235e+38, \"nan\", \"inf\" or \"-inf\" (FLOAT32)";
  return {
      in_commands("command that is text", set("/1", "\"print\""),
                  {"/1: is \"print\", must be an object"}),
      in_commands("command without a type", remove("/1/type"), {"/1: field \"type\" is missing"}),
      in_commands("unknown command", set("/1/type", "\"show\""),
                  {"/1/type: is \"show\", must be one of dispatch, print, writeFile, expect"}),
      in_commands("misspelt command", set("/0/type", "\"Dispatch\""),
                  {"/0/type: is \"Dispatch\", must be one of dispatch, print, writeFile, expect "
                   "(did you mean \"dispatch\"?)"}),
      in_commands("command of a type that is null", set("/1/type", "null"),
                  {"/1/type: is null, must be one of dispatch, print, writeFile, expect"}),
      in_commands("dispatch of nothing", remove("/0/dispatchable"),
                  {"/0: field \"dispatchable\" is missing"}),
      in_commands("dispatch of an unknown operator", set("/0/dispatchable", "\"copy\""),
                  {"/0/dispatchable: is \"copy\", must be the name of a dispatchable"}),
      in_commands("dispatch of a resource", set("/0/dispatchable", "\"x\""),
                  {"/0/dispatchable: is \"x\", must be the name of a dispatchable"}),
      in_commands("dispatch of a number", set("/0/dispatchable", "0"),
                  {"/0/dispatchable: is 0, must be a string"}),
      in_commands("dispatch without bindings", remove("/0/bindings"),
                  {"/0: field \"bindings\" is missing"}),
      in_commands("dispatch with an unknown field", set("/0/binding", "{}"),
                  {"/0: unknown field \"binding\" (did you mean \"bindings\"?)"}),
      in_commands("print of nothing", remove("/1/resource"), {"/1: field \"resource\" is missing"}),
      in_commands("print of an unknown resource", set("/1/resource", "\"output\""),
                  {"/1/resource: is \"output\", must be the name of a resource"}),
      in_commands("print of an operator", set("/1/resource", "\"op\""),
                  {"/1/resource: is \"op\", must be the name of a resource"}),
      in_commands("print of several", set("/1/resource", "[\"x\", \"y\"]"),
                  {"/1/resource: is an array, must be a string"}),
      in_commands("verbose that is a number", set("/1/verbose", "1"),
                  {"/1/verbose: is 1, must be true or false"}),
      in_commands("print with an unknown field", set("/1/precision", "3"),
                  {"/1: unknown field \"precision\""}),
      in_commands("write to nothing", remove("/2/targetPath"),
                  {"/2: field \"targetPath\" is missing"}),
      in_commands("write to no name", set("/2/targetPath", "\"\""),
                  {"/2/targetPath: is \"\", must be the path of a file"}),
      in_commands("write to a number", set("/2/targetPath", "1"),
                  {"/2/targetPath: is 1, must be a string"}),
      in_commands("write of an unknown resource", set("/2/resource", "\"z\""),
                  {"/2/resource: is \"z\", must be the name of a resource"}),
      in_commands("write of other dimensions", set("/2/dimensions", "[2, 2]"),
                  {"/2/dimensions: is 2x2, must have 6 elements: those of resource \"y\""}),
      in_commands("write of dimensions past 2^64",
                  set("/2/dimensions", "[4294967295, 4294967295, 4294967295]"),
                  {"/2/dimensions: is 4294967295x4294967295x4294967295, must have 6 elements: "
                   "those of resource \"y\""}),
      in_commands("write of a dimension that is 0", set("/2/dimensions", "[6, 0]"),
                  {"/2/dimensions: is 6x0, must have 6 elements: those of resource \"y\""}),
      in_commands("write of negative dimensions", set("/2/dimensions", "[-2, -3]"),
                  {"/2/dimensions/0: is -2, must be a whole number from 0 to 4294967295",
                   "/2/dimensions/1: is -3, must be a whole number from 0 to 4294967295"}),
      in_commands("write of dimensions that are text", set("/2/dimensions", "\"2x3\""),
                  {"/2/dimensions: is \"2x3\", must be an array"}),
      in_commands("expectation of nothing", remove("/3/values"),
                  {"/3: must have one of the fields \"values\", \"sourcePath\""}),
      in_commands("expectation of values and a file", set("/3/sourcePath", "\"want.npy\""),
                  {"/3: must have one of the fields \"values\", \"sourcePath\""}),
      in_commands("expectation of fewer values", set("/3/values", "[0, 1, 2]"),
                  {"/3: has 3 values, must have 6: those of resource \"y\""}),
      in_commands("expectation of more values",
                  set("/3/values", R"({"valueCount": 7, "value": 0})"),
                  {"/3: has 7 values, must have 6: those of resource \"y\""}),
      in_commands("expectation of text", set("/3/values/4", "\"four\""),
                  {"/3/values/4: is \"four\"" + float_rule}),
      in_commands("negative tolerance", set("/3/atol", "-1e-3"),
                  {"/3/atol: is -0.001" + tolerance}),
      in_commands("tolerance that is text", set("/3/rtol", "\"1%\""),
                  {"/3/rtol: is \"1%\"" + tolerance}),
      in_commands("expectation with an unknown field", set("/3/tolerance", "1"),
                  {"/3: unknown field \"tolerance\""}),
      in_commands("expectation of an unknown resource", set("/3/resource", "\"Y\""),
                  {"/3/resource: is \"Y\", must be the name of a resource (did you mean \"y\"?)"}),
      in_commands("expectation from a file that is missing", set("/4/sourcePath", "\"wamt.npy\""),
                  {"/4: wamt.npy: cannot open: No such file or directory"}),
      in_commands("expectation from a picture", set("/4/sourcePath", "\"want.jpeg\""),
                  {"/4/sourcePath: is \"want.jpeg\", must be a .npy file or raw data: pictures in "
                   "models are not supported"}),
      in_commands("every command wrong at once",
                  set("", R"([{"type": "dispatch", "dispatchable": "op", "bindings": []},
                  {"type": "print", "resource": 1}, {"type": "writeFile", "resource": "y"},
                  {"type": "expect", "resource": "y"}, {}])"),
                  {"/0/bindings: is an array, must be an object",
                   "/1/resource: is 1, must be a string", "/2: field \"targetPath\" is missing",
                   "/3: must have one of the fields \"values\", \"sourcePath\"",
                   "/4: field \"type\" is missing"}),
  };
}

std::vector<BadInput> bad_bindings() {
  const std::string array_rule = "must have 1: the tensor is not an array";
  return {
      in_bindings("bindings that are an array", set("", "[\"x\", \"y\"]"),
                  {": is an array, must be an object"}),
      in_bindings("no input", remove("/InputTensor"), {": field \"InputTensor\" is missing"}),
      in_bindings("no input and no output", set("", "{}"),
                  {": field \"InputTensor\" is missing", ": field \"OutputTensor\" is missing"}),
      in_bindings("output that is null", set("/OutputTensor", "null"),
                  {": field \"OutputTensor\" is missing"}),
      in_bindings("tensor that the operator does not have", set("/FilterTensor", "\"w\""),
                  {": unknown field \"FilterTensor\""}),
      in_bindings("misspelt tensor", set("/Inputtensor", "\"x\""),
                  {": unknown field \"Inputtensor\" (did you mean \"InputTensor\"?)"}),
      in_bindings("unknown resource", set("/InputTensor", "\"input\""),
                  {"/InputTensor: is \"input\", must be the name of a resource"}),
      in_bindings("name with invalid characters", set("/InputTensor", R"("x\u0000\u001b[31m\n")"),
                  {"/InputTensor: is \"x\\x00\\x1b[31m\\x0a\", must be the name of a resource"}),
      in_bindings("number for a resource", set("/InputTensor", "0"),
                  {"/InputTensor: is 0, must be a string"}),
      in_bindings("two resources for one tensor", set("/InputTensor", "[\"x\", \"w\"]"),
                  {"/InputTensor: has 2 bindings, " + array_rule}),
      in_bindings("no resource for a tensor", set("/InputTensor", "[]"),
                  {"/InputTensor: has 0 bindings, " + array_rule}),
      in_bindings("array in an array", set("/InputTensor", "[[\"x\"]]"),
                  {"/InputTensor: has an array in it, " + array_rule}),
      in_bindings("part of no resource", set("/InputTensor", R"({"elementOffset": 0})"),
                  {"/InputTensor: field \"name\" is missing"}),
      in_bindings("part with an unknown field",
                  set("/InputTensor", R"({"name": "x", "offset": 4})"),
                  {"/InputTensor: unknown field \"offset\""}),
      in_bindings("negative offset", set("/InputTensor", R"({"name": "x", "elementOffset": -4})"),
                  {std::string("/InputTensor/elementOffset: is -4") + kWhole64}),
      in_bindings("no elements", set("/InputTensor", R"({"name": "x", "elementCount": 0})"),
                  {std::string("/InputTensor/elementCount: is 0") + kPositive}),
      in_bindings("elements without a size",
                  set("/InputTensor", R"({"name": "x", "elementSizeInBytes": 0})"),
                  {std::string("/InputTensor/elementSizeInBytes: is 0") + kPositive}),
      in_bindings(
          "offset past the end", set("/InputTensor", R"({"name": "x", "elementOffset": 1024})"),
          {"/InputTensor: elementOffset 1024 is past the end of resource \"x\": 4096 bytes"}),
      in_bindings("offset past 2^64 bytes",
                  set("/InputTensor", R"({"name": "x", "elementOffset": 4611686018427387904})"),
                  {"/InputTensor: elementOffset 4611686018427387904 is past the end of resource "
                   "\"x\": 4096 bytes"}),
      in_bindings("count past the end",
                  set("/InputTensor", R"({"name": "x", "elementOffset": 4, "elementCount": 1021})"),
                  {"/InputTensor: elementCount 1021 reaches past the end of resource \"x\": 4096 "
                   "bytes"}),
      in_bindings("count past 2^64 bytes",
                  set("/InputTensor", R"({"name": "x", "elementCount": 18446744073709551615})"),
                  {"/InputTensor: elementCount 18446744073709551615 reaches past the end of "
                   "resource \"x\": 4096 bytes"}),
      in_bindings("offset that is not aligned",
                  set("/InputTensor", R"({"name": "x", "elementOffset": 3})"),
                  {"/InputTensor: starts at byte 12, must be a multiple of 16: the alignment of "
                   "tensors in a buffer"}),
      in_bindings("part too small for the tensor",
                  set("/InputTensor", R"({"name": "x", "elementCount": 179})"),
                  {"/InputTensor: resource \"x\" has 716 bytes bound, must have at least 720: the "
                   "tensor's TotalTensorSizeInBytes"}),
      in_bindings("rest too small for the tensor",
                  set("/OutputTensor", R"({"name": "y", "elementOffset": 960})"),
                  {"/OutputTensor: resource \"y\" has 256 bytes bound, must have at least 1440: "
                   "the tensor's TotalTensorSizeInBytes"}),
      in_bindings("input bound as output", set("/OutputTensor", "\"x\""),
                  {": UNFOLD.OutputTensor is overlapping, must be memory of its own: InputTensor "
                   "lies there "
                   "too"}),
      in_bindings(
          "output that reaches into the input",
          set("", R"({"InputTensor": "y", "OutputTensor": {"name": "y", "elementOffset": 176}})"),
          {": UNFOLD.OutputTensor is overlapping, must be memory of its own: InputTensor lies "
           "there "
           "too"}),
      in_bindings("filter bound as output", set("/OutputTensor", "\"w\""),
                  {": CONVOLUTION.OutputTensor is overlapping, must be memory of its own: "
                   "FilterTensor lies there too"},
                  "CONVOLUTION"),
      {"resource smaller than the tensor",
       "RESAMPLE2",
       set("/resources/y/initialValues/valueCount", "47"),
       {"model.json: /commands/0/bindings/OutputTensor: resource \"y\" has 188 bytes, must have at "
        "least 192: the tensor's TotalTensorSizeInBytes"}},
      {"resource smaller than TotalTensorSizeInBytes",
       "ACTIVATION_RELU",
       set("/dispatchables/op/desc/InputTensor/TotalTensorSizeInBytes", "18446744073709551612"),
       {"model.json: /commands/0/bindings/InputTensor: resource \"x\" has 4096 bytes, must have at "
        "least 18446744073709551612: the tensor's TotalTensorSizeInBytes"}},
      {"offset below the alignment that the tensor guarantees",
       "FOLD",
       merge("", R"({"resources": {
         "x": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 1024, "value": 1}},
         "y": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 1024, "value": 1}}},
         "dispatchables": {"op": {"type": "ACTIVATION_RELU", "desc": {
           "InputTensor": {"DataType": "FLOAT32", "Sizes": [2], "GuaranteedBaseOffsetAlignment": 64},
           "OutputTensor": {"DataType": "FLOAT32", "Sizes": [2]}}}},
         "commands": [{"type": "dispatch", "dispatchable": "op", "bindings": {
           "InputTensor": {"name": "x", "elementOffset": 4}, "OutputTensor": "y"}}]})"),
       {"model.json: /commands/0/bindings/InputTensor: starts at byte 16, must be a multiple of "
        "64: "
        "the alignment of tensors in a buffer"}},
      in_bindings("tensor that the desc leaves out", set("/BiasTensor", "\"b\""),
                  {"/BiasTensor: must be left out: the desc of \"op\" has no BiasTensor"},
                  "no bias"),
      in_bindings("owned tensor at dispatch", set("/FilterTensor", "\"w\""),
                  {"/FilterTensor: must be left out: OWNED_BY_DML tensors are bound by the "
                   "dispatchable itself"},
                  "owned"),
      in_owned("no bindings for an owned tensor", remove(""),
               {": field \"bindings\" is missing: FilterTensor is OWNED_BY_DML"}),
      in_owned("owned tensor without a binding", set("", "{}"),
               {"/bindings: field \"FilterTensor\" is missing"}),
      in_owned("tensor that is not owned", set("/InputTensor", "\"x\""),
               {"/bindings/InputTensor: must be left out: only OWNED_BY_DML tensors are bound at "
                "initialization"}),
      in_owned("owned tensor of an unknown resource", set("/FilterTensor", "\"filter\""),
               {"/bindings/FilterTensor: is \"filter\", must be the name of a resource"}),
      in_owned(
          "owned tensor of too small a part",
          set("/FilterTensor", R"({"name": "w", "elementCount": 107})"),
          {"/bindings/FilterTensor: resource \"w\" has 428 bytes bound, must have at least 432: "
           "the tensor's TotalTensorSizeInBytes"}),
  };
}

}  // namespace weft::testing
