// Resources: their fields, and the values in them.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

BadInput in_x(std::string name, Change change, std::vector<std::string> errors,
              std::string model = "commands") {
  if (change.kind != Change::replace) change.at = "/resources/x" + change.at;
  for (std::string& error : errors) error = "model.json: /resources/x" + error;
  return {std::move(name), std::move(model), std::move(change), std::move(errors)};
}

}  // namespace

std::vector<BadInput> bad_resources() {
  const std::string float_rule =
      ", must be a number within +-3.4028235e+38, \"nan\", \"inf\" or \"-inf\" (FLOAT32)";
  return {
      in_x("resource that is no object", set("", "3"), {": is 3, must be an object"}),
      in_x("resource that is no buffer", set("/type", "\"texture\""),
           {"/type: is \"texture\", must be buffer"}),
      in_x("type that is no string", set("/type", "1"), {"/type: is 1, must be buffer"}),
      in_x("no values", remove("/initialValues"), {": field \"initialValues\" is missing"}),
      in_x("unknown field", set("/initialValue", "[1]"),
           {": unknown field \"initialValue\" (did you mean \"initialValues\"?)"}),
      in_x("field twice",
           replace("\"initialValues\": [0", "\"initialValues\": [1], \"initialValues\": [0"),
           {": field \"initialValues\" is there twice"}),
      in_x("unknown type", set("/initialValuesDataType", "\"FLOAT31\""),
           {"/initialValuesDataType: is \"FLOAT31\", must be one of UNKNOWN, FLOAT32, FLOAT16, "
            "UINT32, UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64 (did you mean "
            "\"FLOAT32\"?)"}),
      in_x("4-bit type", set("/initialValuesDataType", "\"UINT4\""),
           {"/initialValuesDataType: is \"UINT4\", must be one of UNKNOWN, FLOAT32, FLOAT16, "
            "UINT32, UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64 (did you mean "
            "\"UINT8\"?)"}),
      in_x("type that is a number", set("/initialValuesDataType", "1"),
           {"/initialValuesDataType: is 1, must be one of UNKNOWN, FLOAT32, FLOAT16, UINT32, "
            "UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64"}),
      in_x("size 0", set("/sizeInBytes", "0"),
           {"/sizeInBytes: is 0, must be a whole number from 1 to 18446744073709551615"}),
      in_x("negative size", set("/sizeInBytes", "-24"),
           {"/sizeInBytes: is -24, must be a whole number from 1 to 18446744073709551615"}),
      in_x("size that is a fraction", set("/sizeInBytes", "24.5"),
           {"/sizeInBytes: is 24.5, must be a whole number from 1 to 18446744073709551615"}),
      in_x("size that is text", set("/sizeInBytes", "\"24\""),
           {"/sizeInBytes: is \"24\", must be a whole number from 1 to 18446744073709551615"}),
      in_x("size past 2^64", set("/sizeInBytes", "18446744073709551616"),
           {"/sizeInBytes: is 1.8446744073709552e+19, must be a whole number from 1 to "
            "18446744073709551615"}),
      in_x("size below its values", set("/sizeInBytes", "20"),
           {": sizeInBytes is 20, must be at least 24: 24 bytes of values at offset 0"}),
      in_x("offset past the size",
           merge("", R"({"sizeInBytes": 24, "initialValuesOffsetInBytes": 4})"),
           {": sizeInBytes is 24, must be at least 28: 24 bytes of values at offset 4"}),
      in_x("offset past 2^64", set("/initialValuesOffsetInBytes", "18446744073709551615"),
           {": initialValuesOffsetInBytes 18446744073709551615 and 24 bytes of values pass 2^64 "
            "bytes"}),
      in_x("negative offset", set("/initialValuesOffsetInBytes", "-4"),
           {"/initialValuesOffsetInBytes: is -4, must be a whole number from 0 to "
            "18446744073709551615"}),
      in_x("rounding past 2^64", set("/sizeInBytes", "18446744073709551615"),
           {": 18446744073709551615 bytes pass 2^64 when rounded up to 4"}),
      in_x("values that are a number", set("/initialValues", "7"),
           {"/initialValues: is 7, must be an array or an object"}),
      in_x("values that are null", set("/initialValues", "null"),
           {"/initialValues: is null, must be an array or an object"}),
      in_x("deferred values", set("/initialValues", "\"deferred\""),
           {"/initialValues: deferred binding is not supported: it belongs to ONNX models"}),
      in_x("no value at all", set("/initialValues", "[]"),
           {"/initialValues: is empty, must have at least one value"}),
      in_x("values of no kind", set("/initialValues", "{}"),
           {"/initialValues: must have one of the fields \"value\", \"valueStart\", "
            "\"sourcePath\""}),
      in_x("text among numbers", set("/initialValues/2", "\"two\""),
           {"/initialValues/2: is \"two\"" + float_rule}),
      in_x("null, true, array and object among numbers",
           set("/initialValues", "[null, true, [3], {\"a\": 3}, 4, 5]"),
           {"/initialValues/0: is null" + float_rule, "/initialValues/1: is true" + float_rule,
            "/initialValues/2: is an array" + float_rule,
            "/initialValues/3: is an object" + float_rule}),
      in_x("number past float32", set("/initialValues/5", "1e39"),
           {"/initialValues/5: is 1e+39" + float_rule}),
      in_x("number past float16",
           merge("", R"({"initialValuesDataType": "FLOAT16", "initialValues": [1, 70000]})"),
           {"/initialValues/1: is 70000, must be a number within +-65504, \"nan\", \"inf\" or "
            "\"-inf\" (FLOAT16)"}),
      in_x("number that float16 rounds to infinity",
           merge("", R"({"initialValuesDataType": "FLOAT16", "initialValues": [65519, 65520]})"),
           {"/initialValues/1: is 65520, must be a number within +-65504, \"nan\", \"inf\" or "
            "\"-inf\" (FLOAT16)"}),
      in_x("text among float64",
           merge("", R"({"initialValuesDataType": "FLOAT64", "initialValues": ["infinity"]})"),
           {"/initialValues/0: is \"infinity\", must be a number within "
            "+-1.7976931348623157e+308, \"nan\", \"inf\" or \"-inf\" (FLOAT64)"}),
      in_x("numbers past int8",
           merge("", R"({"initialValuesDataType": "INT8", "initialValues": [127, 128, -129]})"),
           {"/initialValues/1: is 128, must be a whole number from -128 to 127 (INT8)",
            "/initialValues/2: is -129, must be a whole number from -128 to 127 (INT8)"}),
      in_x("numbers past uint8",
           merge("", R"({"initialValuesDataType": "UINT8", "initialValues": [256, -1, 0.5]})"),
           {"/initialValues/0: is 256, must be a whole number from 0 to 255 (UINT8)",
            "/initialValues/1: is -1, must be a whole number from 0 to 255 (UINT8)",
            "/initialValues/2: is 0.5, must be a whole number from 0 to 255 (UINT8)"}),
      in_x("number past int16",
           merge("", R"({"initialValuesDataType": "INT16", "initialValues": [32768]})"),
           {"/initialValues/0: is 32768, must be a whole number from -32768 to 32767 (INT16)"}),
      in_x("number past uint16",
           merge("", R"({"initialValuesDataType": "UINT16", "initialValues": [65536]})"),
           {"/initialValues/0: is 65536, must be a whole number from 0 to 65535 (UINT16)"}),
      in_x("number past int32",
           merge("", R"({"initialValuesDataType": "INT32", "initialValues": [2147483648]})"),
           {"/initialValues/0: is 2147483648, must be a whole number from -2147483648 to "
            "2147483647 (INT32)"}),
      in_x("number past uint32",
           merge("", R"({"initialValuesDataType": "UINT32", "initialValues": ["nan"]})"),
           {"/initialValues/0: is \"nan\", must be a whole number from 0 to 4294967295 (UINT32)"}),
      in_x("number past int64",
           merge("",
                 R"({"initialValuesDataType": "INT64", "initialValues": [9223372036854775808]})"),
           {"/initialValues/0: is 9223372036854775808, must be a whole number from "
            "-9223372036854775808 to 9223372036854775807 (INT64)"}),
      in_x("number past uint64",
           merge("",
                 R"({"initialValuesDataType": "UINT64", "initialValues": [18446744073709551616]})"),
           {"/initialValues/0: is 1.8446744073709552e+19, must be a whole number from 0 to "
            "18446744073709551615 (UINT64)"}),
      in_x("number between those of double",
           merge("", R"({"initialValuesDataType": "INT64", "initialValues": [1e17]})"),
           {"/initialValues/0: is 1e+17, must be a whole number from -9223372036854775808 to "
            "9223372036854775807 (INT64)"}),
  };
}

