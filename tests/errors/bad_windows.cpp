// The rules of UNFOLD and FOLD. In UNFOLD's good model a 2x3x5x6 image gives 2x18x10 columns; in
// FOLD's the columns give the image.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

// The rules for the arrays, which both operators have.
void add_arrays(std::vector<BadInput>& rows, const std::string& op) {
  const std::string image = op == "UNFOLD" ? "InputTensor" : "OutputTensor";
  const auto add = [&](std::string name, Change change, std::vector<std::string> violations) {
    for (std::string& violation : violations) violation = op + '.' + violation;
    rows.push_back(in_desc(op, std::move(name), std::move(change), std::move(violations)));
  };
  add("no spatial dimension", merge("", R"({"DimensionCount": 0, "WindowSizes": [], "Strides": [],
      "Dilations": [], "StartPadding": [], "EndPadding": []})"),
      {"DimensionCount is 0, must be 1 to 6: one entry of WindowSizes each"});
  add("seven spatial dimensions",
      merge("", R"({"DimensionCount": 7, "WindowSizes": [1, 1, 1, 1, 1, 1, 1],
      "Strides": [1, 1, 1, 1, 1, 1, 1], "Dilations": [1, 1, 1, 1, 1, 1, 1],
      "StartPadding": [0, 0, 0, 0, 0, 0, 0], "EndPadding": [0, 0, 0, 0, 0, 0, 0]})"),
      {"DimensionCount is 7, must be 1 to 6: one entry of WindowSizes each"});
  add("one spatial dimension for a picture",
      merge("", R"({"DimensionCount": 1, "WindowSizes": [3], "Strides": [1],
      "Dilations": [1], "StartPadding": [0], "EndPadding": [0]})"),
      {"DimensionCount is 1, must be 2: the spatial dimensions of " + image +
       ", which has N and C before them"});
  add("window of size 0", set("/WindowSizes/1", "0"),
      {"WindowSizes[1] is 0, must be >= 1: a window has at least one element"});
  add("stride 0", set("/Strides/0", "0"),
      {"Strides[0] is 0, must be >= 1: a stride of 0 never moves the window"});
  add("dilation 0", set("/Dilations/1", "0"),
      {"Dilations[1] is 0, must be >= 1: a dilation of 0 reads one element over and over"});
  add("everything 0",
      merge("", R"({"WindowSizes": [0, 0], "Strides": [0, 0], "Dilations": [0, 0]})"),
      {"WindowSizes[0] is 0, must be >= 1: a window has at least one element",
       "WindowSizes[1] is 0, must be >= 1: a window has at least one element",
       "Strides[0] is 0, must be >= 1: a stride of 0 never moves the window",
       "Strides[1] is 0, must be >= 1: a stride of 0 never moves the window",
       "Dilations[0] is 0, must be >= 1: a dilation of 0 reads one element over and over",
       "Dilations[1] is 0, must be >= 1: a dilation of 0 reads one element over and over"});
  const std::string spans = ": a window spans (WindowSizes - 1) * Dilations + 1 = ";
  add("dilated window taller than the padded image", set("/Dilations/0", "3"),
      {"WindowSizes[0] is 3, must be at most 2" + spans + "7, padded " + image +
       ".Sizes[2] is 5, padding 1+0"});
  add("dilated window larger than the padded image both ways", set("/Dilations", "[4294967295, 7]"),
      {"WindowSizes[0] is 3, must be at most 1" + spans + "8589934591, padded " + image +
           ".Sizes[2] is 5, padding 1+0",
       "WindowSizes[1] is 2, must be at most 1" + spans + "8, padded " + image +
           ".Sizes[3] is 6, padding 0+1"});
}

