#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace weft::conformance {

// What one element is: 'f' float, 'i' signed or 'u' unsigned integer, and its size.
struct ElementType {
  char kind = 'f';
  unsigned bytes = 4;
  bool operator==(const ElementType&) const = default;
};

// From DirectML's name: "FLOAT16", "UINT8". Throws std::runtime_error for any other.
ElementType element_type(std::string_view name);

// The value of one element. Exact for every type where long double has a 64-bit mantissa or more.
long double element_value(ElementType type, const std::byte* element);

// A .npy file of version 1.0, little-endian, C order: all that the cases use.
struct Npy {
  ElementType type;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> data;
};

// Both throw std::runtime_error, naming the file.
Npy read_npy(const std::filesystem::path& path);
void write_npy(const std::filesystem::path& path, const Npy& array);

// A whole file as it is.
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

}  // namespace weft::conformance