std::vector<BadInput> bad_values() {
  const std::string no_type = ": \"initialValuesDataType\" is missing or UNKNOWN";
  const std::string count = ", must be a whole number from 1 to 18446744073709551615";
  const std::string float_rule =
      ", must be a number within +-3.4028235e+38, \"nan\", \"inf\" or \"-inf\" (FLOAT32)";
  const auto values = [](const std::string& json) { return set("/initialValues", json); };
  return {
      in_x("constant without a count", values(R"({"value": 1})"),
           {"/initialValues: field \"valueCount\" is missing"}),
      in_x("constant with count 0", values(R"({"valueCount": 0, "value": 1})"),
           {"/initialValues/valueCount: is 0" + count}),
      in_x("constant with a negative count", values(R"({"valueCount": -6, "value": 1})"),
           {"/initialValues/valueCount: is -6" + count}),
      in_x("constant with half a count", values(R"({"valueCount": 6.5, "value": 1})"),
           {"/initialValues/valueCount: is 6.5" + count}),
      in_x("constant that is text", values(R"({"valueCount": 6, "value": "x"})"),
           {"/initialValues/value: is \"x\"" + float_rule}),
      in_x("constant with a step", values(R"({"valueCount": 6, "value": 1, "valueDelta": 1})"),
           {"/initialValues: unknown field \"valueDelta\""}),
      in_x("constant without a type",
           merge("", R"({"initialValuesDataType": null, "initialValues": {"valueCount": 6,
           "value": 1}})"),
           {"/initialValues" + no_type}),
      in_x("constant past 2^64 bytes", values(R"({"valueCount": 4611686018427387904, "value": 0})"),
           {": 4611686018427387904 elements of FLOAT32 pass 2^64 bytes"}),
      in_x("sequence without a count", values(R"({"valueStart": 1, "valueDelta": 1})"),
           {"/initialValues: field \"valueCount\" is missing"}),
      in_x("sequence without a step", values(R"({"valueCount": 6, "valueStart": 1})"),
           {"/initialValues: field \"valueDelta\" is missing"}),
      in_x("sequence of wrong values",
           values(R"({"valueCount": "six", "valueStart": [], "valueDelta": true})"),
           {"/initialValues/valueCount: is \"six\"" + count,
            "/initialValues/valueStart: is an array" + float_rule,
            "/initialValues/valueDelta: is true" + float_rule}),
      in_x("sequence without a type",
           merge("", R"({"initialValuesDataType": "UNKNOWN", "initialValues": {"valueCount": 6,
           "valueStart": 1, "valueDelta": 1}})"),
           {"/initialValues" + no_type}),
      in_x("sequence past 2^64 bytes",
           values(R"({"valueCount": 18446744073709551615, "valueStart": 1, "valueDelta": 1})"),
           {": 18446744073709551615 elements of FLOAT32 pass 2^64 bytes"}),
      in_x("file name that is a number", values(R"({"sourcePath": 7})"),
           {"/initialValues/sourcePath: is 7, must be a string"}),
      in_x("file and constant at once", values(R"({"sourcePath": "want.npy", "value": 1})"),
           {"/initialValues: unknown field \"value\""}),
      in_x("picture", values(R"({"sourcePath": "x.PNG"})"),
           {"/initialValues/sourcePath: is \"x.PNG\", must be a .npy file or raw data: pictures in "
            "models are not supported"}),
      in_x(
          "raw file without a type",
          merge("", R"({"initialValuesDataType": null, "initialValues": {"sourcePath": "x.bin"}})"),
          {"/initialValues/sourcePath: \"initialValuesDataType\" is missing or UNKNOWN, and raw "
           "data has no type"}),
      in_x("list of numbers without a type", set("/initialValuesDataType", "\"UNKNOWN\""),
           {"/initialValues" + no_type}),
      in_x("value without a type", remove("/initialValues/0/type"),
           {"/initialValues/0: field \"type\" is missing"}, "mixed"),
      in_x("value without a value", remove("/initialValues/1/value"),
           {"/initialValues/1: field \"value\" is missing"}, "mixed"),
      in_x("value of type UNKNOWN", set("/initialValues/2/type", "\"UNKNOWN\""),
           {"/initialValues/2/type: is \"UNKNOWN\", must be a type with a size"}, "mixed"),
      in_x("value that its type cannot hold", set("/initialValues/5/value", "-1"),
           {"/initialValues/5/value: is -1, must be a whole number from 0 to 4294967295 (UINT32)"},
           "mixed"),
      in_x("value with an unknown field", set("/initialValues/3/count", "2"),
           {"/initialValues/3: unknown field \"count\""}, "mixed"),
  };
}

}  // namespace weft::testing
