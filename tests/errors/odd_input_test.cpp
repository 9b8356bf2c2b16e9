// Odd input that is good all the same: it has to be read right, not only without complaint.

#include <gtest/gtest.h>

#include <algorithm>

#include "errors/bad_input.h"
#include "errors/good_models.h"
#include "support/command.h"
#include "support/npy_file.h"

namespace weft::testing {
namespace {

struct OddInput {
  const char* name;
  const char* model;  // copies x to y, and expects 0 1 2 / 3 4 5
  Change change;
  Files files = {};
};

std::string header(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

// 0, 1, 2, ... as `T`, in the order of `values`; the bytes of each turned round if `swap`.
template <class T>
std::string elements(const std::vector<int>& values, bool swap = false) {
  std::string bytes;
  for (const int value : values) {
    const T element = static_cast<T>(value);
    std::string text(reinterpret_cast<const char*>(&element), sizeof element);
    if (swap) std::reverse(text.begin(), text.end());
    bytes += text;
  }
  return bytes;
}

const std::vector<int> kRows = {0, 1, 2, 3, 4, 5};
const std::vector<int> kColumns = {0, 3, 1, 4, 2, 5};

// x.npy with another header and other elements.
OddInput npy_model(const char* name, const std::string& dictionary, const std::string& bytes) {
  return {name, "npy", {}, {{"x.npy", npy_file(dictionary, bytes)}}};
}

std::string version(const std::string& file, char major) {
  std::string result = file;
  result[6] = major;
  return result.insert(10, 2, '\0');  // the length has four bytes from version 2 on
}

// `x` and the tensors of the copy as another type.
OddInput of_type(const char* name, const char* type, const std::string& descr, std::string bytes) {
  const std::string tensor = std::string(R"({"DataType": ")") + type + R"(", "Sizes": [2, 3]})";
  return {name,
          "npy",
          merge("", R"({"resources": {"x": {"initialValues": {"sourcePath": "x.npy"}},
            "y": {"initialValuesDataType": ")" +
                        std::string(type) +
                        R"(", "initialValues": {"valueCount": 6, "value": 0}}},
            "dispatchables": {"op": {"type": "ELEMENT_WISE_IDENTITY", "desc": {"InputTensor": )" +
                        tensor + R"(, "OutputTensor": )" + tensor + "}}}}"),
          {{"x.npy", npy_file(header(descr, "False", "(2, 3)"), std::move(bytes))}}};
}

std::vector<OddInput> odd_inputs() {
  const std::string matrix = npy_file(header("<f4", "False", "(2, 3)"), float_bytes(6));
  const std::string text = good_models().at("commands").text;
  const auto set_x = [](const char* name, const std::string& json) {
    return OddInput{name, "commands", set("/resources/x", json)};
  };
  return {
      npy_model("Fortran order", header("<f4", "True", "(2, 3)"), elements<float>(kColumns)),
      npy_model("Fortran order, three dimensions", header("<f4", "True", "(1, 2, 3)"),
                elements<float>(kColumns)),
      npy_model("Fortran order, one dimension", header("<f4", "True", "(6,)"), float_bytes(6)),
      npy_model("big-endian", header(">f4", "False", "(2, 3)"), elements<float>(kRows, true)),
      npy_model("big-endian in Fortran order", header(">f4", "True", "(2, 3)"),
                elements<float>(kColumns, true)),
      npy_model("native byte order", header("=f4", "False", "(2, 3)"), float_bytes(6)),
      npy_model("another shape of as many elements", header("<f4", "False", "(3, 2, 1)"),
                float_bytes(6)),
      npy_model("keys in another order and quotes",
                "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}\n\n", float_bytes(6)),
      {"version 2", "npy", {}, {{"x.npy", version(matrix, '\x02')}}},
      {"version 3", "npy", {}, {{"x.npy", version(matrix, '\x03')}}},
      of_type("big-endian doubles", "FLOAT64", ">f8", elements<double>(kRows, true)),
      of_type("big-endian 64-bit integers", "INT64", ">i8", elements<std::int64_t>(kRows, true)),
      of_type("big-endian 16-bit integers", "UINT16", ">u2", elements<std::uint16_t>(kRows, true)),
      of_type("bytes of a byte order", "INT8", ">i1", elements<std::int8_t>(kRows)),
      of_type("bytes of no byte order", "UINT8", "|u1", elements<std::uint8_t>(kRows)),
      {"extension in capitals",
       "npy",
       set("/resources/x/initialValues/sourcePath", "\"X.NPY\""),
       {{"X.NPY", matrix}}},
      set_x("sequence", R"({"initialValuesDataType": "FLOAT32", "initialValues":
          {"valueCount": 6, "valueStart": 0, "valueDelta": 1}})"),
      set_x("numbers as text would be", R"({"initialValuesDataType":
          "DML_TENSOR_DATA_TYPE_FLOAT32", "initialValues": [-0.0, 1e0, 0.2e1, 30E-1, 4.0, 5]})"),
      set_x("larger resource", R"({"initialValuesDataType": "FLOAT32", "sizeInBytes": 61,
          "initialValues": [0, 1, 2, 3, 4, 5]})"),
      set_x("null for what is optional", R"({"type": null, "sizeInBytes": null,
          "initialValuesDataType": "FLOAT32", "initialValues": [0, 1, 2, 3, 4, 5]})"),
      {"comments and trailing commas",
       "commands",
       replace("\"commands\": [", "/* what\nto do */ \"commands\": // now\n ["),
       {}},
      {"byte order mark", "commands", weft::testing::text("\xef\xbb\xbf" + text), {}},
      {"lines that end as on Windows",
       "commands",
       replace("\n  \"commands\"", "\r\n  \"commands\""),
       {}},
      {"resource with a name of its own",
       "commands",
       replace("\"y\": {",
               "\"a/b~c \\u00e9\\u4e2d\\\"\": {\"initialValuesDataType\": \"INT8\", "
               "\"initialValues\": [1]}, \"y\": {"),
       {}},
      {"name of a file with spaces and letters",
       "npy",
       set("/resources/x/initialValues/sourcePath", R"("./\u00e4 b.npy")"),
       {{"\xc3\xa4 b.npy", matrix}}},
      {"fields of shaders and ONNX models",
       "commands",
       set("/commands/0/bindings/InputTensor",
           R"([{"name": "x", "elementCount": 6, "shape": [2, 3], "format": "R32_FLOAT"}])"),
       {}},
      {"output sizes left out",
       "commands",
       remove("/dispatchables/op/desc/OutputTensor/Sizes"),
       {}},
      {"a desc in a desc",
       "commands",
       set("/dispatchables/op/desc/InputTensor",
           R"({"Type": "DML_TENSOR_TYPE_BUFFER", "Desc": {"DataType": "FLOAT32",
              "DimensionCount": 2, "Sizes": [2, 3], "Strides": [3, 1], "Flags": ["NONE"]}})"),
       {}},
  };
}

TEST(OddInputTest, IsReadRight) {
  for (const OddInput& row : odd_inputs()) {
    SCOPED_TRACE(row.name);
    const GoodModel& good = good_models().at(row.model);
    const TemporaryFolder folder;
    write_file(folder.path() / "model.json", changed(good.text, row.change));
    Files files = good.files;
    for (const auto& [name, bytes] : row.files) files[name] = bytes;
    for (const auto& [name, bytes] : files) write_file(folder.path() / name, bytes);
    const Outcome outcome = run_shell("weft run model.json", folder.path());
    EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("Expect 'y': passed, 6 elements as expected"), std::string::npos)
        << outcome.out;
  }
}

}  // namespace
}  // namespace weft::testing
