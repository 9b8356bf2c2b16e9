#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace weft::testing {

// A regular file that lives in memory, with a path that can be opened.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size)
      : number_(memfd_create("weft-fuzz", MFD_CLOEXEC)) {
    const auto written = write(number_, data, size);
    if (written < 0 || static_cast<std::size_t>(written) != size) std::abort();
  }
  ~MemoryFile() { close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

}  // namespace weft::testing
