#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "cli/model_folder.h"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

TEST(ShapeTest, InfersOperators) {
  const auto shape = [](const std::string& arguments) {
    const Outcome outcome = run_shell("weft shape " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_EQ(shape("convolution --input 1,3,224,224 --filter 64,3,7,7 --strides 2,2 --padding 3,3"),
            "1,64,112,112\n");
  EXPECT_EQ(shape("convolution --input 1,4,8 --filter 4,2,3 --direction backward --groups 2 "
                  "--strides 2 --output-padding 1"),
            "1,4,18\n");
  EXPECT_EQ(shape("unfold --input 1,1,5,5 --window 3 --start-padding 1,0 --end-padding 1,0"),
            "1,9,15\n");
  EXPECT_EQ(shape("fold --output 2,3,4,4 --window 3,3 --dilations 1"), "2,27,4\n");
  EXPECT_EQ(shape("resample --input 1,3,32,32 --scales 1,1,2,0.5"), "1,3,64,16\n");
}

TEST(ShapeTest, PrintsJson) {
  rapidjson::Document json;
  json.Parse(run_shell("weft shape fold --output 1,1,4,4 --window 3 --json").out.c_str());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_STREQ(json["operator"].GetString(), "fold");
  EXPECT_STREQ(json["tensor"].GetString(), "InputTensor");
  EXPECT_EQ(json["sizes"][1].GetUint(), 9u);
}

TEST(ShapeTest, ReadsModels) {
  const ModelFolder folder;
  folder.write("model.json", unfold_model());
  EXPECT_EQ(folder.weft("shape model.json").out,
            "unfold: UNFOLD\n"
            "  InputTensor   FLOAT32  1x1x5x5\n"
            "  OutputTensor  FLOAT32  1x9x9\n");
  rapidjson::Document json;
  json.Parse(folder.weft("shape model.json unfold --json").out.c_str());
  ASSERT_FALSE(json.HasParseError());
  const auto& tensor = json["dispatchables"][0]["tensors"]["OutputTensor"];
  EXPECT_EQ(tensor["sizes"][2].GetUint(), 9u);
  EXPECT_EQ(tensor["size_in_bytes"].GetUint(), 324u);
  EXPECT_EQ(folder.weft("shape model.json unfolt").err,
            "weft: error: model.json: /dispatchables: there is no \"unfolt\" (did you mean "
            "\"unfold\"?)\n");
}

TEST(ShapeTest, RefusesWhatDoesNotFit) {
  const auto message = [](const std::string& arguments) {
    const Outcome outcome = run_shell("weft shape " + arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_EQ(message("unfold --input 1,1,5,5"),
            "weft: error: --window: is missing: unfold needs it\n");
  EXPECT_EQ(message("unfold --input 1,1,5,5 --window 3 --filter 1,1,3,3"),
            "weft: error: --filter: unfold does not take it\n");
  EXPECT_EQ(message("examples/unfold.json --strides 1"),
            "weft: error: --strides: describes an operator, not a model\n");
  EXPECT_EQ(message("unfold x --input 1,1,5,5 --window 3"),
            "weft: error: x: only a model has named operators\n");
  EXPECT_THAT(message("unfold --input 1,1,5,5 --window 7"), HasSubstr("UNFOLD.WindowSizes[0]"));
  EXPECT_THAT(message("unfold --input 1,1,5,5 --window 3 --padding 1 --end-padding 1"),
              HasSubstr("weft: error: --padding: "));
  EXPECT_THAT(message("unfold --input 1,1,5,-5 --window 3"), HasSubstr("weft: error: "));
  EXPECT_THAT(message("unfold --input 1,1,5,4294967296 --window 3"), HasSubstr("weft: error: "));
  EXPECT_THAT(message("none.json"), HasSubstr("none.json: cannot open"));
}

}  // namespace
}  // namespace weft::testing
