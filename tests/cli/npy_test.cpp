#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "cli/model_folder.h"
#include "support/npy_file.h"

namespace weft::testing {
namespace {

constexpr const char* kFromFile = R"({"initialValues": {"sourcePath": "x.npy"}})";

std::string reversed(std::string element) { return {element.rbegin(), element.rend()}; }

struct ReadCase {
  std::string file;
  std::string printed;
};

class NpyReadTest : public ::testing::TestWithParam<ReadCase> {};

TEST_P(NpyReadTest, Prints) {
  const ModelFolder folder;
  folder.write("x.npy", GetParam().file);
  const Outcome outcome = folder.run(model_of_resource(kFromFile));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "Resource 'x': " + GetParam().printed + "\n");
}

const std::string two_by_three = bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6});

INSTANTIATE_TEST_SUITE_P(
    All, NpyReadTest,
    ::testing::Values(
        ReadCase{npy_file("<f4", false, "(3,)", bytes_of<float>({1, 0.5f, -2})), "1, 0.5, -2"},
        ReadCase{npy_file("<f8", false, "(1,)", bytes_of<double>({0.1})), "0.1"},
        ReadCase{npy_file("<f2", false, "(2,)", bytes_of<std::uint16_t>({0x3c00, 0xfc00})),
                 "1, -inf"},
        ReadCase{npy_file("|u1", false, "(2,)", "\x01\xff"), "1, 255"},
        ReadCase{npy_file("<i1", false, "(2,)", "\x01\xff"), "1, -1"},
        ReadCase{npy_file("<u2", false, "(1,)", bytes_of<std::uint16_t>({65535})), "65535"},
        ReadCase{npy_file("<i2", false, "(1,)", bytes_of<std::int16_t>({-5})), "-5"},
        ReadCase{npy_file("<u4", false, "(1,)", bytes_of<std::uint32_t>({4000000000})),
                 "4000000000"},
        ReadCase{npy_file("<i8", false, "(1,)", bytes_of<std::int64_t>({INT64_MIN})),
                 "-9223372036854775808"},
        ReadCase{npy_file("<u8", false, "(1,)", bytes_of<std::uint64_t>({UINT64_MAX})),
                 "18446744073709551615"},
        ReadCase{npy_file("=f4", false, "()", bytes_of<float>({7})), "7"},
        ReadCase{npy_file("<i4", false, "(2, 3)", two_by_three), "INT32 2x3\n  1  2  3\n  4  5  6"},
        // The same numbers, first dimension fastest.
        ReadCase{npy_file("<i4", true, "(2, 3)", two_by_three), "INT32 2x3\n  1  3  5\n  2  4  6"},
        ReadCase{npy_file("<i4", true, "(1, 2, 3)", two_by_three),
                 "INT32 1x2x3\n  1  3  5\n  2  4  6"},
        ReadCase{npy_file(">f4", false, "(2,)",
                          reversed(bytes_of<float>({1.5f})) + reversed(bytes_of<float>({-2}))),
                 "1.5, -2"},
        ReadCase{npy_file(">i2", true, "(2, 2)", std::string("\0\1\0\2\0\3\0\4", 8)),
                 "INT16 2x2\n  1  3\n  2  4"}));

TEST(NpyTest, ReadsVersions2And3) {
  const ModelFolder folder;
  std::string file = npy_file("<f4", false, "(1,)", bytes_of<float>({3}));
  file.insert(10, 2, '\0');  // the length takes four bytes
  for (const char version : {'\2', '\3'}) {
    file[6] = version;
    folder.write("x.npy", file);
    EXPECT_EQ(folder.run(model_of_resource(kFromFile)).out, "Resource 'x': 3\n");
  }
}

TEST(NpyTest, WritesWhatItReads) {
  const ModelFolder folder;
  const std::string file = npy_file("<f4", false, "(2, 1)", bytes_of<float>({1, 2}));
  folder.write("x.npy", file);
  const Outcome outcome = folder.run(R"({
      "resources": {"x": {"initialValues": {"sourcePath": "x.npy"}}}, "dispatchables": {},
      "commands": [{"type": "writeFile", "resource": "x", "targetPath": "y.npy"},
                   {"type": "writeFile", "resource": "x", "targetPath": "z.NPY",
                    "dimensions": [2]}]})");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(folder.read("y.npy"), file);
  EXPECT_EQ(folder.read("z.NPY"), npy_file("<f4", false, "(2,)", bytes_of<float>({1, 2})));
}

}  // namespace
}  // namespace weft::testing
