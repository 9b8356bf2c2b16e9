#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "files.h"

namespace weft::cli::bench {

// The child that python_peers.py runs in, and the memory that it shares with us. Everything throws
// Unavailable where the child is gone or refuses.
class PythonProcess {
 public:
  explicit PythonProcess(const std::filesystem::path& script);
  ~PythonProcess();
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  // "1.13.0"; empty where Python does not have that library.
  std::string version(const std::string& library) const;

  // Sends a line and returns the words of the answer behind `expected`, its first one.
  std::vector<std::string> ask(const std::string& line, const std::string& expected);

  // The shared memory, which both sides see at the same offsets.
  void resize_exchange(std::size_t size_in_bytes);
  void write_exchange(std::size_t offset, std::span<const std::byte> bytes);
  void read_exchange(std::size_t offset, std::span<std::byte> bytes);

 private:
  std::string read_line();

  FileDescriptor exchange_, to_child_, from_child_;
  pid_t child_ = -1;
  std::string received_;
  std::map<std::string, std::string> versions_;
};

}  // namespace weft::cli::bench
