// Models as `weft run` and `weft check` read them: every form of resource, desc and command.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/model_folder.h"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

struct ResourceCase {
  std::string json;
  std::string printed;
};

class ResourceTest : public ::testing::TestWithParam<ResourceCase> {};

TEST_P(ResourceTest, Prints) {
  const ModelFolder folder;
  folder.write("x.bin", bytes_of<std::int16_t>({1, -2}));
  const Outcome outcome = folder.run(model_of_resource(GetParam().json));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "Resource 'x': " + GetParam().printed + "\n");
}

std::string resource(const std::string& type, const std::string& values,
                     const std::string& more = "") {
  return R"({"initialValuesDataType": ")" + type + R"(", "initialValues": )" + values + more + "}";
}

INSTANTIATE_TEST_SUITE_P(
    All, ResourceTest,
    ::testing::Values(
        ResourceCase{resource("FLOAT32", "[1, 2.5, -0.0, 3e20, \"nan\", \"Inf\", \"-inf\"]"),
                     "1, 2.5, -0, 3e+20, nan, inf, -inf"},
        ResourceCase{resource("DML_TENSOR_DATA_TYPE_FLOAT16", "[65504, 0.1, 1e-8]"),
                     "65504, 0.099976, 0"},
        ResourceCase{resource("FLOAT64", "[0.1, 1e300]"), "0.1, 1e+300"},
        // Numbers of any length, rounded once.
        ResourceCase{resource("FLOAT64", "[0." + std::string(5000, '1') + ", 0." +
                                             std::string(400, '0') + "1, 1e-99999999999, -0]"),
                     "0.1111111111111111, 0, 0, -0"},
        ResourceCase{resource("INT8", "[-128, 127, 1.0, 1e1]"), "-128, 127, 1, 10"},
        ResourceCase{resource("UINT8", "[0, 255, 3, 4, 5]"), "0, 255, 3, 4, 5"},
        ResourceCase{resource("INT64", "[-9223372036854775808, 9223372036854775807]"),
                     "-9223372036854775808, 9223372036854775807"},
        ResourceCase{resource("UINT64", "[18446744073709551615]"), "18446744073709551615"},
        ResourceCase{resource("INT32", R"({"valueCount": 3, "value": -7})"), "-7, -7, -7"},
        ResourceCase{resource("FLOAT32", R"({"valueCount": 2, "value": "nan"})"), "nan, nan"},
        ResourceCase{
            resource("FLOAT32", R"({"valueCount": 4, "valueStart": 1, "valueDelta": 2.5})"),
            "1, 3.5, 6, 8.5"},
        // Accumulated, not multiplied: ten times 0.1 is not 1 in float32.
        ResourceCase{
            resource("FLOAT32", R"({"valueCount": 11, "valueStart": 0, "valueDelta": 0.1})"),
            "0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.70000005, 0.8000001, 0.9000001, 1.0000001"},
        ResourceCase{
            resource("FLOAT16", R"({"valueCount": 3, "valueStart": 2047, "valueDelta": 1})"),
            "2047, 2048, 2048"},
        ResourceCase{resource("INT8", R"({"valueCount": 3, "valueStart": 126, "valueDelta": 1})"),
                     "126, 127, -128"},
        ResourceCase{resource("INT16", R"({"sourcePath": "x.bin"})"), "1, -2"},
        ResourceCase{resource("UNKNOWN",
                              R"([{"name": "n", "type": "UINT8", "value": 1},
                                  {"type": "DML_TENSOR_DATA_TYPE_INT16", "value": -2}])"),
                     "1, 254, 255"},
        ResourceCase{R"({"initialValues": [{"type": "UINT16", "value": 258}], "type": "buffer"})",
                     "2, 1"},
        ResourceCase{resource("FLOAT32", "[1]", ", \"sizeInBytes\": 12"), "1, 0, 0"},
        ResourceCase{resource("UINT8", "[1, 2]", ", \"initialValuesOffsetInBytes\": 3"),
                     "0, 0, 0, 1, 2"},
        ResourceCase{resource("FLOAT32", R"(
            // A comment, a trailing comma,
            [1, /* another */ 2,]
          )"),
                     "1, 2"}));

struct BadCase {
  std::string json;     // a resource
  std::string message;  // after "weft: error: model.json: /resources/x"
};

class BadResourceTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadResourceTest, SaysWhy) {
  const ModelFolder folder;
  folder.write("x.bin", "abc");
  folder.write("empty.bin", "");
  const Outcome outcome = folder.check(model_of_resource(GetParam().json));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "weft: error: model.json: /resources/x" + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    All, BadResourceTest,
    ::testing::Values(
        BadCase{"3", ": is 3, must be an object"},
        BadCase{"{}", ": field \"initialValues\" is missing"},
        BadCase{R"({"initialValues": [1], "initialValues": [2]})",
                ": field \"initialValues\" is there twice"},
        BadCase{resource("FLOAT32", "[1]", ", \"sizeInByte\": 4"),
                ": unknown field \"sizeInByte\" (did you mean \"sizeInBytes\"?)"},
        BadCase{resource("FLOAT31", "[1]"),
                "/initialValuesDataType: is \"FLOAT31\", must be one of UNKNOWN, FLOAT32, FLOAT16, "
                "UINT32, UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64 (did you mean "
                "\"FLOAT32\"?)"},
        BadCase{R"({"initialValues": [1]})",
                "/initialValues: \"initialValuesDataType\" is missing or UNKNOWN"},
        BadCase{resource("FLOAT32", "[]"),
                "/initialValues: is empty, must have at least one value"},
        BadCase{resource("FLOAT32", "7"), "/initialValues: is 7, must be an array or an object"},
        BadCase{resource("FLOAT32", "{}"),
                "/initialValues: must have one of the fields \"value\", \"valueStart\", "
                "\"sourcePath\""},
        BadCase{resource("FLOAT32", "\"deferred\""),
                "/initialValues: deferred binding is not supported: it belongs to ONNX models"},
        BadCase{resource("INT8", "[1, 128]"),
                "/initialValues/1: is 128, must be a whole number from -128 to 127 (INT8)"},
        BadCase{resource("UINT8", "[-1]"),
                "/initialValues/0: is -1, must be a whole number from 0 to 255 (UINT8)"},
        BadCase{resource("INT32", "[0.5]"),
                "/initialValues/0: is 0.5, must be a whole number from -2147483648 to 2147483647 "
                "(INT32)"},
        BadCase{resource("UINT64", "[18446744073709551616]"),
                "/initialValues/0: is 1.8446744073709552e+19, must be a whole number from 0 to "
                "18446744073709551615 (UINT64)"},
        BadCase{resource("FLOAT16", "[65520]"),
                "/initialValues/0: is 65520, must be a number within +-65504, \"nan\", \"inf\" or "
                "\"-inf\" (FLOAT16)"},
        BadCase{resource("FLOAT32", "[\"one\"]"),
                "/initialValues/0: is \"one\", must be a number within +-3.4028235e+38, \"nan\", "
                "\"inf\" or \"-inf\" (FLOAT32)"},
        BadCase{resource("FLOAT32", R"({"valueCount": 0, "value": 1})"),
                "/initialValues/valueCount: is 0, must be a whole number from 1 to "
                "18446744073709551615"},
        BadCase{resource("FLOAT32", R"({"value": 1})"),
                "/initialValues: field \"valueCount\" is missing"},
        BadCase{resource("FLOAT32", R"({"valueCount": 1, "value": 1, "valueStart": 1})"),
                "/initialValues: unknown field \"valueStart\""},
        BadCase{resource("FLOAT32", R"({"valueCount": 2, "valueStart": 1})"),
                "/initialValues: field \"valueDelta\" is missing"},
        BadCase{resource("FLOAT64", R"({"valueCount": 9223372036854775808, "value": 1})"),
                ": 9223372036854775808 elements of FLOAT64 pass 2^64 bytes"},
        BadCase{resource("INT16", R"({"sourcePath": "x.bin"})"),
                ": x.bin: has 3 bytes, must have a multiple of 2: whole elements of INT16"},
        BadCase{resource("INT16", R"({"sourcePath": "empty.bin"})"),
                ": empty.bin: is empty, must have at least one element"},
        BadCase{resource("INT16", R"({"sourcePath": "none.bin"})"),
                ": none.bin: cannot open: No such file or directory"},
        BadCase{resource("INT16", R"({"sourcePath": "."})"), ": .: cannot read: Is a directory"},
        BadCase{resource("INT16", R"({"sourcePath": "/dev/zero"})"),
                ": /dev/zero: cannot read: not a regular file"},
        BadCase{resource("INT16", R"({"sourcePath": "a\u0000b.bin"})"),
                ": \"a\\x00b.bin\": cannot open: the path has a NUL character"},
        BadCase{R"({"initialValues": {"sourcePath": "x.bin"}})",
                "/initialValues/sourcePath: \"initialValuesDataType\" is missing or UNKNOWN, and "
                "raw data has no type"},
        BadCase{resource("UINT8", R"({"sourcePath": "x.png"})"),
                "/initialValues/sourcePath: is \"x.png\", must be a .npy file or raw data: "
                "pictures in models are not supported"},
        BadCase{resource("UNKNOWN", R"([{"type": "UNKNOWN", "value": 1}])"),
                "/initialValues/0/type: is \"UNKNOWN\", must be a type with a size"},
        BadCase{resource("FLOAT32", "[1, 2]", ", \"sizeInBytes\": 4"),
                ": sizeInBytes is 4, must be at least 8: 8 bytes of values at offset 0"},
        BadCase{resource("FLOAT32", "[1]", ", \"sizeInBytes\": 18446744073709551615"),
                ": 18446744073709551615 bytes pass 2^64 when rounded up to 4"},
        BadCase{
            resource("FLOAT32", "[1]", ", \"initialValuesOffsetInBytes\": 18446744073709551615"),
            ": initialValuesOffsetInBytes 18446744073709551615 and 4 bytes of values pass 2^64 "
            "bytes"},
        BadCase{resource("FLOAT32", "[1]", ", \"sizeInBytes\": -4"),
                "/sizeInBytes: is -4, must be a whole number from 1 to 18446744073709551615"}));

