#include "value_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "elements.h"
#include "text.h"

namespace weft::cli {

namespace {

std::string extension_of(const std::filesystem::path& path) {
  return upper_case(path.extension().string());
}

// One element in its first bytes, or nothing, having recorded why.
std::optional<std::array<std::byte, 8>> read_element(const JsonValue& value, DataType type) {
  std::array<std::byte, 8> element{};
  if (store_element(value.raw(), type, element.data())) return element;
  value.fail_value(element_rule(type));
  return std::nullopt;
}

std::optional<ListedValues> read_list(const JsonValue& value, DataType type) {
  ListedValues list;
  const unsigned size = byte_size(type);
  list.bytes.resize(value.size() * size);
  bool good = true;
  for (std::size_t i = 0; i < value.size(); ++i) {
    // A place is made for wrong elements only: lists are long.
    const auto& element = value.raw()[static_cast<rapidjson::SizeType>(i)];
    if (store_element(element, type, list.bytes.data() + i * size)) continue;
    value.element(i).fail_value(element_rule(type));
    good = false;
  }
  if (!good) return std::nullopt;
  return list;
}

std::optional<ListedValues> read_mixed_list(const JsonValue& value) {
  ListedValues list;
  bool good = true;
  for (std::size_t i = 0; i < value.size(); ++i) {
    JsonObject item(value.element(i));
    item.ignore({"name"});
    const auto type_field = item.required("type");
    const auto value_field = item.required("value");
    item.finish();
    const auto type = type_field ? read_element_type(*type_field) : std::nullopt;
    if (type == DataType::unknown) type_field->fail_value("a type with a size");
    if (!type || type == DataType::unknown || !value_field) {
      good = false;
      continue;
    }
    const auto element = read_element(*value_field, *type);
    if (element) {
      list.bytes.insert(list.bytes.end(), element->begin(), element->begin() + byte_size(*type));
    }
    good = good && element;
  }
  if (!good) return std::nullopt;
  return list;
}

// The type has to be known before a number can be read.
bool has_type(const JsonValue& value, DataType type) {
  if (type == DataType::unknown) value.fail("\"initialValuesDataType\" is missing or UNKNOWN");
  return type != DataType::unknown;
}

std::optional<Values> read_constant(JsonObject& object, DataType type) {
  const auto count_field = object.required("valueCount");
  const auto value_field = object.required("value");
  object.finish();
  if (!has_type(object.value(), type)) return std::nullopt;
  const auto count = count_field ? count_field->whole(1, UINT64_MAX) : std::nullopt;
  const auto element = value_field ? read_element(*value_field, type) : std::nullopt;
  if (!count || !element) return std::nullopt;
  return Values{type, ConstantValues{*count, *element}};
}

std::optional<Values> read_sequence(JsonObject& object, DataType type) {
  const auto count_field = object.required("valueCount");
  const auto start_field = object.required("valueStart");
  const auto delta_field = object.required("valueDelta");
  object.finish();
  if (!has_type(object.value(), type)) return std::nullopt;
  const auto count = count_field ? count_field->whole(1, UINT64_MAX) : std::nullopt;
  const auto start = start_field ? read_element(*start_field, type) : std::nullopt;
  const auto delta = delta_field ? read_element(*delta_field, type) : std::nullopt;
  if (!count || !start || !delta) return std::nullopt;
  return Values{type, SequenceValues{*count, *start, *delta}};
}

}  // namespace

bool is_npy(const std::filesystem::path& path) { return extension_of(path) == ".NPY"; }

std::optional<DataType> read_element_type(const JsonValue& value) {
  // In the order of the enumeration's values; the 4-bit types have no elements of their own.
  static constexpr std::string_view kNames[] = {"UNKNOWN", "FLOAT32", "FLOAT16", "UINT32",
                                                "UINT16",  "UINT8",   "INT32",   "INT16",
                                                "INT8",    "FLOAT64", "UINT64",  "INT64"};
  const auto index = value.one_of(kNames, "DML_TENSOR_DATA_TYPE_");
  if (!index) return std::nullopt;
  return static_cast<DataType>(*index);
}

std::optional<Values> read_file_values(const JsonValue& path, DataType type,
                                       const std::filesystem::path& input_path) {
  const auto text = path.string();
  if (!text) return std::nullopt;
  const std::filesystem::path file = input_path / *text;
  const std::string extension = extension_of(file);
  static constexpr std::string_view kPictures[] = {".PNG", ".JPG", ".JPEG"};
  if (std::find(std::begin(kPictures), std::end(kPictures), extension) != std::end(kPictures)) {
    path.fail_value("a .npy file or raw data: pictures in models are not supported");
    return std::nullopt;
  }
  if (type == DataType::unknown && extension != ".NPY") {
    path.fail("\"initialValuesDataType\" is missing or UNKNOWN, and raw data has no type");
    return std::nullopt;
  }
  return Values{type, FileValues{file}};
}

std::optional<Values> read_values(const JsonValue& value, DataType type,
                                  const std::filesystem::path& input_path) {
  if (value.is_array()) {
    if (value.size() == 0) {
      value.fail("is empty, must have at least one value");
      return std::nullopt;
    }
    if (type == DataType::unknown && !value.element(0).is_object()) {
      has_type(value, type);
      return std::nullopt;
    }
    auto list = type == DataType::unknown ? read_mixed_list(value) : read_list(value, type);
    if (!list) return std::nullopt;
    return Values{type, std::move(*list)};
  }
  if (value.is_string() && value.string() == "deferred") {
    value.fail("deferred binding is not supported: it belongs to ONNX models");
    return std::nullopt;
  }
  if (!value.is_object()) {
    value.fail_value("an array or an object");
    return std::nullopt;
  }
  JsonObject object(value);
  if (!object.ok()) return std::nullopt;
  if (const auto path = object.find("sourcePath")) {
    object.finish();
    return read_file_values(*path, type, input_path);
  }
  if (object.find("value")) return read_constant(object, type);
  if (object.find("valueStart")) return read_sequence(object, type);
  value.fail("must have one of the fields \"value\", \"valueStart\", \"sourcePath\"");
  return std::nullopt;
}

}  // namespace weft::cli
