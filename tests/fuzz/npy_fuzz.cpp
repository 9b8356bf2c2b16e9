// Any bytes read as a .npy file: BadInput, or elements as many as the header says.

#include <vector>

#include "memory_file.h"
#include "npy.h"
#include "problem.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  const weft::testing::MemoryFile memory(data, size);
  weft::cli::InputFile file(memory.path());
  const weft::cli::NpyHeader header = weft::cli::read_npy_header(file);
  std::vector<std::byte> elements(header.size_in_bytes());
  weft::cli::read_npy_elements(file, header, elements);
  return 0;
} catch (const weft::cli::BadInput&) {
  return 0;
}