TEST(ModelTest, RefusesMoreMemoryThanThereIs) {
  const ModelFolder folder;
  for (const std::string size : {"4611686018427387904", "9223372036854775808"}) {
    const Outcome outcome =
        folder.check(model_of_resource(resource("UINT8", "[1]", ", \"sizeInBytes\": " + size)));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("/resources/x: needs " + size + " bytes of memory"));
  }
}

TEST(ModelTest, BrokenJsonHasLineAndColumn) {
  const ModelFolder folder;
  const auto message = [&](const std::string& text) {
    const Outcome outcome = folder.run(text);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_EQ(message(""), "weft: error: model.json:1:1: not JSON: The document is empty\n");
  EXPECT_EQ(message("{\n  \"resources\" {}\n}"),
            "weft: error: model.json:2:15: not JSON: Missing a colon after a name of object "
            "member\n");
  EXPECT_EQ(message("{\"a\": 1e999}"),
            "weft: error: model.json:1:7: not JSON: Number too big to be stored in double\n");
  EXPECT_EQ(message("{\"a\": \"\xff\"}"),
            "weft: error: model.json:1:8: not JSON: Invalid encoding in string\n");
  EXPECT_EQ(message(std::string("{}\0{}", 5)),
            "weft: error: model.json:1:3: not JSON: NUL character\n");
  EXPECT_EQ(
      message("{} {}"),
      "weft: error: model.json:1:4: not JSON: The document root must not be followed by other "
      "values\n");
}

TEST(ModelTest, DeepNestingTakesNoStack) {
  const ModelFolder folder;
  const std::string deep(200'000, '[');
  const Outcome broken = folder.run(deep);
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.err, HasSubstr("model.json:1:200001: not JSON"));
  // Well-formed, in a field that is not looked at.
  const Outcome schema = folder.run(R"({"$schema": )" + deep + std::string(200'000, ']') +
                                    R"(, "resources": {}, "dispatchables": {}, "commands": []})");
  EXPECT_EQ(schema.status, 0) << schema.err;
}

TEST(ModelTest, ListsEverythingWrongAtOnce) {
  const ModelFolder folder;
  const Outcome outcome = folder.check(R"({
      "resources": {"x": {"initialValuesDataType": "FLOAT32", "initialValues": [1]},
                    "y": {"initialValuesDataType": "INT8", "initialValues": [300]}},
      "dispatchables": {"relu": {"type": "ACTIVATION_RELU", "desc": {
          "InputTensor": {"DataType": "FLOAT32", "Sizes": [0, 2]},
          "OutputTensor": {"DataType": "UINT8", "Sizes": [2]}}}},
      "commands": [{"type": "dispatch", "dispatchable": "relux", "bindings": {}},
                   {"type": "show"}, {"type": "print", "resource": "z"}]})");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/resources/y/initialValues/0: is 300"));
  EXPECT_THAT(outcome.err, HasSubstr("/dispatchables/relu/desc: ACTIVATION_RELU.InputTensor."
                                     "Sizes[0] is 0, must be >= 1"));
  EXPECT_THAT(outcome.err, HasSubstr("ACTIVATION_RELU.OutputTensor.DataType is UINT8"));
  EXPECT_THAT(outcome.err,
              HasSubstr("/commands/0/dispatchable: is \"relux\", must be the name of a "
                        "dispatchable (did you mean \"relu\"?)"));
  EXPECT_THAT(outcome.err, HasSubstr("/commands/1/type: is \"show\", must be one of dispatch, "
                                     "print, writeFile, expect"));
  EXPECT_THAT(outcome.err, HasSubstr("/commands/2/resource: is \"z\", must be the name of a "
                                     "resource"));
}

}  // namespace
}  // namespace weft::testing
