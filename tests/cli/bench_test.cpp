// `weft bench` on shapes that take no time: what it prints, whom it believes, what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/model_folder.h"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kQuick = " --rounds 2 --seconds 0.01";

// One of each operator, with all that a file may say.
const std::string convolution_shape =
    R"({"id": "conv", "op": "CONVOLUTION", "direction": "FORWARD", "mode": "CROSS_CORRELATION",
        "source": "made up", "dtype": "FLOAT32", "input": [2, 4, 9, 9], "filter": [6, 2, 3, 3],
        "bias": true, "output": [2, 6, 5, 5], "strides": [2, 2], "dilations": [1, 1],
        "start_padding": [1, 1], "end_padding": [1, 1], "output_padding": [0, 0], "groups": 2,
        "activation": "RELU", "flops": 1, "tier": 2})";
const std::string backward_shape =
    R"({"id": "back", "op": "CONVOLUTION", "direction": "BACKWARD", "mode": "CROSS_CORRELATION",
        "dtype": "FLOAT32", "input": [1, 6, 5], "filter": [6, 4, 4], "bias": false,
        "output": [1, 12, 12], "strides": [2], "dilations": [1], "start_padding": [0],
        "end_padding": [0], "output_padding": [0], "groups": 3, "activation": null})";
const std::string unfold_shape =
    R"({"id": "unfold", "op": "UNFOLD", "dtype": "FLOAT32", "input": [1, 3, 8, 8],
        "output": [1, 27, 16], "window": [3, 3], "strides": [2, 2], "dilations": [1, 1],
        "start_padding": [1, 1], "end_padding": [0, 0]})";
const std::string fold_shape =
    R"({"id": "fold", "op": "FOLD", "dtype": "FLOAT16", "input": [1, 27, 36],
        "output": [1, 3, 8, 8], "window": [3, 3], "strides": [1, 1], "dilations": [1, 1],
        "start_padding": [0, 0], "end_padding": [0, 0]})";
const std::string resample_shape =
    R"({"id": "resample", "op": "RESAMPLE2", "mode": "LINEAR", "rounding": "DECREASING",
        "dtype": "UINT8", "input": [1, 2, 6, 6], "output": [1, 2, 12, 12],
        "scales": [1, 1, 2, 2], "input_pixel_offsets": [0, 0, 0.5, 0.5],
        "output_pixel_offsets": [0, 0, -0.5, -0.5]})";

std::string list(const std::vector<std::string>& shapes) {
  std::string text = "[";
  for (const std::string& shape : shapes) text += (text.size() > 1 ? ",\n" : "") + shape;
  return text + "]\n";
}

