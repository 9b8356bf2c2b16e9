#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "files.h"
#include "weft/data_type.h"

namespace weft::cli {

// One number a dimension; a flat array may pass the 2^32 - 1 of a tensor's sizes.
using NpyShape = std::vector<std::uint64_t>;

// What the header of a .npy file says (NEP 1: magic, version, length, a Python dictionary with
// 'descr', 'fortran_order' and 'shape', then the elements).
struct NpyHeader {
  DataType type = DataType::unknown;
  bool big_endian = false;
  bool fortran_order = false;
  NpyShape shape = {};  // empty for a single number
  std::uint64_t element_count = 0;
  std::uint64_t size_in_bytes() const { return element_count * byte_size(type); }
};

// Reads the header of a file of version 1, 2 or 3, and leaves `file` at the first element.
// Throws BadInput for anything that is not a whole and sound .npy: a type without a DirectML one,
// no elements, a size other than what the file has left.
NpyHeader read_npy_header(InputFile& file);

// Reads the elements into `target`, which has size_in_bytes(), in C order and this machine's byte
// order whatever the file has.
void read_npy_elements(InputFile& file, const NpyHeader& header, std::span<std::byte> target);

// Writes version 1.0, C order. Throws BadInput; the file appears complete or not at all.
void write_npy(const std::filesystem::path& path, DataType type, const NpyShape& shape,
               std::span<const std::byte> elements);

}  // namespace weft::cli
