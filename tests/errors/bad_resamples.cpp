// The rules of RESAMPLE and its kin. The good models scale the height of a 1x2x3x4 input by 2.

#include "errors/bad_input.h"

namespace weft::testing {

std::vector<BadInput> bad_resamples() {
  std::vector<BadInput> rows;
  for (const std::string op : {"RESAMPLE", "RESAMPLE1", "RESAMPLE2", "RESAMPLE3"}) {
    const auto add = [&](std::string name, Change change, std::vector<std::string> violations) {
      for (std::string& violation : violations) violation = op + '.' + violation;
      rows.push_back(in_desc(op, std::move(name), std::move(change), std::move(violations)));
    };
    const bool first = op == "RESAMPLE";
    const std::string count = first ? "ScaleCount" : "DimensionCount";
    const std::string scale_rule =
        ", must be >= 0: output over input; 0 and infinity read from -InputPixelOffsets alone";
    add("negative scale", set("/Scales/2", "-2"), {"Scales[2] is -2" + scale_rule});
    add("scale that is not a number", set("/Scales/0", "\"nan\""),
        {"Scales[0] is nan" + scale_rule});
    add("scale minus infinity", set("/Scales/0", "\"-inf\""), {"Scales[0] is -inf" + scale_rule});
    add("three scales",
        first ? merge("", R"({"ScaleCount": 3, "Scales": [1, 2, 1]})")
              : merge("", R"({"DimensionCount": 3, "Scales": [1, 2, 1],
                "InputPixelOffsets": [0, 0, 0], "OutputPixelOffsets": [0, 0, 0]})"),
        first ? std::vector<std::string>{"Scales is 3 entries, must be 4 entries: "
                                         "DimensionCount of InputTensor"}
              : std::vector<std::string>{
                    "Scales is 3 entries, must be 4 entries: DimensionCount of InputTensor",
                    "InputPixelOffsets is 3 entries, must be 4 entries: DimensionCount of "
                    "InputTensor",
                    "OutputPixelOffsets is 3 entries, must be 4 entries: DimensionCount of "
                    "InputTensor"});
    add("output of three dimensions", set("/OutputTensor/Sizes", "[2, 6, 4]"),
        {"OutputTensor.DimensionCount is 3, must be 4: the DimensionCount of InputTensor"});
    add("output of another type", set("/OutputTensor/DataType", "\"UINT8\""),
        {"OutputTensor.DataType is UINT8, must be FLOAT32: the data type of InputTensor"});
    add("inferred output of no size",
        merge("", R"({"Scales": [1, 1, 0.1, 1], "OutputTensor": {"DataType": "FLOAT32"}})"),
        {"Scales[2] is 0.1, must be such that 1 <= size < 2^32: output size = floor(3 * scale)"});
    add("inferred output of an infinite size",
        merge("", R"({"Scales": [1, 1, "inf", 1], "OutputTensor": {"DataType": "FLOAT32"}})"),
        {"Scales[2] is inf, must be such that 1 <= size < 2^32: output size = floor(3 * scale)"});
    add("inferred output of too many elements",
        merge("", R"({"Scales": [65536, 65536, 1, 1], "OutputTensor": {"DataType": "FLOAT32"}})"),
        {"OutputTensor.Sizes is 65536x131072x3x4, must be at most 4294967295 elements: "
         "the limit of a tensor"});
    if (first) continue;
    add("infinite offset", set("/InputPixelOffsets/3", "\"inf\""),
        {"InputPixelOffsets[3] is inf, must be finite: a distance in pixels"});
    add("offset that is not a number", set("/OutputPixelOffsets/1", "\"NaN\""),
        {"OutputPixelOffsets[1] is nan, must be finite: a distance in pixels"});
    add("scale and offsets wrong at once",
        merge("", R"({"Scales": [1, -1, 1, 1], "InputPixelOffsets": ["nan", 0, 0, 0],
        "OutputPixelOffsets": [0, 0, 0, "-inf"]})"),
        {"Scales[1] is -1" + scale_rule,
         "InputPixelOffsets[0] is nan, must be finite: a distance in pixels",
         "OutputPixelOffsets[3] is -inf, must be finite: a distance in pixels"});
  }
  return rows;
}

}  // namespace weft::testing
