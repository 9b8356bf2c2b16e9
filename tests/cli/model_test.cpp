// Models as `weft run` and `weft check` read them: every form of resource, desc and command.

#include <gtest/gtest.h>

#include <string>

#include "cli/model_folder.h"

namespace weft::testing {
namespace {

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

TEST(ModelTest, DeepNestingTakesNoStack) {
  const ModelFolder folder;
  const std::string deep(200'000, '[');
  // In a field that is not looked at.
  const Outcome outcome = folder.run(R"({"$schema": )" + deep + std::string(200'000, ']') +
                                     R"(, "resources": {}, "dispatchables": {}, "commands": []})");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

}  // namespace
}  // namespace weft::testing
