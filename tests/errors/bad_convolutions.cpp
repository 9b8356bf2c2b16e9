// The rules of CONVOLUTION. Forward: input 2x4x6x6, filter 6x2x3x3 in 2 groups, output 2x6x6x2.
// Backward: input 2x6x4x4, filter 6x2x3x3 in 2 groups, output 2x4x8x8.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

constexpr char kRank1[] = R"({"InputTensor": {"DataType": "FLOAT32", "Sizes": [2, 4, 6]}})";

void add_forward(std::vector<BadInput>& rows) {
  const auto add = [&](std::string name, Change change, std::vector<std::string> violations) {
    for (std::string& violation : violations) violation = "CONVOLUTION." + violation;
    rows.push_back(
        in_desc("CONVOLUTION", std::move(name), std::move(change), std::move(violations)));
  };
  add("stride 0", set("/Strides/1", "0"),
      {"Strides[1] is 0, must be >= 1: a stride of 0 never moves the window"});
  add("dilation 0", set("/Dilations/0", "0"),
      {"Dilations[0] is 0, must be >= 1: a dilation of 0 reads one element over and over"});
  add("no groups", set("/GroupCount", "0"),
      {"GroupCount is 0, must be >= 1: the channels are divided by it"});
  add("arrays for one spatial dimension",
      merge("", R"({"DimensionCount": 1, "Strides": [1], "Dilations": [1], "StartPadding": [0],
      "EndPadding": [0], "OutputPadding": [0]})"),
      {"Strides is 1 entry, must be 2 entries: DimensionCount, one a spatial dimension",
       "Dilations is 1 entry, must be 2 entries: DimensionCount, one a spatial dimension",
       "StartPadding is 1 entry, must be 2 entries: DimensionCount, one a spatial dimension",
       "EndPadding is 1 entry, must be 2 entries: DimensionCount, one a spatial dimension",
       "OutputPadding is 1 entry, must be 2 entries: DimensionCount, one a spatial dimension"});
  add("window larger than the padded input",
      set("/FilterTensor", R"({"DataType": "FLOAT32", "Sizes": [6, 2, 9, 3]})"),
      {"FilterTensor.Sizes[2] is 9, must be at most 8: the window has to fit the padded input "
       "(InputTensor.Sizes[2] 6, window 9, stride 1, dilation 1, padding 1+1, output padding 0)"});
  add("dilated window larger than the padded input", set("/Dilations", "[1, 3]"),
      {"FilterTensor.Sizes[3] is 3, must be at most 2: the window has to fit the padded input "
       "(InputTensor.Sizes[3] 6, window 3, stride 2, dilation 3, padding 0+0, output padding 0)"});
  add("windows larger than the padded input both ways", set("/Dilations", "[4294967295, 9]"),
      {"FilterTensor.Sizes[2] is 3, must be at most 1: the window has to fit the padded input "
       "(InputTensor.Sizes[2] 6, window 3, stride 1, dilation 4294967295, padding 1+1, output "
       "padding 0)",
       "FilterTensor.Sizes[3] is 3, must be at most 1: the window has to fit the padded input "
       "(InputTensor.Sizes[3] 6, window 3, stride 2, dilation 9, padding 0+0, output padding 0)"});
  add("output past 2^32 by its padding", set("/OutputPadding", "[4294967295, 0]"),
      {"OutputPadding[0] is 4294967295, must be such that the output fits 32 bits: "
       "OutputTensor.Sizes[2] would be 4294967301 (InputTensor.Sizes[2] 6, window 3, stride 1, "
       "dilation 1, padding 1+1, output padding 4294967295)"});
  add("output past 2^32 by its start padding",
      merge("", R"({"StartPadding": [4294967295, 0], "OutputPadding": [7, 0]})"),
      {"StartPadding[0] is 4294967295, must be such that the output fits 32 bits: "
       "OutputTensor.Sizes[2] would be 4294967307 (InputTensor.Sizes[2] 6, window 3, stride 1, "
       "dilation 1, padding 4294967295+1, output padding 7)"});
  add("output past 2^32 by its end padding", set("/EndPadding", "[4294967292, 4294967295]"),
      {"EndPadding[0] is 4294967292, must be such that the output fits 32 bits: "
       "OutputTensor.Sizes[2] would be 4294967297 (InputTensor.Sizes[2] 6, window 3, stride 1, "
       "dilation 1, padding 1+4294967292, output padding 0)"});
  add("filters that the groups do not divide", set("/FilterTensor/Sizes/0", "5"),
      {"FilterTensor.Sizes[0] is 5, must be a multiple of 2: GroupCount 2",
       "BiasTensor.Sizes[1] is 6, must be 5: one bias an output channel",
       "OutputTensor.Sizes[1] is 6, must be 5: FilterTensor.Sizes[0], the output channels"});
  add("channels that the groups do not divide", set("/InputTensor/Sizes/1", "5"),
      {"InputTensor.Sizes[1] is 5, must be a multiple of 2: GroupCount 2"});
  add("filter of other channels", set("/FilterTensor/Sizes/1", "4"),
      {"FilterTensor.Sizes[1] is 4, must be 2: InputTensor.Sizes[1] 4 / GroupCount 2"});
  add("bias of other channels", set("/BiasTensor/Sizes/1", "4"),
      {"BiasTensor.Sizes[1] is 4, must be 6: one bias an output channel"});
  add("bias with a picture", set("/BiasTensor/Sizes", "[2, 6, 6, 2]"),
      {"BiasTensor.Sizes[0] is 2, must be 1: a bias has channels only",
       "BiasTensor.Sizes[2] is 6, must be 1: a bias has channels only",
       "BiasTensor.Sizes[3] is 2, must be 1: a bias has channels only"});
  add("bias of three dimensions", set("/BiasTensor/Sizes", "[1, 6, 1]"),
      {"BiasTensor.DimensionCount is 3, must be 4: InputTensor has as many"});
  add("filter of three dimensions", set("/FilterTensor/Sizes", "[6, 2, 3]"),
      {"FilterTensor.DimensionCount is 3, must be 4: InputTensor has as many"});
  add("output of three dimensions", set("/OutputTensor/Sizes", "[2, 6, 6]"),
      {"OutputTensor.DimensionCount is 3, must be 4: InputTensor has as many"});
  add("input of three dimensions", merge("", kRank1),
      {"FilterTensor.DimensionCount is 4, must be 3: InputTensor has as many",
       "BiasTensor.DimensionCount is 4, must be 3: InputTensor has as many",
       "Strides is 2 entries, must be 1 entry: DimensionCount, one a spatial dimension",
       "Dilations is 2 entries, must be 1 entry: DimensionCount, one a spatial dimension",
       "StartPadding is 2 entries, must be 1 entry: DimensionCount, one a spatial dimension",
       "EndPadding is 2 entries, must be 1 entry: DimensionCount, one a spatial dimension",
       "OutputPadding is 2 entries, must be 1 entry: DimensionCount, one a spatial dimension"});
  add("output of another batch", set("/OutputTensor/Sizes/0", "1"),
      {"OutputTensor.Sizes[0] is 1, must be 2: InputTensor.Sizes[0], the batch"});
  add("output of other channels", set("/OutputTensor/Sizes/1", "4"),
      {"OutputTensor.Sizes[1] is 4, must be 6: FilterTensor.Sizes[0], the output channels"});
  add("output of other sizes", set("/OutputTensor/Sizes", "[2, 6, 4, 6]"),
      {"OutputTensor.Sizes[2] is 4, must be 6: InputTensor.Sizes[2] 6, window 3, stride 1, "
       "dilation 1, padding 1+1, output padding 0",
       "OutputTensor.Sizes[3] is 6, must be 2: InputTensor.Sizes[3] 6, window 3, stride 2, "
       "dilation 1, padding 0+0, output padding 0"});
  add("filter of another type", set("/FilterTensor/DataType", "\"FLOAT16\""),
      {"FilterTensor.DataType is FLOAT16, must be FLOAT32: the data type of InputTensor"});
  add("bias of another type", set("/BiasTensor/DataType", "\"FLOAT16\""),
      {"BiasTensor.DataType is FLOAT16, must be FLOAT32: the data type of InputTensor"});
  add("output of another type", set("/OutputTensor/DataType", "\"FLOAT16\""),
      {"OutputTensor.DataType is FLOAT16, must be FLOAT32: the data type of InputTensor"});
  add("stride, groups and output type wrong at once",
      merge("", R"({"Strides": [0, 2], "GroupCount": 0,
      "OutputTensor": {"DataType": "FLOAT16", "Sizes": [2, 6, 6, 2]}})"),
      {"Strides[0] is 0, must be >= 1: a stride of 0 never moves the window",
       "GroupCount is 0, must be >= 1: the channels are divided by it",
       "OutputTensor.DataType is FLOAT16, must be FLOAT32: the data type of InputTensor"});
  add("inferred output of too many elements",
      merge(
          "",
          R"({"OutputTensor": {"DataType": "FLOAT32"}, "OutputPadding": [4000000000, 4000000000]})"),
      {"OutputTensor.Sizes is 2x6x4000000006x4000000002, must be at most 4294967295 elements: the "
       "limit of a tensor"});
}

