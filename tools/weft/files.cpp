#include "files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "problem.h"
#include "text.h"

namespace weft::cli {

namespace {

// "cannot open: Permission denied".
[[noreturn]] void fail(const std::filesystem::path& path, std::string_view action, int error) {
  throw BadInput(path.string(), fmt::format("cannot {}: {}", action, std::strerror(error)));
}

// The system would read a path up to a NUL, and take another file.
void check_path(const std::filesystem::path& path, std::string_view action) {
  const std::string& name = path.native();
  if (name.empty()) throw BadInput("\"\"", fmt::format("cannot {}: the path is empty", action));
  if (name.find('\0') == std::string::npos) return;
  throw BadInput(quote(name), fmt::format("cannot {}: the path has a NUL character", action));
}

FileDescriptor open_to_read(const std::filesystem::path& path, int flags, struct stat& status) {
  check_path(path, "open");
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (file.number() < 0) fail(path, "open", errno);
  if (fstat(file.number(), &status) != 0) fail(path, "read", errno);
  if (S_ISDIR(status.st_mode)) fail(path, "read", EISDIR);
  return file;
}

// Up to `count` bytes; fewer only at the end of the file. Linux reads at most 2 GiB at once.
std::size_t read_some(const FileDescriptor& file, const std::filesystem::path& path, void* target,
                      std::size_t count) {
  std::size_t total = 0;
  while (total < count) {
    const ssize_t n = ::read(file.number(), static_cast<char*>(target) + total, count - total);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "read", errno);
    if (n == 0) break;
    total += static_cast<std::size_t>(n);
  }
  return total;
}

// Returns 0 or an errno value.
int write_all(const FileDescriptor& file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.number(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

int write_parts(const FileDescriptor& file, std::span<const std::span<const std::byte>> parts) {
  for (const std::span<const std::byte> part : parts) {
    if (const int error = write_all(file, part)) return error;
  }
  return 0;
}

void write_device(const std::filesystem::path& path,
                  std::span<const std::span<const std::byte>> parts) {
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0) fail(path, "open for writing", errno);
  if (const int error = write_parts(file, parts)) fail(path, "write", error);
  if (file.close() != 0) fail(path, "write", errno);
}

// The permissions that a new file gets from open().
mode_t default_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

int FileDescriptor::close() {
  const int number = std::exchange(number_, -1);
  return number < 0 ? 0 : ::close(number);
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  struct stat status {};
  file_ = open_to_read(path_, O_NONBLOCK, status);  // a pipe would wait for who writes it
  if (!S_ISREG(status.st_mode)) throw BadInput(path_.string(), "cannot read: not a regular file");
  size_in_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::read(std::span<std::byte> target) {
  const std::size_t count = read_some(file_, path_, target.data(), target.size());
  position_ += count;
  if (count != target.size()) throw BadInput(path_.string(), "cannot read: the file ends early");
}

std::string read_text(const std::filesystem::path& path) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  constexpr std::size_t kStep = std::size_t{1} << 16;
  struct stat status {};
  const FileDescriptor file = open_to_read(path, 0, status);
  std::string text;
  if (S_ISREG(status.st_mode))
    text.reserve(std::min(static_cast<std::size_t>(status.st_size), kMost));
  for (std::size_t count = kStep; count == kStep;) {
    const std::size_t size = text.size();
    if (size > kMost) throw BadInput(path.string(), "cannot read: larger than 1 GiB");
    text.resize(size + kStep);
    count = read_some(file, path, text.data() + size, kStep);
    text.resize(size + count);
  }
  return text;
}

void write_file(const std::filesystem::path& path,
                std::span<const std::span<const std::byte>> parts) {
  check_path(path, "write");
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(path, "write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_device(path, parts);

  // A link stays a link: the file that it names is the one replaced.
  std::error_code ignored;
  const std::filesystem::path target = exists ? std::filesystem::canonical(path, ignored) : path;
  std::string temporary = target.string() + ".XXXXXX";
  FileDescriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.number() < 0) fail(path, "write", errno);
  int error = write_parts(file, parts);
  if (error == 0 && fchmod(file.number(), exists ? status.st_mode & 07777 : default_mode()) != 0) {
    error = errno;
  }
  if (file.close() != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    fail(path, "write", error);
  }
}

}  // namespace weft::cli
