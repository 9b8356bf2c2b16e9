#pragma once

// A test case as it lies on the disk. Nothing here knows how it will be run: a back end may be any
// implementation of DirectML.

#include <rapidjson/document.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/tensor.h"

namespace weft::conformance {

struct Tensor {
  std::string field;  // "FilterTensor"
  TensorDesc desc;
  std::filesystem::path file;
  std::vector<std::byte> bytes;  // the file's data, filled up to the tensor's total size with zeros
};

struct Case {
  std::string suite;
  std::string name;
  std::string operator_name;     // "UNFOLD"
  rapidjson::Document document;  // all of case.json
  std::vector<Tensor> inputs;    // those present, in the order of the operator's desc
  Tensor output;                 // with the expected values
  std::vector<std::string> tags;
  double atol = 0;
  double rtol = 0;

  const rapidjson::Value& desc() const { return document["desc"]; }
};

// Throws std::runtime_error, naming the file.
Case load_case(const std::filesystem::path& folder);

// The folders of a directory, sorted; of a suite: its cases.
std::vector<std::filesystem::path> folders(const std::filesystem::path& directory);

}  // namespace weft::conformance
