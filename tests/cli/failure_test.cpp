// What stands on standard output when a command fails: with --json, one document that has the
// problems of standard error, whatever failed and however early.

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "cli/model_folder.h"
#include "cli/png_files.h"

namespace weft::testing {
namespace {

struct Failure {
  std::string command;  // with --json
  std::string verdict;  // the field that is false
};

class FailureTest : public ::testing::TestWithParam<Failure> {};

TEST_P(FailureTest, IsOneDocument) {
  const ModelFolder folder;
  folder.write("model.json", unfold_model());
  folder.write("full.json", unfold_model(R"({"type": "print", "resource": "y"},
                   {"type": "writeFile", "resource": "y", "targetPath": "/dev/full"})"));
  folder.write("in.png", png_bytes({1, 1}, png_rows({{7}})));
  const Outcome outcome = run_shell(GetParam().command, folder.path(""));
  EXPECT_EQ(outcome.status, 2);
  rapidjson::Document json;
  json.Parse(outcome.out.c_str());
  ASSERT_FALSE(json.HasParseError()) << outcome.out;
  ASSERT_TRUE(json.HasMember(GetParam().verdict.c_str())) << outcome.out;
  EXPECT_FALSE(json[GetParam().verdict.c_str()].GetBool());
  ASSERT_GE(json["problems"].Size(), 1u);
  for (const auto& problem : json["problems"].GetArray()) {
    EXPECT_NE(outcome.err.find(problem["message"].GetString()), std::string::npos) << outcome.err;
  }
}

const std::string no_such_isa = "WEFT_MAX_ISA=mmx ";

INSTANTIATE_TEST_SUITE_P(
    All, FailureTest,
    ::testing::Values(
        // A rule of an operator, a file, an instruction set, an option, an argument left out.
        Failure{"weft shape unfold --input 1,1,5,5 --window 9,9 --json", "valid"},
        Failure{"weft shape unfold --input 1,1,5,5 --json", "valid"},
        Failure{"weft shape unflod --json", "valid"},
        Failure{"weft shape model.json fold --json", "valid"},
        Failure{no_such_isa + "weft shape unfold --input 1,1,5,5 --window 3 --json", "valid"},
        Failure{"weft shape --json", "valid"}, Failure{"weft check none.json --json", "valid"},
        Failure{no_such_isa + "weft check model.json --json", "valid"},
        Failure{"weft check model.json --fast --json", "valid"},
        Failure{"weft run none.json --json", "passed"},
        Failure{"weft run full.json --json", "passed"},
        Failure{no_such_isa + "weft run model.json --json", "passed"},
        Failure{"weft run model.json --json --threads 5000", "passed"},
        Failure{"weft run model.json --threads 5000 --json", "passed"},
        Failure{"weft image none.png out.png --scale 2 --json", "valid"},
        Failure{"weft image in.png none/out.png --scale 2 --json", "valid"},
        Failure{"weft image in.png out.png --scale 0 --json", "valid"},
        Failure{no_such_isa + "weft image in.png out.png --scale 2 --json", "valid"},
        Failure{"weft image in.png out.png --json", "valid"},
        Failure{no_such_isa + "weft info --json", "valid"},
        Failure{"weft info --json --markdown", "valid"}, Failure{"weft walk --json", "valid"}));

// A document is UTF-8, also where the name of a file is not.
TEST(FailureTest, NamesOfFilesAreMadePrintable) {
  const Outcome outcome = run_shell("weft check $'\\xff\\n.json' --json");
  rapidjson::Document json;
  json.Parse<rapidjson::kParseValidateEncodingFlag>(outcome.out.c_str());
  ASSERT_FALSE(json.HasParseError()) << outcome.out;
  EXPECT_STREQ(json["problems"][0]["place"].GetString(), "\\xff\\x0a.json");
}

TEST(FailureTest, WithoutJsonNothingIsPrinted) {
  EXPECT_EQ(run_shell("weft check --fast -- --json").out, "");  // a file of that name
  for (const std::string command :
       {"weft info", "weft shape unfold --input 1 --window 3", "weft run examples/unfold.json"}) {
    const Outcome outcome = run_shell(no_such_isa + command);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace weft::testing