void add_unfold(std::vector<BadInput>& rows) {
  const auto add = [&](std::string name, Change change, std::vector<std::string> violations) {
    rows.push_back(in_desc("UNFOLD", std::move(name), std::move(change), std::move(violations)));
  };
  const std::string blocks =
      "BlockCount = 2 * 5 (InputTensor.Sizes 5x6, WindowSizes 3x2, Strides 2x1, Dilations 1x2, "
      "padding 1+0, 0+1)";
  const std::string far =
      "BlockCount = 2147483649 * 4294967300 (InputTensor.Sizes 5x6, WindowSizes 3x2, Strides 2x1, "
      "Dilations 1x2, padding 4294967295+0, 4294967295+1)";
  const std::string spans = ": a window spans (WindowSizes - 1) * Dilations + 1 = ";
  add("window taller than the padded image", set("/WindowSizes/0", "7"),
      {"UNFOLD.WindowSizes[0] is 7, must be at most 6" + spans +
           "7, padded InputTensor.Sizes[2] is 5, padding 1+0",
       "UNFOLD.OutputTensor.Sizes[1] is 18, must be 42: C * WindowSizes = 3 * 7 * 2"});
  add("largest window and dilation",
      merge("", R"({"WindowSizes": [4294967295, 1], "Dilations": [4294967295, 1]})"),
      {"UNFOLD.WindowSizes[0] is 4294967295, must be at most 1" + spans +
           "18446744060824649731, padded InputTensor.Sizes[2] is 5, padding 1+0",
       "UNFOLD.OutputTensor.Sizes[1] is 18: no size can hold C * WindowSizes = 3 * 4294967295 * "
       "1"});
  add("output of other blocks", set("/OutputTensor/Sizes/2", "11"),
      {"UNFOLD.OutputTensor.Sizes[2] is 11, must be 10: " + blocks});
  add("output of other rows", set("/OutputTensor/Sizes/1", "6"),
      {"UNFOLD.OutputTensor.Sizes[1] is 6, must be 18: C * WindowSizes = 3 * 3 * 2"});
  add("output of another batch", set("/OutputTensor/Sizes/0", "1"),
      {"UNFOLD.OutputTensor.Sizes[0] is 1, must be 2: the batch of InputTensor"});
  add("output wrong in every dimension", set("/OutputTensor/Sizes", "[3, 4, 5]"),
      {"UNFOLD.OutputTensor.Sizes[0] is 3, must be 2: the batch of InputTensor",
       "UNFOLD.OutputTensor.Sizes[1] is 4, must be 18: C * WindowSizes = 3 * 3 * 2",
       "UNFOLD.OutputTensor.Sizes[2] is 5, must be 10: " + blocks});
  add("output of four dimensions, the first not 1", set("/OutputTensor/Sizes", "[2, 1, 18, 10]"),
      {"UNFOLD.OutputTensor.Sizes[0] is 2, must be 1: only the last three dimensions of columns "
       "are used",
       "UNFOLD.OutputTensor.Sizes[1] is 1, must be 2: the batch of InputTensor"});
  add("output of five dimensions", set("/OutputTensor/Sizes", "[1, 1, 2, 18, 10]"),
      {"UNFOLD.OutputTensor.DimensionCount is 5, must be 3 or 4: columns are (N, C * WindowSizes, "
       "BlockCount), with leading ones up to the rank of InputTensor"});
  add("output of four dimensions for an input of three",
      merge("", R"({"InputTensor": {"DataType": "FLOAT32", "Sizes": [2, 3, 5]},
      "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 2, 9, 3]}, "DimensionCount": 1,
      "WindowSizes": [3], "Strides": [1], "Dilations": [1], "StartPadding": [0],
      "EndPadding": [0]})"),
      {"UNFOLD.OutputTensor.DimensionCount is 4, must be 3: columns are (N, C * WindowSizes, "
       "BlockCount), with leading ones up to the rank of InputTensor"});
  add("output of another type", set("/OutputTensor/DataType", "\"FLOAT16\""),
      {"UNFOLD.OutputTensor.DataType is FLOAT16, must be FLOAT32: the data type of InputTensor"});
  add("rows past 2^32",
      merge("", R"({"WindowSizes": [4294967295, 4], "StartPadding": [4294967295, 0]})"),
      {"UNFOLD.OutputTensor.Sizes[1] is 18: no size can hold C * WindowSizes = 3 * 4294967295 * 4",
       "UNFOLD.OutputTensor.Sizes[2] is 10, must be 3: BlockCount = 3 * 1 (InputTensor.Sizes 5x6, "
       "WindowSizes 4294967295x4, Strides 2x1, Dilations 1x2, padding 4294967295+0, 0+1)"});
  add("rows past 2^64", merge("", R"({"WindowSizes": [4294967295, 4294967295], "Dilations": [1, 1],
      "StartPadding": [4294967295, 4294967295]})"),
      {"UNFOLD.OutputTensor.Sizes[1] is 18: no size can hold C * WindowSizes = 3 * 4294967295 * "
       "4294967295",
       "UNFOLD.OutputTensor.Sizes[2] is 10, must be 24: BlockCount = 3 * 8 (InputTensor.Sizes 5x6, "
       "WindowSizes 4294967295x4294967295, Strides 2x1, Dilations 1x1, padding 4294967295+0, "
       "4294967295+1)"});
  add("blocks past 2^32", merge("", R"({"StartPadding": [4294967295, 4294967295]})"),
      {"UNFOLD.OutputTensor.Sizes[2] is 10: no size can hold " + far});
  add("inferred blocks past 2^32", merge("", R"({"OutputTensor": {"DataType": "FLOAT32"},
      "StartPadding": [4294967295, 4294967295]})"),
      {"UNFOLD.OutputTensor.Sizes[2] is to be inferred: no size can hold " + far});
  add("inferred rows past 2^32", merge("", R"({"OutputTensor": {"DataType": "FLOAT32"},
      "WindowSizes": [4294967295, 4], "StartPadding": [4294967295, 0]})"),
      {"UNFOLD.OutputTensor.Sizes[1] is to be inferred: no size can hold C * WindowSizes = 3 * "
       "4294967295 * 4"});
  add("inferred output of too many elements",
      merge("", R"({"OutputTensor": {"DataType": "FLOAT32"}, "StartPadding": [65535, 65535]})"),
      {"UNFOLD.OutputTensor.Sizes is 2x18x2147680260, must be at most 4294967295 elements: the "
       "limit of a tensor"});
  add("output and strides wrong at once",
      merge("", R"({"Strides": [0, 1], "OutputTensor": {"DataType": "FLOAT16", "Sizes": [2, 18, 10],
      "Strides": [1, 1, 1]}})"),
      {"UNFOLD.Strides[0] is 0, must be >= 1: a stride of 0 never moves the window",
       "UNFOLD.OutputTensor.Strides is 1x1x1, must be such that no two elements of 2x18x10 share "
       "an offset: each element is written once",
       "UNFOLD.OutputTensor.DataType is FLOAT16, must be FLOAT32: the data type of InputTensor"});
}