std::string everything() {
  return list({convolution_shape, backward_shape, unfold_shape, fold_shape, resample_shape});
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Runs `weft bench` on these shapes, quickly.
Outcome bench(const ModelFolder& folder, const std::string& shapes, const std::string& options) {
  folder.write("shapes.json", shapes);
  return folder.weft("bench --shapes shapes.json" + std::string(kQuick) + " " + options);
}

rapidjson::Document document(const Outcome& outcome) {
  rapidjson::Document json;
  json.Parse(outcome.out.c_str());
  EXPECT_FALSE(json.HasParseError()) << outcome.out << outcome.err;
  return json;
}

TEST(BenchTest, JsonHasEveryFigure) {
  const ModelFolder folder;
  const Outcome outcome = bench(folder, everything(), "--peers none --threads 1,2 --json");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  const rapidjson::Document json = document(outcome);
  EXPECT_GE(json["machine"]["cores"].GetUint(), 1u);
  EXPECT_TRUE(json["machine"]["processor"].IsString());
  ASSERT_EQ(json["limits"].Size(), 2u);
  EXPECT_GT(json["limits"][0]["fma_gflops"].GetDouble(), 0);
  EXPECT_GT(json["limits"][1]["copy_gbytes"].GetDouble(), 0);
  ASSERT_EQ(json["rows"].Size(), 10u);
  for (const auto& row : json["rows"].GetArray()) {
    EXPECT_GT(row["weft"]["min_us"].GetDouble(), 0);
    EXPECT_GE(row["weft"]["median_us"].GetDouble(), row["weft"]["min_us"].GetDouble());
    EXPECT_STRNE(row["weft"]["algorithm"].GetString(), "");
    EXPECT_STRNE(row["weft"]["isa"].GetString(), "");
    EXPECT_GT(row["limit"]["us"].GetDouble(), 0);
    EXPECT_EQ(row["disagreements"].Size(), 0u);
  }
  // 2 x 6 x 5 x 5 outputs of 2 x 3 x 3 terms; 4 bytes an element of input, filter, bias, output.
  const auto& row = json["rows"][0];
  EXPECT_STREQ(row["id"].GetString(), "conv");
  EXPECT_STREQ(row["family"].GetString(), "CONVOLUTION FORWARD FLOAT32");
  EXPECT_EQ(row["flops"].GetDouble(), 2.0 * 300 * 18);
  EXPECT_EQ(row["bytes"].GetDouble(), 4.0 * (648 + 108 + 6 + 300));
  EXPECT_GT(row["weft"]["rms_error"].GetDouble(), 0);
  EXPECT_LT(row["weft"]["rms_error"].GetDouble(), 1e-6);
  EXPECT_EQ(json["rows"][2]["weft"]["rms_error"].GetDouble(), 0);  // UNFOLD copies
  EXPECT_EQ(json["rows"][9]["threads"].GetUint(), 2u);
}

TEST(BenchTest, TableHasALineForEachShape) {
  const ModelFolder folder;
  const Outcome outcome = bench(folder, everything(), "--peers none");
  EXPECT_EQ(outcome.status, 0);
  for (const char* line : {"\nconv ", "\nback ", "\nunfold ", "\nfold ", "\nresample ",
                           "\n1 thread: multiply-adds "}) {
    EXPECT_THAT(outcome.out, HasSubstr(line));
  }
}

std::vector<int> ints(const rapidjson::Value& array) {
  std::vector<int> result;
  for (const auto& value : array.GetArray()) result.push_back(value.GetInt());
  return result;
}

// Weft's results are compared with exact ones, and those of packed tensors with them.
TEST(BenchTest, LayoutsAreComparedWithPackedTensors) {
  struct Row {
    const char* layout;
    std::vector<int> unfold_input, unfold_output, resample_input;
  };
  const ModelFolder folder;
  for (const Row& expected : {Row{"nhwc", {192, 1, 24, 3}, {}, {72, 1, 12, 2}},
                              Row{"gaps", {576, 192, 24, 1}, {864, 32, 1}, {840, 420, 70, 1}},
                              Row{"broadcast", {192, 0, 8, 1}, {432, 16, 1}, {72, 0, 6, 1}}}) {
    const Outcome outcome =
        bench(folder, everything(), "--json --layout " + std::string(expected.layout));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    const rapidjson::Document json = document(outcome);
    EXPECT_STREQ(json["machine"]["layout"].GetString(), expected.layout);
    ASSERT_EQ(json["rows"].Size(), 5u);
    for (const auto& row : json["rows"].GetArray()) {
      EXPECT_GT(row["weft"]["median_us"].GetDouble(), 0);
      EXPECT_GT(row["peers"]["packed"]["median_us"].GetDouble(), 0);
    }
    const auto &unfold = json["rows"][2]["weft"], &resample = json["rows"][4]["weft"];
    EXPECT_EQ(ints(unfold["input_strides"]), expected.unfold_input);
    EXPECT_EQ(unfold.HasMember("output_strides"), !expected.unfold_output.empty());
    if (!expected.unfold_output.empty()) {
      EXPECT_EQ(ints(unfold["output_strides"]), expected.unfold_output);
    }
    EXPECT_EQ(ints(resample["input_strides"]), expected.resample_input);
  }
  EXPECT_EQ(bench(folder, everything(), "--layout gaps --peers none").status, 2);
}

TEST(BenchTest, ShapesOfWeftAreThere) {
  const Outcome outcome =
      run_shell("weft bench --only rs_i8_nn2 --peers none" + std::string(kQuick));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nrs_i8_nn2 "));
}

TEST(BenchTest, SweepGrowsByPowersOfTwo) {
  const ModelFolder folder;
  const Outcome outcome =
      folder.weft("bench --sweep sweep.svg --sweep-to 8KiB --seconds 0.0001 --threads 1,2 --json");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  const rapidjson::Document json = document(outcome);
  ASSERT_EQ(json["sweep"].Size(), 20u);
  EXPECT_STREQ(json["sweep"][0]["operator"].GetString(), "IDENTITY");
  EXPECT_EQ(json["sweep"][19]["threads"].GetUint(), 2u);
  for (const auto& curve : json["sweep"].GetArray()) {
    ASSERT_EQ(curve["points"].Size(), 4u) << curve["operator"].GetString();
    for (unsigned i = 0; i < 4; ++i) {
      const auto& point = curve["points"][i];
      EXPECT_GT(point["median_us"].GetDouble(), 0);
      EXPECT_GT(point["bytes"].GetDouble(), point["output_bytes"].GetDouble());
      EXPECT_LE(point["output_bytes"].GetDouble(), 1024 << i);
      EXPECT_GT(point["output_bytes"].GetDouble(), 256 << i);
    }
  }
  EXPECT_EQ(json["sweep"][0]["points"][3]["bytes"].GetDouble(), 2 * 8192);
  const std::string svg = folder.read("sweep.svg");
  EXPECT_THAT(svg, AllOf(HasSubstr("<svg "), HasSubstr("FOLD 3x3, square"), HasSubstr("threads: 2"),
                         HasSubstr("</svg>")));
}

TEST(BenchTest, SweepTakesNoShapes) {
  const ModelFolder folder;
  for (const std::string option : {"--only conv", "--peers none", "--layout gaps", "--rounds 3",
                                   "--no-winograd", "--allow-winograd"}) {
    const Outcome outcome = folder.weft("bench --sweep sweep.svg " + option);
    EXPECT_EQ(outcome.status, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr(option.substr(0, option.find(' ')).c_str()));
  }
}

TEST(BenchTest, SelectsShapes) {
  const ModelFolder folder;
  const Outcome some = bench(folder, everything(), "--peers none --only fold,conv");
  EXPECT_THAT(some.out,
              AllOf(HasSubstr("\nconv "), HasSubstr("\nfold "), Not(HasSubstr("\nback "))));
  const Outcome op = bench(folder, everything(), "--peers none --op resample2");
  EXPECT_THAT(op.out, AllOf(HasSubstr("\nresample "), Not(HasSubstr("\nfold "))));
}

TEST(BenchTest, DataTypeAndInstructionSetCanBeChosen) {
  const ModelFolder folder;
  const rapidjson::Document json = document(bench(
      folder, list({convolution_shape}), "--peers none --dtype float16 --max-isa base --json"));
  EXPECT_STREQ(json["machine"]["isa"].GetString(), "base");
  const auto& row = json["rows"][0];
  EXPECT_STREQ(row["family"].GetString(), "CONVOLUTION FORWARD FLOAT16");
  EXPECT_STREQ(row["weft"]["isa"].GetString(), "base");
  EXPECT_EQ(row["bytes"].GetDouble(), 2.0 * (648 + 108 + 6 + 300));
}

TEST(BenchTest, WinogradCanBeForbidden) {
  const std::string wide =
      replaced(replaced(replaced(replaced(convolution_shape, "[2, 4, 9, 9]", "[1, 64, 28, 28]"),
                                 "[6, 2, 3, 3]", "[64, 64, 3, 3]"),
                        "[2, 6, 5, 5]", "[1, 64, 28, 28]"),
               R"("strides": [2, 2])", R"("strides": [1, 1])");
  const std::string dense = replaced(wide, R"("groups": 2)", R"("groups": 1)");
  const ModelFolder folder;
  const rapidjson::Document json =
      document(bench(folder, list({dense}), "--peers none --no-winograd --json"));
  EXPECT_STREQ(json["machine"]["winograd"].GetString(), "never");
  EXPECT_THAT(json["rows"][0]["weft"]["algorithm"].GetString(), Not(HasSubstr("winograd")));
  const Outcome both = bench(folder, list({dense}), "--peers none --no-winograd --allow-winograd");
  EXPECT_NE(both.status, 0);
}

// Everything that the exact results know: what they say is compared with Weft's.
TEST(BenchTest, ExactResultsCoverTheParameters) {
  const ModelFolder folder;
  auto named = [count = 0](const std::string& shape, const std::string& id) mutable {
    return replaced(shape, "\"" + id + "\"", "\"" + id + std::to_string(count++) + "\"");
  };
  const std::string shapes = list({
      named(replaced(convolution_shape, "CROSS_CORRELATION", "CONVOLUTION"), "conv"),
      named(replaced(replaced(convolution_shape, R"("output_padding": [0, 0])",
                              R"("output_padding": [1, 0])"),
                     "[2, 6, 5, 5]", "[2, 6, 6, 5]"),
            "conv"),
      named(
          replaced(replaced(convolution_shape, R"("dilations": [1, 1])", R"("dilations": [2, 3])"),
                   "[2, 6, 5, 5]", "[2, 6, 4, 3]"),
          "conv"),
      named(replaced(convolution_shape, "\"bias\": true", "\"bias\": false"), "conv"),
      named(replaced(replaced(backward_shape, R"("start_padding": [0])", R"("start_padding": [2])"),
                     "[1, 12, 12]", "[1, 12, 10]"),
            "back"),
      named(replaced(backward_shape, "CROSS_CORRELATION", "CONVOLUTION"), "back"),
      named(replaced(fold_shape, "FLOAT16", "INT8"), "fold"),
      named(replaced(unfold_shape, "FLOAT32", "UINT8"), "unfold"),
      named(replaced(replaced(resample_shape, "LINEAR", "NEAREST_NEIGHBOR"), "DECREASING",
                     "INCREASING"),
            "resample"),
      named(replaced(replaced(resample_shape, "UINT8", "FLOAT16"), "[1, 1, 2, 2]",
                     "[1, 1, 0, 1e-30]"),
            "resample"),
  });
  const Outcome outcome = bench(folder, shapes, "--peers none");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

#if !defined(__SANITIZE_THREAD__)  // which does not know OpenMP's barriers

TEST(BenchTest, InstalledRivalsAgree) {
  const ModelFolder folder;
  // What OutputPadding adds is computed by the rivals, and zero as DirectML has it.
  const std::string padded =
      replaced(replaced(replaced(backward_shape, "\"back\"", "\"padded\""),
                        R"("output_padding": [0])", R"("output_padding": [1])"),
               "[1, 12, 12]", "[1, 12, 13]");
  const Outcome outcome = bench(
      folder,
      list({convolution_shape, backward_shape, unfold_shape, fold_shape, resample_shape, padded}),
      "--threads 2 --allow-winograd --json");
  EXPECT_STREQ(document(outcome)["machine"]["winograd"].GetString(), "allowed");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  const rapidjson::Document json = document(outcome);
  for (const char* name : {"onednn", "torch", "opencv"}) {
    const std::string status = json["peers"][name].GetString();
    EXPECT_NE(status, "");
    const auto& peers = json["rows"][name == std::string("opencv") ? 4 : 0]["peers"];
    if (status.find_first_of("0123456789") != 0) {
      EXPECT_FALSE(peers.HasMember(name)) << status;
      continue;
    }
    ASSERT_TRUE(peers.HasMember(name)) << status;
    const auto& peer = peers[name];
    EXPECT_GT(peer["median_us"].GetDouble(), 0);
    EXPECT_TRUE(peer["variants"].HasMember(peer["variant"].GetString()));
    EXPECT_GT(peer["rms_error"].GetDouble(), 0);
  }
}

#endif

// A copy of the command whose Python side is one that a test has written.
class FakePeerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists("/usr/bin/python3")) GTEST_SKIP() << "no /usr/bin/python3";
    fs::create_directories(folder_.path("bin"));
    fs::create_directories(folder_.path("share/weft"));
    fs::copy(weft_binary(), folder_.path("bin/weft"));
  }

  // `answers` is Python: what to print for the line `line`, which may use the file `exchange`.
  Outcome bench_against(const std::string& first, const std::string& answers,
                        const std::string& options = "") {
    folder_.write("share/weft/python_peers.py",
                  "import sys\nexchange = sys.argv[1]\nprint('" + first +
                      "', flush=True)\nfor line in sys.stdin:\n    command = line.split()[0]\n" +
                      answers);
    folder_.write("shapes.json", list({unfold_shape, replaced(unfold_shape, "unfold", "second")}));
    return run_shell(
        "bin/weft bench --shapes shapes.json --peers torch" + std::string(kQuick) + " " + options,
        folder_.path(""));
  }

  ModelFolder folder_;
};