void add_backward(std::vector<BadInput>& rows) {
  const auto add = [&](std::string name, Change change, std::vector<std::string> violations) {
    for (std::string& violation : violations) violation = "CONVOLUTION." + violation;
    rows.push_back(in_desc("BACKWARD", std::move(name), std::move(change), std::move(violations)));
  };
  const std::string sizes =
      "InputTensor.Sizes[2] 4, window 3, stride 2, dilation 1, padding 1+1, output padding 1";
  add("filter of other input channels", set("/FilterTensor/Sizes/0", "4"),
      {"FilterTensor.Sizes[0] is 4, must be 6: InputTensor.Sizes[1], the input channels of a "
       "BACKWARD convolution"});
  add("channels that the groups do not divide", merge("", R"({"GroupCount": 4,
      "BiasTensor": null, "OutputTensor": {"DataType": "FLOAT32", "Sizes": [2, 8, 8, 8]}})"),
      {"InputTensor.Sizes[1] is 6, must be a multiple of 4: GroupCount 4"});
  add("output of other channels", set("/OutputTensor/Sizes/1", "2"),
      {"OutputTensor.Sizes[1] is 2, must be 4: FilterTensor.Sizes[1] * GroupCount"});
  add("output smaller than the windows", set("/OutputTensor/Sizes/2", "7"),
      {"OutputTensor.Sizes[2] is 7, must be at least 8: " + sizes});
  add("output of another batch", set("/OutputTensor/Sizes/0", "4"),
      {"OutputTensor.Sizes[0] is 4, must be 2: InputTensor.Sizes[0], the batch"});
  add("bias of the input's channels", set("/BiasTensor/Sizes/1", "6"),
      {"BiasTensor.Sizes[1] is 6, must be 4: one bias an output channel"});
  add("output past 2^32 by its stride", set("/Strides", "[4294967295, 2]"),
      {"Strides[0] is 4294967295, must be such that the output fits 32 bits: "
       "OutputTensor.Sizes[2] would be 12884901887 (InputTensor.Sizes[2] 4, window 3, stride "
       "4294967295, dilation 1, padding 1+1, output padding 1)"});
  add("output past 2^32 by its stride alone",
      merge("", R"({"Strides": [4294967295, 2], "OutputPadding": [0, 0]})"),
      {"Strides[0] is 4294967295, must be such that the output fits 32 bits: "
       "OutputTensor.Sizes[2] would be 12884901886 (InputTensor.Sizes[2] 4, window 3, stride "
       "4294967295, dilation 1, padding 1+1, output padding 0)"});
  add("output past 2^32 by its dilation", set("/Dilations", "[1, 4294967295]"),
      {"Dilations[1] is 4294967295, must be such that the output fits 32 bits: "
       "OutputTensor.Sizes[3] would be 8589934596 (InputTensor.Sizes[3] 4, window 3, stride 2, "
       "dilation 4294967295, padding 1+1, output padding 1)"});
  add("output past 2^32 by its output padding", set("/OutputPadding/0", "4294967295"),
      {"OutputPadding[0] is 4294967295, must be such that the output fits 32 bits: "
       "OutputTensor.Sizes[2] would be 4294967302 (InputTensor.Sizes[2] 4, window 3, stride 2, "
       "dilation 1, padding 1+1, output padding 4294967295)"});
  add("output channels past 2^32", set("/GroupCount", "4294967294"),
      {"InputTensor.Sizes[1] is 6, must be a multiple of 4294967294: GroupCount 4294967294",
       "GroupCount is 4294967294, must be such that the output channels fit 32 bits: "
       "FilterTensor.Sizes[1] * GroupCount output channels"});
}

}  // namespace

std::vector<BadInput> bad_convolutions() {
  std::vector<BadInput> rows;
  add_forward(rows);
  add_backward(rows);
  return rows;
}

}  // namespace weft::testing
