#pragma once

#include <filesystem>
#include <string>

#include "support/locations.h"

namespace weft::testing {

// A folder of its own for a test; gone with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What a command wrote and how it ended.
struct Outcome {
  int status = 0;  // exit status; 128 + signal where a signal ended it, as shells have it
  std::string out;
  std::string err;
};

// Runs a line of bash in `folder`, with nothing to read. `weft` is the command as built.
Outcome run_shell(const std::string& line, const std::filesystem::path& folder = source_dir());

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);

}  // namespace weft::testing
