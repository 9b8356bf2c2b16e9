#pragma once

#include <cstdio>
#include <string>

namespace weft::cli {

// A file that appears under its name only when it is complete.
//
//   OutputFile file(path);
//   std::fwrite(..., file.stream());
//   file.commit();
//
// What is written goes to a temporary file in the same folder, which commit() renames; without
// commit() it is removed. A link is followed; a device or pipe is written to as it is.
// All members throw BadInput, naming the file and saying why: a folder, no such folder, no
// permission, no space left.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::FILE* stream() const noexcept { return stream_; }

  // Says that writing to stream() went wrong, by what errno holds.
  [[noreturn]] void fail() const;

  // Writes out what is buffered, closes and renames.
  void commit();

 private:
  std::string path_;       // as the user wrote it, for messages
  std::string target_;     // what it leads to
  std::string temporary_;  // empty: stream_ is the target itself
  std::FILE* stream_ = nullptr;
};

}  // namespace weft::cli
