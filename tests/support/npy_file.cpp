#include "support/npy_file.h"

namespace weft::testing {

std::string npy_file(const std::string& dictionary, const std::string& elements) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size() & 0xff);
  file += static_cast<char>(dictionary.size() >> 8);
  return file + dictionary + elements;
}

std::string npy_file(const std::string& descr, bool fortran_order, const std::string& shape,
                     const std::string& elements) {
  std::string dictionary = "{'descr': '" + descr +
                           "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                           ", 'shape': " + shape + ", }";
  dictionary.append(64 - (10 + dictionary.size() + 1) % 64, ' ').append("\n");
  return npy_file(dictionary, elements);
}

}  // namespace weft::testing
