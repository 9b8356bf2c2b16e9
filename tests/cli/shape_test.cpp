#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cctype>
#include <string>

#include "cli/model_folder.h"
#include "weft/operator_type.h"

namespace weft::testing {
namespace {

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
}

// Under DirectML's name and any spelling of it.
TEST(ShapeTest, TakesEveryOperator) {
  const auto arguments = [](OperatorType type) -> std::string {
    if (type == OperatorType::convolution) return "--input 1,2,8 --filter 4,2,3";
    if (type == OperatorType::unfold) return "--input 1,2,8 --window 3";
    if (type == OperatorType::fold) return "--output 1,2,8 --window 3";
    return name(type).starts_with("RESAMPLE") ? "--input 1,2,8 --scales 1,1,0.5" : "--input 1,2,8";
  };
  const auto expected = [](OperatorType type) -> std::string {
    if (type == OperatorType::convolution) return "1,4,6\n";
    if (type == OperatorType::unfold || type == OperatorType::fold) return "1,6,6\n";
    return name(type).starts_with("RESAMPLE") ? "1,2,4\n" : "1,2,8\n";
  };
  for (const OperatorType type : all_operator_types()) {
    std::string lower(name(type));
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string upper(name(type));
    for (const std::string& spelling :
         {upper, lower, "DML_OPERATOR_" + upper, "dml_operator_" + lower}) {
      const Outcome outcome = run_shell("weft shape " + spelling + " " + arguments(type));
      EXPECT_EQ(outcome.err, "");
      EXPECT_EQ(outcome.out, expected(type)) << spelling;
    }
  }
}

TEST(ShapeTest, PrintsJson) {
  rapidjson::Document json;
  json.Parse(run_shell("weft shape fold --output 1,1,4,4 --window 3 --json").out.c_str());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_STREQ(json["operator"].GetString(), "FOLD");
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

}  // namespace
}  // namespace weft::testing
