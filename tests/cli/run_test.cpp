#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "cli/model_folder.h"
#include "weft/convolution.h"

namespace weft::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kUnfolded =
    "FLOAT32 1x9x9\n"
    "   0   1   2   5   6   7  10  11  12\n"
    "   1   2   3   6   7   8  11  12  13\n";

constexpr const char* kPrintY = R"({"type": "print", "resource": "y"})";

TEST(RunTest, DispatchesAndPrints) {
  const ModelFolder folder;
  const Outcome outcome = folder.run(unfold_model(kPrintY));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, MatchesRegex("Dispatch 'unfold': 1 iterations, [0-9.]+ ms median "
                                        "\\(CPU\\)\nResource 'y': (.|\n)*"));
  EXPECT_THAT(outcome.out, HasSubstr(kUnfolded));
}

TEST(RunTest, ShowsTimesPlansAndCommands) {
  const ModelFolder folder;
  const Outcome outcome =
      folder.run(unfold_model(kPrintY), "-i 3 -v 2 --explain-plan --print_commands --threads 2");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      AllOf(StartsWith("Command dispatch unfold: InputTensor = x, OutputTensor = y\n"),
            HasSubstr("\nPlan 'unfold': UNFOLD: unfold_"), HasSubstr("\nInitialize 'unfold': "),
            HasSubstr("\nDispatch 'unfold': 3 iterations\n"),
            HasSubstr("\nCPU Timings (Cold) : 1 samples, "),
            HasSubstr("\nCPU Timings (Hot)  : 2 samples, "), HasSubstr("\niteration 2: "),
            Not(HasSubstr("iteration 3")), HasSubstr("\nCommand print y\n")));
}

TEST(RunTest, MetaCommandsCanBeDisabled) {
  const auto plan = [](const std::string& flags) {
    const ModelFolder folder;
    const std::string zeros = R"({"initialValuesDataType": "FLOAT32", "initialValues":)";
    const Outcome outcome = folder.run(R"({"resources": {"x": )" + zeros +
                                           R"({"valueCount": 401408, "value": 0}},
            "w": )" + zeros + R"({"valueCount": 147456, "value": 0}},
            "y": )" + zeros + R"({"valueCount": 401408, "value": 0}}},
          "dispatchables": {"conv": {"type": "DML_OPERATOR_CONVOLUTION", "executionFlags": ")" +
                                           flags + R"(", "desc": {
            "InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 128, 56, 56]},
            "FilterTensor": {"DataType": "FLOAT32", "Sizes": [128, 128, 3, 3]},
            "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 128, 56, 56]},
            "Mode": "CROSS_CORRELATION", "Direction": "FORWARD", "DimensionCount": 2,
            "Strides": [1, 1], "Dilations": [1, 1], "StartPadding": [1, 1], "EndPadding": [1, 1],
            "OutputPadding": [0, 0], "GroupCount": 1}}},
          "commands": [{"type": "dispatch", "dispatchable": "conv",
            "bindings": {"InputTensor": "x", "FilterTensor": "w", "OutputTensor": "y"}}]})",
                                       "--explain-plan");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  // What the library takes on this machine; its own tests know which way that has to be.
  ConvolutionParams params;
  params.mode = ConvolutionMode::cross_correlation;
  params.input.sizes = params.output.sizes = {1, 128, 56, 56};
  params.filter.sizes = {128, 128, 3, 3};
  params.start_padding = params.end_padding = {1, 1};
  const auto way = [&](Winograd winograd) {
    return "CONVOLUTION: " + std::string(weft::plan(params, {.winograd = winograd}).algorithm()) +
           ",";
  };
  EXPECT_THAT(plan("NONE"), HasSubstr(way(Winograd::accurate)));
  EXPECT_THAT(plan("DISABLE_META_COMMANDS"),
              AllOf(HasSubstr(way(Winograd::never)), Not(HasSubstr("winograd"))));
}

