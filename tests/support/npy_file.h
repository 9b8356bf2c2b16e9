#pragma once

#include <string>

namespace weft::testing {

// The bytes of a .npy file of version 1.0: a header of exactly this text, and the elements.
std::string npy_file(const std::string& dictionary, const std::string& elements);

// The same with the header that NumPy writes: padded with spaces and a newline to a multiple of 64.
std::string npy_file(const std::string& descr, bool fortran_order, const std::string& shape,
                     const std::string& elements);

}  // namespace weft::testing