constexpr const char* kWrongPeer =
    "    if command == 'load': print('ways wrong', flush=True)\n"
    "    elif command == 'compute': print('done', flush=True)\n"
    "    else: print('times', *(['1.5'] * int(line.split()[3])), flush=True)\n";

TEST_F(FakePeerTest, AResultThatDiffersIsAFailure) {
  const Outcome outcome = bench_against("ready torch=9.9 opencv=-", kWrongPeer);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("torch 9.9"));
  EXPECT_THAT(outcome.err, HasSubstr("weft: error: unfold: torch (wrong) and weft: element "));
  EXPECT_THAT(outcome.err, HasSubstr(" is 0, must be "));
}

TEST_F(FakePeerTest, DifferencesAreInTheDocumentToo) {
  const Outcome outcome = bench_against("ready torch=9.9 opencv=-", kWrongPeer, "--json");
  EXPECT_EQ(outcome.status, 1);
  const rapidjson::Document json = document(outcome);
  ASSERT_EQ(json["rows"][0]["disagreements"].Size(), 1u);
  const auto& peer = json["rows"][0]["peers"]["torch"];
  EXPECT_EQ(peer["median_us"].GetDouble(), 1.5);
  EXPECT_STREQ(peer["variant"].GetString(), "wrong");
}