TEST(RunTest, JsonHoldsEveryCommand) {
  const ModelFolder folder;
  const Outcome outcome =
      folder.run(unfold_model(std::string(kPrintY) +
                              R"(, {"type": "writeFile", "resource": "y", "targetPath": "y.npy"},
                        {"type": "expect", "resource": "x", "values": [)" +
                              "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,25" +
                              R"(], "atol": 0.5})"),
                 "--json -i 2");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  rapidjson::Document json;
  json.Parse(outcome.out.c_str());
  ASSERT_FALSE(json.HasParseError()) << outcome.out;
  EXPECT_FALSE(json["passed"].GetBool());
  const auto& commands = json["commands"];
  ASSERT_EQ(commands.Size(), 4u);
  EXPECT_STREQ(commands[0]["type"].GetString(), "dispatch");
  EXPECT_STREQ(commands[0]["dispatchable"].GetString(), "unfold");
  EXPECT_STREQ(commands[0]["operator"].GetString(), "UNFOLD");
  EXPECT_THAT(commands[0]["algorithm"].GetString(), StartsWith("unfold_"));
  EXPECT_TRUE(commands[0]["workspace_bytes"].IsUint64());
  EXPECT_GT(commands[0]["median_us"].GetDouble(), 0);
  EXPECT_STREQ(commands[1]["data_type"].GetString(), "FLOAT32");
  EXPECT_EQ(commands[1]["shape"].Size(), 3u);
  EXPECT_EQ(commands[1]["values"].Size(), 81u);
  EXPECT_EQ(commands[1]["values"][80].GetDouble(), 24);
  EXPECT_THAT(commands[2]["path"].GetString(), HasSubstr("y.npy"));
  EXPECT_FALSE(commands[3]["passed"].GetBool());
  EXPECT_EQ(commands[3]["wrong_count"].GetUint(), 1u);
  EXPECT_EQ(commands[3]["first_wrong"]["index"].GetUint(), 24u);
}

// A plan comes with the time that it took, whether or not -i asks for it.
TEST(RunTest, ExplainedPlansAreTimed) {
  const ModelFolder folder;
  rapidjson::Document explained, plain;
  explained.Parse(folder.run(unfold_model(), "--json --explain-plan").out.c_str());
  plain.Parse(folder.run(unfold_model(), "--json").out.c_str());
  const auto& times = explained["commands"][0];
  EXPECT_THAT(times["plan"].GetString(), StartsWith("UNFOLD: unfold_"));
  EXPECT_EQ(times["iterations"].GetUint(), 1u);
  EXPECT_GT(times["median_us"].GetDouble(), 0);
  EXPECT_FALSE(plain["commands"][0].HasMember("median_us"));
}

TEST(RunTest, JsonListsProblems) {
  const ModelFolder folder;
  const Outcome outcome = folder.run("{}", "--json");
  EXPECT_EQ(outcome.status, 2);
  rapidjson::Document json;
  json.Parse(outcome.out.c_str());
  ASSERT_FALSE(json.HasParseError()) << outcome.out;
  ASSERT_EQ(json["problems"].Size(), 3u);
  EXPECT_STREQ(json["problems"][0]["place"].GetString(), "model.json: /");
  EXPECT_STREQ(json["problems"][0]["message"].GetString(), "field \"resources\" is missing");
}

// --- bindings

std::string identity_model(const std::string& bindings, const std::string& init = "",
                           const std::string& flags = "NONE") {
  return R"({"resources": {
      "x": {"initialValuesDataType": "FLOAT32",
            "initialValues": {"valueCount": 16, "valueStart": 0, "valueDelta": 1}},
      "y": {"initialValuesDataType": "FLOAT32", "initialValues": [0, 0, 0, 0]}},
    "dispatchables": {"copy": {"type": "ELEMENT_WISE_IDENTITY", )" +
         init + R"("desc": {
      "InputTensor": {"DataType": "FLOAT32", "Sizes": [4], "Flags": ")" +
         flags + R"("},
      "OutputTensor": {"DataType": "FLOAT32", "Sizes": [4]}}}},
    "commands": [{"type": "dispatch", "dispatchable": "copy", "bindings": )" +
         bindings + R"(},
                 {"type": "print", "resource": "y"}]})";
}

TEST(BindingTest, TakesPartsOfResources) {
  const ModelFolder folder;
  for (const std::string input :
       {R"({"name": "x", "elementOffset": 4})",
        R"([{"name": "x", "elementOffset": 4, "elementCount": 4, "format": "R32_FLOAT"}])",
        R"({"name": "x", "elementOffset": 1, "elementCount": 1, "elementSizeInBytes": 16})"}) {
    const Outcome outcome =
        folder.run(identity_model(R"({"InputTensor": )" + input + R"(, "OutputTensor": "y"})"));
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("Resource 'y': 4, 5, 6, 7\n"));
  }
}

