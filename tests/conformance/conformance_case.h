#pragma once

// A test case as it lies on the disk: nothing here knows Weft, so that a back end may be any
// implementation of DirectML.

#include <rapidjson/document.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/npy.h"

namespace weft::conformance {

struct Tensor {
  std::string field;  // "FilterTensor"
  std::string data_type;
  ElementType type;
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint32_t> strides;  // empty: packed
  bool packed = true;
  std::uint64_t total_size_in_bytes = 0;
  std::filesystem::path file;
  std::vector<std::byte> bytes;  // the file's data, filled up to total_size_in_bytes with zeros

  // The strides, in elements, whether packed or not.
  std::vector<std::uint64_t> element_strides() const;

  // Calls visit(offset in elements) for every element in row-major order.
  template <class Visit>
  void for_each_element(const Visit& visit) const {
    const std::vector<std::uint64_t> steps = element_strides();
    std::vector<std::uint32_t> index(sizes.size(), 0);
    std::uint64_t offset = 0;
    for (;;) {
      visit(offset);
      std::size_t d = sizes.size();
      for (; d > 0; --d) {
        offset += steps[d - 1];
        if (++index[d - 1] < sizes[d - 1]) break;
        offset -= steps[d - 1] * sizes[d - 1];
        index[d - 1] = 0;
      }
      if (d == 0) return;
    }
  }
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
