// Data files: .npy files that are truncated, lie or are none, and raw files.

#include "errors/bad_input.h"
#include "errors/good_models.h"
#include "support/npy_file.h"

namespace weft::testing {

namespace {

constexpr char kHeader[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

// A model that is good but for its x.npy.
BadInput with_npy(std::string name, std::string bytes, const std::string& error) {
  return {std::move(name),
          "npy",
          {},
          {"model.json: /resources/x: x.npy: " + error},
          {{"x.npy", std::move(bytes)}}};
}

BadInput with_header(std::string name, const std::string& dictionary, const std::string& error) {
  return with_npy(std::move(name), npy_file(dictionary, float_bytes(6)),
                  "broken .npy header: " + error);
}

BadInput with_raw(std::string name, Files files, const std::string& error) {
  return {std::move(name), "raw", {}, {"model.json: /resources/x: " + error}, std::move(files)};
}

std::string shaped(const std::string& shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
}

std::string typed(const std::string& descr) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': (2, 3), }";
}

// With the bytes at `offset` replaced.
std::string patched(std::string bytes, std::size_t offset, const std::string& with) {
  return bytes.replace(offset, with.size(), with);
}

void add_lengths(std::vector<BadInput>& rows) {
  const std::string good = npy_file(kHeader, float_bytes(6));
  const auto add = [&](std::string name, std::string bytes, const std::string& error) {
    rows.push_back(with_npy(std::move(name), std::move(bytes), error));
  };
  add("empty file", "", "not a .npy file: too short");
  add("file of seven bytes", good.substr(0, 7), "not a .npy file: too short");
  add("file of nine bytes", good.substr(0, 9), "broken .npy header: the file ends inside it");
  add("file that ends inside its header", good.substr(0, 40),
      "broken .npy header: it says it has 59 bytes, the file has 30 left");
  add("file that ends after its header", good.substr(0, good.size() - 24),
      "2x3 FLOAT32 needs 24 bytes, the file has 0 after its header");
  add("file that ends inside its elements", good.substr(0, good.size() - 1),
      "2x3 FLOAT32 needs 24 bytes, the file has 23 after its header");
  add("file with a byte too many", good + '\0',
      "2x3 FLOAT32 takes 24 bytes, the file has 25 after its header");
  add("other magic", patched(good, 1, "n"), "not a .npy file: it does not start with \\x93NUMPY");
  add("text", "1, 2, 3\n4, 5, 6\n", "not a .npy file: it does not start with \\x93NUMPY");
  add("zip archive of arrays", "PK\x03\x04 and so on",
      "not a .npy file: it does not start with \\x93NUMPY");
  add("version 0", patched(good, 6, std::string(1, '\0')),
      ".npy version 0.0 is not supported: 1.0, 2.0 and 3.0 are");
  add("version 4", patched(good, 6, "\x04"),
      ".npy version 4.0 is not supported: 1.0, 2.0 and 3.0 are");
  add("version 1.7", patched(good, 7, "\x07"),
      ".npy version 1.7 is not supported: 1.0, 2.0 and 3.0 are");
  add("header longer than the file", patched(good, 8, "\xff\xff"),
      "broken .npy header: it says it has 65535 bytes, the file has 83 left");
  add("header of 4 GiB", patched(patched(good, 6, "\x02"), 8, "\xff\xff\xff\xff"),
      "broken .npy header: it says it has 4294967295 bytes, the file has 81 left");
  std::string padded = "\x93NUMPY\x02";
  padded += std::string("\0\x01\0\x10\0", 5) + kHeader + std::string((1 << 20) + 400, ' ');
  add("header of more than 1 MiB", padded, "broken .npy header: longer than 1 MiB");
}

void add_dictionaries(std::vector<BadInput>& rows) {
  const auto add = [&](std::string name, const std::string& dictionary, const std::string& error) {
    rows.push_back(with_header(std::move(name), dictionary, error));
  };
  add("no dictionary", "", "'{' is missing at its end");
  add("list for a dictionary", "['descr', '<f4']", "'{' is missing before \"['descr', '<f4']\"");
  add("dictionary without an end", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
      "'}' is missing at its end");
  add("something after the dictionary", std::string(kHeader) + " # six",
      "something stands after the dictionary");
  add("no descr", "{'fortran_order': False, 'shape': (2, 3), }", "key \"descr\" is missing");
  add("no fortran_order", "{'descr': '<f4', 'shape': (2, 3), }",
      "key \"fortran_order\" is missing");
  add("no shape", "{'descr': '<f4', 'fortran_order': False, }", "key \"shape\" is missing");
  add("unknown key", "{'descr': '<f4', 'order': 'C', 'shape': (2, 3), }", "unknown key \"order\"");
  add("key that is not text", "{'descr': '<f4', 'sh\xff\x1b[2J': (6,)}",
      "unknown key \"sh\\xff\\x1b[2J\"");
  add("key twice", "{'descr': '<f4', 'descr': '<f4'}", "key \"descr\" is there twice");
  add("key without an end", "{'descr", "a string does not end");
  add("key without quotes", "{descr: '<f4'}", "'\"' is missing before \"descr: '<f4'}\"");
  add("missing colon", "{'descr' '<f4'}", "':' is missing before \"'<f4'}\"");
  add("missing comma", "{'descr': '<f4' 'fortran_order': False}",
      "'}' is missing before \"'fortran_order': Fal\"");
  add("order that is a number", "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }",
      "\"fortran_order\" must be True or False");
  add("order in lower case", "{'descr': '<f4', 'fortran_order': false, 'shape': (2, 3), }",
      "\"fortran_order\" must be True or False");
  add("shape that is a list", shaped("[2, 3]"), "'(' is missing before \"[2, 3], }\"");
  add("negative size", shaped("(-2, 3)"), "\"-2\" in \"shape\" is not a size");
  add("size that is a fraction", shaped("(2.0, 3)"), "')' is missing before \".0, 3), }\"");
  add("size that is text", shaped("('2', 3)"), "\"'2'\" in \"shape\" is not a size");
  add("size past 64 bits", shaped("(18446744073709551616, 3)"),
      "\"18446744073709551616\" in \"shape\" is not a size");
  add("sizes past 2^64 bytes", shaped("(4294967295, 4294967295, 4294967295)"),
      "4294967295x4294967295x4294967295 FLOAT32 passes 2^64 bytes");
  add("33 dimensions",
      shaped("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6)"),
      "more than 32 dimensions");
  add("nested shape", shaped("((2, 3))"), "\"(2\" in \"shape\" is not a size");
  const std::string types = " is not supported: only integers and floats of 8 to 64 bits are";
  add("complex numbers", typed("'<c8'"), "type \"<c8\"" + types);
  add("truth values", typed("'|b1'"), "type \"|b1\"" + types);
  add("text elements", typed("'<U4'"), "type \"<U4\"" + types);
  add("Python objects", typed("'|O'"), "type \"|O\"" + types);
  add("no type", typed("''"), "type \"\"" + types);
  add("type without a byte order", typed("'f4'"), "type \"f4\"" + types);
  add("floats without a byte order", typed("'|f4'"), "type \"|f4\"" + types);
  add("floats of 16 bytes", typed("'<f16'"), "type \"<f16\"" + types);
  add("floats of 3 bytes", typed("'<f3'"), "type \"<f3\"" + types);
  add("structures", typed("[('a', '<f4')]"), "structured types are not supported");
}

void add_sizes(std::vector<BadInput>& rows) {
  const auto add = [&](std::string name, const std::string& dictionary, const std::string& error) {
    rows.push_back(with_npy(std::move(name), npy_file(dictionary, float_bytes(6)), error));
  };
  add("shape of no elements", shaped("(2, 0)"), "2x0 FLOAT32 has no elements");
  add("shape of more elements than there are", shaped("(2, 4)"),
      "2x4 FLOAT32 needs 32 bytes, the file has 24 after its header");
  add("shape of fewer elements than there are", shaped("(5,)"),
      "5 FLOAT32 takes 20 bytes, the file has 24 after its header");
  add("shape of 2^62 elements", shaped("(4611686018427387903,)"),
      "4611686018427387903 FLOAT32 needs 18446744073709551612 bytes, the file has 24 after its "
      "header");
  add("scalar with six elements", shaped("()"),
      "scalar FLOAT32 takes 4 bytes, the file has 24 after its header");
  add("wider type than there are elements", typed("'<f8'"),
      "2x3 FLOAT64 needs 48 bytes, the file has 24 after its header");
  rows.push_back({"type other than the model's",
                  "npy",
                  set("/resources/x/initialValuesDataType", "\"INT32\""),
                  {"model.json: /resources/x: x.npy: holds FLOAT32, must hold INT32: the type that "
                   "the model says"}});
  rows.push_back({"expected type other than the resource's",
                  "commands",
                  {},
                  {"model.json: /commands/4: want.npy: holds INT32, must hold FLOAT32: the type "
                   "that the model says"},
                  {{"want.npy", npy_file(typed("'<i4'"), float_bytes(6))}}});
  rows.push_back({"expected shape of fewer elements",
                  "commands",
                  {},
                  {"model.json: /commands/4: has 3 values, must have 6: those of resource \"y\""},
                  {{"want.npy", npy_file(shaped("(3,)"), float_bytes(3))}}});
  rows.push_back(with_npy("offset past the file's values", npy_file(kHeader, float_bytes(6)), ""));
  rows.back().change = merge("/resources/x", R"({"sizeInBytes": 24,
      "initialValuesOffsetInBytes": 8})");
  rows.back().errors = {
      "model.json: /resources/x: sizeInBytes is 24, must be at least 32: 24 bytes of values at "
      "offset 8"};
}

}  // namespace

