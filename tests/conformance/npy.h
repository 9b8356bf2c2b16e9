#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "weft/data_type.h"

namespace weft::conformance {

// A .npy file of version 1.0, little-endian, C order: all that the cases use.
struct Npy {
  DataType type = DataType::float32;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> data;
};

// Both throw std::runtime_error, naming the file.
Npy read_npy(const std::filesystem::path& path);
void write_npy(const std::filesystem::path& path, const Npy& array);

// A whole file as it is.
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

}  // namespace weft::conformance