TEST_F(FakePeerTest, WhatIsNotInstalledIsSaid) {
  const Outcome outcome = bench_against("ready torch=- opencv=-", "    pass\n");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("torch not installed"));
}

TEST_F(FakePeerTest, ARivalThatBreaksDownStopsNobody) {
  for (const char* answers : {"    sys.exit(3)\n", "    print('error it hurts', flush=True)\n",
                              "    print('ways a b', flush=True)\n    sys.exit(0)\n",
                              "    print('nonsense', flush=True)\n", "    print(flush=True)\n"}) {
    const Outcome outcome = bench_against("ready torch=9.9 opencv=-", answers, "--json");
    EXPECT_EQ(outcome.status, 0) << answers << outcome.err;
    const rapidjson::Document json = document(outcome);
    EXPECT_EQ(json["rows"].Size(), 2u);
    EXPECT_THAT(json["peers"]["torch"].GetString(), HasSubstr("it"));
    EXPECT_FALSE(json["rows"][1]["peers"].HasMember("torch"));
  }
}

TEST_F(FakePeerTest, ASideThatDoesNotStartIsSaid) {
  const Outcome outcome = bench_against("'); sys.exit(1); print('", "    pass\n");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("torch "));
}

TEST(BenchTest, DrawsAPicture) {
  const ModelFolder folder;
  const Outcome outcome = bench(folder, replaced(everything(), "\"fold\"", "\"fo<&ld\""),
                                "--peers none --plot plot.svg --threads 1,2");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string picture = folder.read("plot.svg");
  EXPECT_TRUE(picture.starts_with("<svg xmlns="));
  EXPECT_TRUE(picture.ends_with("</svg>\n"));
  EXPECT_THAT(picture, AllOf(HasSubstr("1 conv<"), HasSubstr("fo&lt;&amp;ld<"), HasSubstr("300%")));
  const Outcome nowhere = bench(folder, everything(), "--peers none --plot nowhere/plot.svg");
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("nowhere/plot.svg"));
}

