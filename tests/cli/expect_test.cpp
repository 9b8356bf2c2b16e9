#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/model_folder.h"
#include "support/npy_file.h"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

std::string expectation(const std::string& type, const std::string& got,
                        const std::string& expected, const std::string& more = "") {
  return R"({"resources": {"x": {"initialValuesDataType": ")" + type + R"(", "initialValues": )" +
         got + R"(}}, "dispatchables": {}, "commands": [{"type": "expect", "resource": "x",
         "values": )" +
         expected + more + "}]}";
}

TEST(ExpectTest, ComparesWithinTheTolerance) {
  const ModelFolder folder;
  const auto status = [&](const auto&... parts) {
    return folder.run(expectation(parts...)).status;
  };
  EXPECT_EQ(status("FLOAT32", "[1, 2]", "[1, 2]"), 0);
  EXPECT_EQ(status("FLOAT32", "[1, 2]", "[1, 2.0001]"), 1);
  EXPECT_EQ(status("FLOAT32", "[1, 2]", "[1, 2.0001]", ", \"rtol\": 1e-4"), 0);
  EXPECT_EQ(status("FLOAT32", "[1, 2]", "[1, 2.0001]", ", \"atol\": 1e-5"), 1);
  EXPECT_EQ(status("FLOAT32", "[\"nan\", \"inf\", \"-inf\"]", "[\"nan\", \"inf\", \"-inf\"]"), 0);
  EXPECT_EQ(status("FLOAT32", "[\"nan\"]", "[0]", ", \"atol\": 1e30"), 1);
  EXPECT_EQ(status("FLOAT32", "[0]", "[\"nan\"]", ", \"atol\": 1e30"), 1);
  EXPECT_EQ(status("FLOAT32", "[3]", "[\"inf\"]", ", \"rtol\": 1"), 1);
  EXPECT_EQ(status("FLOAT32", "[\"inf\"]", "[\"-inf\"]", ", \"rtol\": 1"), 1);
  EXPECT_EQ(status("FLOAT32", "[-0.0]", "[0]"), 0);
  // Neighbours that double cannot tell apart.
  EXPECT_EQ(status("INT64", "[9223372036854775807]", "[9223372036854775806]"), 1);
  EXPECT_EQ(status("INT64", "[9223372036854775807]", "[9223372036854775806]", ", \"atol\": 1"), 0);
  EXPECT_EQ(status("INT64", "[9223372036854775807]", "[-9223372036854775808]", ", \"atol\": 1e18"),
            1);
  EXPECT_EQ(status("INT8", "[127]", "[-128]", ", \"atol\": 254"), 1);
  EXPECT_EQ(status("INT8", "[127]", "[-128]", ", \"atol\": 255"), 0);
  EXPECT_EQ(status("UINT8", "[0]", "[1]"), 1);
  EXPECT_EQ(status("FLOAT16", "[0.1]", "[0.1]"), 0);
}

TEST(ExpectTest, SaysWhatIsWrong) {
  const ModelFolder folder;
  const Outcome outcome = folder.run(unfold_model(
      R"({"type": "expect", "resource": "y", "values": {"valueCount": 81, "value": 1}})"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              HasSubstr("Expect 'y': failed, 79 of 81 elements wrong (atol 0, rtol 0); "
                        "the first at [0, 0, 0]: got 0, expected 1, difference 1\n"));
}

TEST(ExpectTest, ReadsFiles) {
  const ModelFolder folder;
  folder.write("x.npy", npy_file("<f4", false, "(2,)", bytes_of<float>({1, 2})));
  folder.write("x.dat", bytes_of<float>({1, 2}));
  const auto run = [&](const std::string& file) {
    return folder.run(R"({"resources": {"x": {"initialValuesDataType": "FLOAT32",
        "initialValues": [1, 2]}}, "dispatchables": {}, "commands": [
        {"type": "expect", "resource": "x", "sourcePath": ")" +
                      file + "\"}]}");
  };
  EXPECT_EQ(run("x.npy").status, 0);
  EXPECT_EQ(run("x.dat").status, 0);
  folder.write("x.npy", npy_file("<f4", false, "(3,)", bytes_of<float>({1, 2, 3})));
  EXPECT_EQ(run("x.npy").err,
            "weft: error: model.json: /commands/0: has 3 values, must have 2: those of resource "
            "\"x\"\n");
}

}  // namespace
}  // namespace weft::testing