std::vector<BadInput> bad_npy_files() {
  std::vector<BadInput> rows;
  add_lengths(rows);
  add_dictionaries(rows);
  add_sizes(rows);
  rows.push_back({"folder in place of the file",
                  "npy",
                  {},
                  {"model.json: /resources/x: x.npy: cannot read: Is a directory"},
                  {{"x.npy/", ""}}});
  rows.push_back({"file that is missing",
                  "npy",
                  set("/resources/x/initialValues/sourcePath", "\"X.npy\""),
                  {"model.json: /resources/x: X.npy: cannot open: No such file or directory"}});
  rows.push_back({"name with control characters",
                  "npy",
                  set("/resources/x/initialValues/sourcePath", R"("\u001b[2J\u009b.npy")"),
                  {"model.json: /resources/x: \\x1b[2J\\xc2\\x9b.npy: cannot open: No such file or "
                   "directory"}});
  rows.push_back(
      {"input path that is missing",
       "npy",
       {},
       {"model.json: /resources/x: nowhere/x.npy: cannot open: No such file or directory"},
       {},
       "weft run model.json --input-path nowhere"});
  return rows;
}

std::vector<BadInput> bad_raw_files() {
  const auto path = [](const std::string& json) {
    return set("/resources/x/initialValues/sourcePath", json);
  };
  std::vector<BadInput> rows = {
      with_raw("empty file", {{"x.bin", ""}}, "x.bin: is empty, must have at least one element"),
      with_raw("file with part of an element", {{"x.bin", float_bytes(6) + "x"}},
               "x.bin: has 25 bytes, must have a multiple of 4: whole elements of FLOAT32"),
      with_raw("folder in place of the file", {{"x.bin/", ""}},
               "x.bin: cannot read: Is a directory"),
      with_raw("file that is missing", {}, "y.bin: cannot open: No such file or directory"),
      with_raw("device in place of the file", {}, "/dev/zero: cannot read: not a regular file"),
      with_raw("file below a file", {}, "x.bin/x.bin: cannot open: Not a directory"),
      with_raw("name with a NUL", {},
               "\"x.bin\\x00.bin\": cannot open: the path has a NUL character"),
      with_raw("name too long", {}, ""),
      with_raw("no name", {}, "")};
  rows[3].change = path("\"y.bin\"");
  rows[4].change = path("\"/dev/zero\"");
  rows[5].change = path("\"x.bin/x.bin\"");
  rows[6].change = path(R"("x.bin\u0000.bin")");
  const std::string name(300, 'x');
  rows[7].change = path('"' + name + '"');
  rows[7].errors = {"model.json: /resources/x: " + name + ": cannot open: File name too long"};
  rows[8].change = path("\"\"");
  rows[8].errors = {"model.json: /resources/x: \"\": cannot open: the path is empty"};
  rows.push_back({"pipe in place of the file",
                  "raw",
                  path("\"pipe.bin\""),
                  {"model.json: /resources/x: pipe.bin: cannot read: not a regular file"},
                  {},
                  "mkfifo pipe.bin && timeout 20 weft check model.json; status=$?; rm pipe.bin; "
                  "exit $status"});
  // Two elements for six: the tensor does not fit.
  rows.push_back({"fewer elements than the tensor",
                  "raw",
                  {},
                  {"model.json: /commands/0/bindings/InputTensor: resource \"x\" has 8 bytes, must "
                   "have at least 24: the tensor's TotalTensorSizeInBytes"},
                  {{"x.bin", float_bytes(2)}}});
  return rows;
}

}  // namespace weft::testing
