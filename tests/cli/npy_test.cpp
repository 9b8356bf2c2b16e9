#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "cli/model_folder.h"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

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

struct RefuseCase {
  std::string file;
  std::string message;
};

class NpyRefuseTest : public ::testing::TestWithParam<RefuseCase> {};

TEST_P(NpyRefuseTest, SaysWhy) {
  const ModelFolder folder;
  folder.write("x.npy", GetParam().file);
  const Outcome outcome = folder.run(model_of_resource(kFromFile));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "weft: error: model.json: /resources/x: x.npy: " + GetParam().message + "\n");
}

const std::string one_float = bytes_of<float>({1});

std::string with_header(const std::string& dictionary) {
  const auto length = static_cast<char>(dictionary.size());
  return std::string("\x93NUMPY\x01\x00", 8) + length + std::string(1, '\0') + dictionary +
         one_float;
}

INSTANTIATE_TEST_SUITE_P(
    All, NpyRefuseTest,
    ::testing::Values(
        RefuseCase{"", "not a .npy file: too short"},
        RefuseCase{"PK\x03\x04 and so on", "not a .npy file: it does not start with \\x93NUMPY"},
        RefuseCase{std::string("\x93NUMPY\x04\x00\x00\x00", 10),
                   ".npy version 4.0 is not supported: 1.0, 2.0 and 3.0 are"},
        RefuseCase{std::string("\x93NUMPY\x01\x00\x05", 9),
                   "broken .npy header: the file ends inside it"},
        RefuseCase{std::string("\x93NUMPY\x01\x00\xff\xff{}", 12),
                   "broken .npy header: it says it has 65535 bytes, the file has 2 left"},
        RefuseCase{std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14),
                   "broken .npy header: it says it has 4294967295 bytes, the file has 2 left"},
        RefuseCase{npy_file("<f4", false, "(2,)", one_float),
                   "2 FLOAT32 needs 8 bytes, the file has 4 after its header"},
        RefuseCase{npy_file("<f4", false, "(1,)", one_float + "x"),
                   "1 FLOAT32 takes 4 bytes, the file has 5 after its header"},
        RefuseCase{npy_file("<f4", false, "(0, 3)", ""), "0x3 FLOAT32 has no elements"},
        RefuseCase{npy_file("<f4", false, "(4294967296, 4294967296)", one_float),
                   "broken .npy header: 4294967296x4294967296 FLOAT32 passes 2^64 bytes"},
        RefuseCase{npy_file("<f4", false, "(-1,)", one_float),
                   "broken .npy header: \"-1\" in \"shape\" is not a size"},
        RefuseCase{with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,), }"),
                   "broken .npy header: ')' is missing before \".5,), }\""},
        RefuseCase{npy_file("<f4", false, "(99999999999999999999,)", one_float),
                   "broken .npy header: \"99999999999999999999\" in \"shape\" is not a size"},
        RefuseCase{npy_file("|b1", false, "(4,)", one_float),
                   "broken .npy header: type \"|b1\" is not supported: only integers and floats of "
                   "8 to 64 bits are"},
        RefuseCase{npy_file("|O", false, "(4,)", one_float),
                   "broken .npy header: type \"|O\" is not supported: only integers and floats of "
                   "8 to 64 bits are"},
        RefuseCase{npy_file("<c8", false, "(4,)", one_float),
                   "broken .npy header: type \"<c8\" is not supported: only integers and floats of "
                   "8 to 64 bits are"},
        RefuseCase{with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
                   "broken .npy header: structured types are not supported"},
        RefuseCase{with_header("{'fortran_order': False, 'shape': (1,)}"),
                   "broken .npy header: key \"descr\" is missing"},
        RefuseCase{with_header("{'descr': '<f4', 'shape': (1,)}"),
                   "broken .npy header: key \"fortran_order\" is missing"},
        RefuseCase{with_header("{'descr': '<f4', 'fortran_order': False}"),
                   "broken .npy header: key \"shape\" is missing"},
        RefuseCase{with_header("{'descr': '<f4', 'descr': '<f4'}"),
                   "broken .npy header: key \"descr\" is there twice"},
        RefuseCase{with_header("{'descr': '<f4', 'colour': 1}"),
                   "broken .npy header: unknown key \"colour\""},
        RefuseCase{with_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"),
                   "broken .npy header: \"fortran_order\" must be True or False"},
        RefuseCase{with_header("{'descr': '<f4"), "broken .npy header: a string does not end"},
        RefuseCase{with_header("['descr']"),
                   "broken .npy header: '{' is missing before \"['descr']\""},
        RefuseCase{with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x"),
                   "broken .npy header: something stands after the dictionary"}));

TEST(NpyTest, RefusesAnotherTypeThanTheModelSays) {
  const ModelFolder folder;
  folder.write("x.npy", npy_file("<f4", false, "(1,)", one_float));
  const Outcome outcome = folder.check(model_of_resource(
      R"({"initialValuesDataType": "INT32", "initialValues": {"sourcePath": "x.npy"}})"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "weft: error: model.json: /resources/x: x.npy: holds FLOAT32, must hold INT32: the "
            "type that the model says\n");
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
