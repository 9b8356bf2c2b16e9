#pragma once

#include <filesystem>
#include <optional>

#include "json_reader.h"
#include "model.h"

namespace weft::cli {

// Reads the type of a resource's elements: FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT32, UNKNOWN, ...
std::optional<DataType> read_element_type(const JsonValue& value);

// Reads values in any of the forms of `initialValues`:
//
//   [1, 2.5, "inf"]                                      elements of `type`
//   [{"type": "UINT32", "value": 6}, ...]                mixed elements, for type unknown
//   {"valueCount": 4, "value": 0}                        a constant
//   {"valueCount": 4, "valueStart": 1, "valueDelta": 2}  a sequence
//   {"sourcePath": "x.npy"}                              a file, relative to `input_path`
//
// Records what is wrong and returns nothing then.
std::optional<Values> read_values(const JsonValue& value, DataType type,
                                  const std::filesystem::path& input_path);

// A file of elements: .npy, which brings its own type, or raw elements of `type`.
std::optional<Values> read_file_values(const JsonValue& path, DataType type,
                                       const std::filesystem::path& input_path);

// Whether `path` ends in .npy, in any letter case.
bool is_npy(const std::filesystem::path& path);

}  // namespace weft::cli