// A file of shapes and what is said of it, after "weft: error: shapes.json".
struct BadShapes {
  const char* name;
  std::string shapes, error;
};

std::ostream& operator<<(std::ostream& stream, const BadShapes& row) { return stream << row.name; }

class BadShapesTest : public ::testing::TestWithParam<BadShapes> {};

TEST_P(BadShapesTest, IsRefused) {
  const ModelFolder folder;
  const Outcome outcome = bench(folder, GetParam().shapes, "--peers none");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("weft: error: " + GetParam().error));
}

std::vector<BadShapes> bad_shapes() {
  const auto convolution = [](const std::string& from, const std::string& to) {
    return list({replaced(convolution_shape, from, to)});
  };
  const auto of = [](const std::string& shape, const std::string& from, const std::string& to) {
    return list({replaced(shape, from, to)});
  };
  const std::string file = "shapes.json: ";
  return {
      {"Empty", "", "shapes.json:1:1: not JSON"},
      {"NoShapes", "[]", file + "/: has no shape that was asked for"},
      {"AnObject", "{}", file + "/: is an object, must be an array of shapes"},
      {"Numbers", "[1]", file + "/0: is 1, must be an object"},
      {"Nothing", "[{}]", file + "/0: field \"id\" is missing"},
      {"DeepNesting", std::string(100'000, '['), "shapes.json:1:100001: not JSON"},
      {"Twice", list({fold_shape, fold_shape}), file + "/1/id: \"fold\" is there twice"},
      {"UnknownOperator", of(fold_shape, "FOLD", "GEMM"),
       file + "/0/op: is \"GEMM\", must be one of CONVOLUTION, UNFOLD, FOLD, RESAMPLE2"},
      {"UnknownType", of(fold_shape, "FLOAT16", "BFLOAT16"),
       file + "/0/dtype: is \"BFLOAT16\", must be a data type"},
      {"UnknownField", convolution("\"tier\"", "\"tear\""), file + "/0: unknown field \"tear\""},
      {"UnknownActivation", convolution("\"RELU\"", "\"TANH\""),
       file + "/0/activation: is \"TANH\", must be RELU"},
      {"NegativeSize", convolution("[2, 4, 9, 9]", "[2, -4, 9, 9]"),
       file + "/0/input/1: is -4, must be"},
      {"SizeOfZero", convolution("[2, 4, 9, 9]", "[2, 0, 9, 9]"),
       file + "/0: CONVOLUTION.InputTensor.Sizes[1] is 0"},
      {"NoSizes", convolution("[2, 4, 9, 9]", "[]"),
       file + "/0: CONVOLUTION.InputTensor.DimensionCount is 0"},
      {"WrongOutput", convolution("[2, 6, 5, 5]", "[2, 6, 5, 4]"),
       file + "/0: CONVOLUTION.OutputTensor.Sizes[3] is 4, must be 5"},
      {"WrongGroups", convolution("\"groups\": 2", "\"groups\": 0"),
       file + "/0/groups: is 0, must be"},
      {"TooFewScales", of(resample_shape, "[1, 1, 2, 2]", "[1, 1, 2]"),
       file + "/0: RESAMPLE2.Scales is 3 entries"},
      {"ScaleOfNan", of(resample_shape, "[1, 1, 2, 2]", "[1, 1, 2, \"nan\"]"),
       file + "/0: RESAMPLE2.Scales[3]"},
      {"TypeThatTheOperatorLacks", of(convolution_shape, "FLOAT32", "INT8"),
       file + "/0: CONVOLUTION.InputTensor.DataType"},
  };
}

INSTANTIATE_TEST_SUITE_P(Files, BadShapesTest, ::testing::ValuesIn(bad_shapes()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(BenchTest, BadOptionsAreRefused) {
  const ModelFolder folder;
  const std::pair<const char*, const char*> rows[] = {
      {"--only conv,onfold", "shapes.json: /: there is no \"onfold\" (did you mean \"unfold\"?)"},
      {"--only conv --op FOLD", "--only excludes --op"},
      {"--op GEMM", "--op: GEMM not in {CONVOLUTION,UNFOLD,FOLD,RESAMPLE2}"},
      {"--dtype FLOAT64", "--dtype: FLOAT64 not in {FLOAT32,FLOAT16,INT8,UINT8}"},
      {"--dtype INT8", "CONVOLUTION.InputTensor.DataType is INT8"},
      {"--threads 1025", "--threads: Value 1025 not in range 0 to 1024"},
      {"--max-isa avx9", "--max-isa: avx9 not in {base,sse4,avx2,avx512,amx}"},
      {"--peers mkl", "--peers: mkl not in {onednn,torch,opencv,none}"},
      {"--rounds 0", "--rounds: Value 0 not in range 1 to 1000"},
      {"--seconds -1", "--seconds: Value -1 not in range 0"},
  };
  for (const auto& [options, error] : rows) {
    const Outcome outcome = bench(folder, everything(), options);
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_EQ(outcome.out, "") << options;
    EXPECT_THAT(outcome.err, HasSubstr(error)) << options;
  }
  EXPECT_EQ(folder.weft("bench --shapes nowhere.json").status, 2);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take address space

TEST(BenchTest, ShapesThatDoNotFitTheMemoryAreRefused) {
  const ModelFolder folder;
  const std::string shape =
      replaced(replaced(resample_shape, "[1, 2, 6, 6]", "[1, 1, 60000, 60000]"), "[1, 2, 12, 12]",
               "[1, 1, 60000, 60000]");
  folder.write("shapes.json", list({shape}));
  const Outcome outcome = run_shell(
      "ulimit -v 4000000; weft bench --shapes shapes.json --peers none --json", folder.path(""));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("weft: error: resample: takes more memory than there is"));
}

#endif

}  // namespace
}  // namespace weft::testing