TEST(BindingTest, OwnedTensorsAreBoundAtInitialization) {
  const ModelFolder folder;
  const std::string init = R"("bindings": {"InputTensor": "x"}, )";
  const Outcome outcome =
      folder.run(identity_model(R"({"OutputTensor": "y"})", init, "OWNED_BY_DML"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("Resource 'y': 0, 1, 2, 3\n"));
}

TEST(BindingTest, OwnedFilterIsPackedOnce) {
  const ModelFolder folder;
  // The filter's resource is overwritten before the convolution reads it: the copy made at
  // initialization counts.
  const Outcome outcome = folder.run(R"({"resources": {
      "x": {"initialValuesDataType": "FLOAT32", "initialValues": [1, 2, 3, 4]},
      "w": {"initialValuesDataType": "FLOAT32", "initialValues": [1, 10]},
      "y": {"initialValuesDataType": "FLOAT32", "initialValues": [0, 0, 0]}},
    "dispatchables": {
      "spoil": {"type": "ELEMENT_WISE_IDENTITY", "desc": {
        "InputTensor": {"DataType": "FLOAT32", "Sizes": [2]},
        "OutputTensor": {"DataType": "FLOAT32"}}},
      "conv": {"type": "DML_OPERATOR_CONVOLUTION", "bindings": {"FilterTensor": "w"}, "desc": {
        "InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 4]},
        "FilterTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 2],
                         "Flags": ["DML_TENSOR_FLAG_OWNED_BY_DML"]},
        "OutputTensor": {"DataType": "FLOAT32"},
        "Mode": "DML_CONVOLUTION_MODE_CROSS_CORRELATION", "Direction": "FORWARD",
        "DimensionCount": 1, "Strides": [1], "Dilations": [1], "StartPadding": [0],
        "EndPadding": [0], "OutputPadding": [0], "GroupCount": 1}}},
    "commands": [
      {"type": "dispatch", "dispatchable": "spoil",
       "bindings": {"InputTensor": "x", "OutputTensor": "w"}},
      {"type": "dispatch", "dispatchable": "conv",
       "bindings": {"InputTensor": "x", "OutputTensor": "y"}},
      {"type": "expect", "resource": "y", "values": [21, 32, 43]}]})");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
}

TEST(RunTest, FindsFilesWhereItIsTold) {
  const ModelFolder folder;
  std::filesystem::create_directory(folder.path("in"));
  std::filesystem::create_directory(folder.path("out"));
  folder.write("in/x.bin", "a");
  const std::string model = R"({"resources": {"x": {"initialValuesDataType": "UINT8",
      "initialValues": {"sourcePath": "x.bin"}}}, "dispatchables": {},
      "commands": [{"type": "writeFile", "resource": "x", "targetPath": "y.bin"}]})";
  EXPECT_EQ(folder.run(model).status, 2);
  for (const std::string options :
       {"--input-path in --output-path out", "--input_path in --output_path out"}) {
    EXPECT_EQ(folder.run(model, options).status, 0);
    EXPECT_EQ(folder.read("out/y.bin"), "a");
    std::filesystem::remove(folder.path("out/y.bin"));
  }
}

TEST(RunTest, PrintsLongTensorsShort) {
  const ModelFolder folder;
  const auto print = [&](const std::string& more) {
    return folder
        .run(R"({"resources": {"x": {"initialValuesDataType": "INT16",
        "initialValues": {"valueCount": 2000, "valueStart": 0, "valueDelta": 1}}},
        "dispatchables": {}, "commands": [{"type": "print", "resource": "x")" +
             more + "}]}")
        .out;
  };
  EXPECT_EQ(print(""), "Resource 'x': 0, 1, 2, ..., 1997, 1998, 1999 (2000 elements)\n");
  EXPECT_THAT(print(", \"verbose\": true"), HasSubstr(", 1000, 1001, "));
}

TEST(RunTest, ColorsOnTerminalsOnly) {
  const ModelFolder folder;
  folder.write("model.json", unfold_model(R"({"type": "expect", "resource": "y",
      "values": {"valueCount": 81, "value": 1}})"));
  const auto output = [&](const std::string& line) { return run_shell(line, folder.path("")).out; };
  const std::string red = "\x1b[31mfailed\x1b[0m";
  const std::string on_terminal = "script -qec 'weft run model.json' /dev/null";
  EXPECT_THAT(output("weft run model.json"), Not(HasSubstr("\x1b")));
  if (run_shell("script -qec true /dev/null", folder.path("")).status != 0) {
    GTEST_SKIP() << "this machine has no pseudo-terminals";
  }
  EXPECT_THAT(output("TERM=xterm " + on_terminal), HasSubstr(red));
  EXPECT_THAT(output("TERM=xterm NO_COLOR=1 " + on_terminal), Not(HasSubstr("\x1b")));
  EXPECT_THAT(output("TERM=dumb " + on_terminal), Not(HasSubstr("\x1b")));
}

TEST(RunTest, OutputThatCannotBeWrittenIsAnError) {
  const ModelFolder folder;
  folder.write("model.json", unfold_model(kPrintY));
  const Outcome outcome = run_shell("weft run model.json > /dev/full", folder.path(""));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("weft: error: "));
}

TEST(RunTest, ReadsAModelFromAPipe) {
  const ModelFolder folder;
  folder.write("model.json", unfold_model(kPrintY));
  const Outcome outcome = run_shell("cat model.json | weft run /dev/stdin", folder.path(""));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(RunTest, TellsAboutItself) {
  const ModelFolder folder;
  EXPECT_EQ(folder.weft("--help").status, 0);
  EXPECT_THAT(folder.weft("--version").out, StartsWith("weft "));
}

}  // namespace
}  // namespace weft::testing
