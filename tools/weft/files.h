#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace weft::cli {

// A file descriptor that closes itself.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  int close();  // 0, or -1 with errno set

 private:
  int number_;
};

// A regular file, read from its start to its end: its size is known before anything is read.
// Everything throws BadInput with the path as its place.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size_in_bytes() const { return size_in_bytes_; }
  std::uint64_t remaining_bytes() const { return size_in_bytes_ - position_; }

  // Fills `target` with the next bytes.
  void read(std::span<std::byte> target);

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t size_in_bytes_ = 0;
  std::uint64_t position_ = 0;
};

// A whole file of text, or what a pipe gives; at most 1 GiB. Throws BadInput.
std::string read_text(const std::filesystem::path& path);

// Throws BadInput where write_file() could not even begin: a folder of that name, no folder to
// write into or no right to, a name that the system does not take. Writes nothing.
void check_output(const std::filesystem::path& path);

// Writes `parts`, one after the other, to a file that appears complete or not at all: into a
// temporary file beside it, which then takes its name. A link stays a link: the file that it names
// is written. Devices and pipes are written to directly. Throws BadInput, having removed the
// temporary file.
void write_file(const std::filesystem::path& path,
                std::span<const std::span<const std::byte>> parts);

// From now on SIGINT, SIGTERM and SIGHUP remove the temporary file that is being written before
// they end the process, except where they are ignored.
void clean_up_on_signals();

}  // namespace weft::cli
