#include "weft/info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>
#include <vector>

#include "support/command.h"
#include "weft/operator.h"

namespace weft::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<std::string> strings(const rapidjson::Value& array) {
  std::vector<std::string> result;
  for (const auto& value : array.GetArray()) result.emplace_back(value.GetString());
  return result;
}

TEST(InfoTest, TextNamesEveryOperator) {
  const Outcome outcome = run_shell("weft info");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("DirectML feature level 6_4"));
  for (const OperatorType type : all_operator_types()) {
    std::string start = "\n";
    start.append(name(type)).append(" ");
    EXPECT_THAT(outcome.out, HasSubstr(start));
  }
}

TEST(InfoTest, JsonHoldsTheSupportTable) {
  rapidjson::Document json;
  json.Parse(run_shell("weft info --json").out.c_str());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_EQ(json["version"].GetString(), version());
  EXPECT_EQ(json["feature_level"].GetString(), feature_level());
  EXPECT_GE(json["threads"].GetUint(), 1u);
  ASSERT_EQ(json["operators"].Size(), operator_support().size());
  for (rapidjson::SizeType i = 0; i < json["operators"].Size(); ++i) {
    const rapidjson::Value& row = json["operators"][i];
    const OperatorSupport& expected = operator_support()[i];
    EXPECT_EQ(row["name"].GetString(), name(expected.type));
    EXPECT_EQ(row["feature_level"].GetString(), expected.first_feature_level);
    EXPECT_EQ(row["min_dimension_count"].GetUint(), expected.min_dimension_count);
    EXPECT_EQ(row["max_dimension_count"].GetUint(), expected.max_dimension_count);
    EXPECT_EQ(row["fusable"].GetBool(), expected.fusable);
    EXPECT_EQ(row["data_types"].Size(), expected.data_types.size());
  }
}

TEST(InfoTest, MaxIsaCapsTheInstructionSet) {
  rapidjson::Document json;
  json.Parse(run_shell("WEFT_MAX_ISA=base weft info --json").out.c_str());
  ASSERT_FALSE(json.HasParseError());
  const rapidjson::Value& sets = json["instruction_sets"];
  EXPECT_STREQ(sets["used"].GetString(), "base");
  EXPECT_THAT(strings(sets["built"]), Contains("base"));
  EXPECT_THAT(strings(sets["found"]), Contains("base"));
  EXPECT_THAT(run_shell("WEFT_MAX_ISA=base weft info").out, HasSubstr("base (WEFT_MAX_ISA=base)"));
}

TEST(InfoTest, UnknownMaxIsaIsRefused) {
  const std::string message =
      "WEFT_MAX_ISA is \"mmx\", must be one of base, sse4, avx2, avx512, amx";
  const Outcome text = run_shell("WEFT_MAX_ISA=mmx weft info");
  EXPECT_EQ(text.status, 2);
  EXPECT_EQ(text.out, "");
  EXPECT_EQ(text.err, "weft: error: " + message + "\n");
  const Outcome json = run_shell("WEFT_MAX_ISA=mmx weft info --json");
  EXPECT_EQ(json.status, 2);
  EXPECT_EQ(json.err, text.err);
  rapidjson::Document document;
  document.Parse(json.out.c_str());
  ASSERT_FALSE(document.HasParseError()) << json.out;
  EXPECT_EQ(document["problems"][0]["message"].GetString(), message);
}

}  // namespace
}  // namespace weft::testing