void add_fold(std::vector<BadInput>& rows) {
  const auto add = [&](std::string name, Change change, std::vector<std::string> violations) {
    rows.push_back(in_desc("FOLD", std::move(name), std::move(change), std::move(violations)));
  };
  const std::string blocks =
      "BlockCount = 2 * 5 (OutputTensor.Sizes 5x6, WindowSizes 3x2, Strides 2x1, Dilations 1x2, "
      "padding 1+0, 0+1)";
  add("window that the rows are not made of", set("/WindowSizes/0", "7"),
      {"FOLD.WindowSizes[0] is 7, must be at most 6: a window spans (WindowSizes - 1) * Dilations "
       "+ "
       "1 = 7, padded OutputTensor.Sizes[2] is 5, padding 1+0",
       "FOLD.InputTensor.Sizes[1] is 18, must be a multiple of 14: C * WindowSizes = C * 7 * 2"});
  add("input of other blocks", set("/InputTensor/Sizes/2", "9"),
      {"FOLD.InputTensor.Sizes[2] is 9, must be 10: " + blocks});
  add("input of rows that make no whole channel", set("/InputTensor/Sizes/1", "17"),
      {"FOLD.InputTensor.Sizes[1] is 17, must be a multiple of 6: C * WindowSizes = C * 3 * 2"});
  add("input of other channels", set("/InputTensor/Sizes/1", "12"),
      {"FOLD.OutputTensor.Sizes[1] is 3, must be 2: InputTensor.Sizes[1] 12 / WindowSizes 3x2"});
  add("output of another batch", set("/OutputTensor/Sizes/0", "5"),
      {"FOLD.OutputTensor.Sizes[0] is 5, must be 2: the batch of InputTensor"});
  add("output of other sizes", set("/OutputTensor/Sizes/2", "9"),
      {"FOLD.InputTensor.Sizes[2] is 10, must be 20: BlockCount = 4 * 5 (OutputTensor.Sizes 9x6, "
       "WindowSizes 3x2, Strides 2x1, Dilations 1x2, padding 1+0, 0+1)"});
  add("input of two dimensions", set("/InputTensor/Sizes", "[18, 10]"),
      {"FOLD.InputTensor.DimensionCount is 2, must be 3 to 8: one entry of Sizes each"});
  add("input of five dimensions", set("/InputTensor/Sizes", "[1, 1, 2, 18, 10]"),
      {"FOLD.InputTensor.DimensionCount is 5, must be 3 or 4: columns are (N, C * WindowSizes, "
       "BlockCount), with leading ones up to the rank of OutputTensor"});
  add("input of four dimensions, the first not 1", set("/InputTensor/Sizes", "[2, 1, 18, 10]"),
      {"FOLD.InputTensor.Sizes[0] is 2, must be 1: only the last three dimensions of columns are "
       "used",
       "FOLD.OutputTensor.Sizes[0] is 2, must be 1: the batch of InputTensor"});
  add("input of another type", set("/InputTensor/DataType", "\"FLOAT64\""),
      {"FOLD.OutputTensor.DataType is FLOAT32, must be FLOAT64: the data type of InputTensor"});
  add("window elements close to 2^64",
      merge("", R"({"WindowSizes": [4294967295, 4294967295], "Dilations": [1, 1],
      "StartPadding": [4294967295, 4294967295]})"),
      {"FOLD.InputTensor.Sizes[1] is 18, must be a multiple of 18446744065119617025: C * "
       "WindowSizes = C * 4294967295 * 4294967295",
       "FOLD.InputTensor.Sizes[2] is 10, must be 24: BlockCount = 3 * 8 (OutputTensor.Sizes 5x6, "
       "WindowSizes 4294967295x4294967295, Strides 2x1, Dilations 1x1, padding 4294967295+0, "
       "4294967295+1)"});
  add("blocks past 2^32", merge("", R"({"StartPadding": [4294967295, 4294967295]})"),
      {"FOLD.InputTensor.Sizes[2] is 10: no size can hold BlockCount = 2147483649 * 4294967300 "
       "(OutputTensor.Sizes 5x6, WindowSizes 3x2, Strides 2x1, Dilations 1x2, padding "
       "4294967295+0, 4294967295+1)"});
  add("output sizes left out", remove("/OutputTensor/Sizes"),
      {"field \"Sizes\" of OutputTensor is missing: several sizes of FOLD's output fit the same "
       "input"});
}

}  // namespace

std::vector<BadInput> bad_windows() {
  std::vector<BadInput> rows;
  add_arrays(rows, "UNFOLD");
  add_arrays(rows, "FOLD");
  add_unfold(rows);
  add_fold(rows);
  return rows;
}

}  // namespace weft::testing
