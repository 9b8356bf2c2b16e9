#include "files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "problem.h"
#include "system_memory.h"
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
  constexpr std::size_t kMost = std::size_t{1} << 24;  // Ctrl-C waits for the end of each write
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.number(), bytes.data(), std::min(bytes.size(), kMost));
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

// The file at the end of a chain of links, whether or not it exists.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int kMost = 40;  // Linux's own limit
  std::error_code error;
  for (int i = 0; i < kMost && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path;
}

// Where the bytes for a path go.
struct Output {
  std::filesystem::path file;
  std::string temporary = {};              // beside it; none for a device
  std::optional<mode_t> permissions = {};  // of the file that is there already
};

Output find_output(const std::filesystem::path& path) {
  check_path(path, "write");
  struct stat status {};
  const int error = stat(path.c_str(), &status) == 0 ? 0 : errno;
  if (error != 0 && error != ENOENT && error != ENOTDIR) fail(path, "write", error);
  if (error == 0 && S_ISDIR(status.st_mode)) fail(path, "write", EISDIR);
  if (error == 0 && !S_ISREG(status.st_mode)) {
    if (access(path.c_str(), W_OK) != 0) fail(path, "write", errno);
    return {path};
  }
  Output output{follow_links(path)};
  if (error == 0) output.permissions = status.st_mode & 07777;
  const std::filesystem::path folder =
      output.file.has_parent_path() ? output.file.parent_path() : ".";
  std::random_device random;
  output.temporary = folder / fmt::format(".weft-{:08x}{:08x}", random(), random());
  if (output.temporary.size() >= PATH_MAX) fail(path, "write", ENAMETOOLONG);
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw BadInput(path.string(),
                   fmt::format("cannot write: no folder {}", quote(folder.string())));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) fail(path, "write", errno);
  return output;
}

// The temporary file that there is, for the handler of signals. Linux runs that on the main thread,
// which is the one that writes.
char unfinished_name[PATH_MAX];
std::atomic<bool> unfinished_exists = false;
static_assert(std::atomic<bool>::is_always_lock_free);

// Does only what is allowed in a handler; the signal ends the process when this returns.
void remove_unfinished(int signal) {
  if (unfinished_exists) unlink(unfinished_name);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// A file without a lasting name: it gets one by rename_to(), or goes with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name) {
    std::memcpy(unfinished_name, name.c_str(), name.size() + 1);
    unfinished_exists = true;  // before it does, so that no signal comes in between
    file_ = FileDescriptor(open(unfinished_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file_.number() < 0) unfinished_exists = false;
  }
  ~TemporaryFile() {
    if (unfinished_exists) unlink(unfinished_name);
    unfinished_exists = false;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  FileDescriptor& file() { return file_; }
  int rename_to(const std::filesystem::path& path) {
    if (rename(unfinished_name, path.c_str()) != 0) return errno;
    unfinished_exists = false;
    return 0;
  }

 private:
  FileDescriptor file_;
};

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
  if (S_ISREG(status.st_mode)) {
    const auto size = std::min(static_cast<std::size_t>(status.st_size), kMost);
    require_memory(size);
    text.reserve(size);
  }
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
  const Output output = find_output(path);
  if (output.temporary.empty()) return write_device(path, parts);
  TemporaryFile temporary(output.temporary);
  FileDescriptor& file = temporary.file();
  if (file.number() < 0) fail(path, "write", errno);
  int error = write_parts(file, parts);
  if (error == 0 && fchmod(file.number(), output.permissions.value_or(default_mode())) != 0) {
    error = errno;
  }
  if (file.close() != 0 && error == 0) error = errno;
  if (error == 0) error = temporary.rename_to(output.file);
  if (error != 0) fail(path, "write", error);
}

void check_output(const std::filesystem::path& path) { find_output(path); }

void clean_up_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_unfinished;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace weft::cli
