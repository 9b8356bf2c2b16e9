#include "bench/python_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "bench/contender.h"

namespace weft::cli::bench {

namespace {

// Debian's, which has Debian's modules; another one in PATH would not.
constexpr const char* kPython = "/usr/bin/python3";

Unavailable broken(const char* what) {
  return Unavailable(fmt::format("{}: {}", what, std::strerror(errno)));
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

struct Pipe {
  FileDescriptor read, write;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw broken("pipe");
    read = FileDescriptor(ends[0]);
    write = FileDescriptor(ends[1]);
  }
};

// Starts Python with these as its standard input and output, and the exchange open under its own
// number.
pid_t spawn(const std::filesystem::path& script, const Pipe& input, const Pipe& output,
            const FileDescriptor& exchange) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) throw Unavailable("out of memory");
  posix_spawn_file_actions_adddup2(&actions, input.read.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write.number(), STDOUT_FILENO);
  const std::string path = script.string();
  const std::string shared = fmt::format("/proc/self/fd/{}", exchange.number());
  const char* const arguments[] = {kPython, "-W", "ignore", path.c_str(), shared.c_str(), nullptr};
  pid_t child = -1;
  const int error =
      posix_spawn(&child, kPython, &actions, nullptr, const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Unavailable("not installed (no /usr/bin/python3)");
  return child;
}

}  // namespace

PythonProcess::PythonProcess(const std::filesystem::path& script)
    : exchange_(memfd_create("weft-bench", 0)) {
  if (exchange_.number() < 0) throw broken("shared memory");
  Pipe input, output;
  child_ = spawn(script, input, output, exchange_);
  to_child_ = std::move(input.write);
  from_child_ = std::move(output.read);
  output.write.close();
  input.read.close();
  std::string ready;
  try {
    ready = read_line();
  } catch (const Unavailable&) {
    waitpid(child_, nullptr, 0);
    throw;
  }
  for (const std::string& word : words(ready)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::string version = word.substr(equals + 1);
    if (version != "-") versions_[word.substr(0, equals)] = version;
  }
}

// Without its standard input the child ends by itself.
PythonProcess::~PythonProcess() {
  to_child_.close();
  waitpid(child_, nullptr, 0);
}

std::string PythonProcess::version(const std::string& library) const {
  const auto found = versions_.find(library);
  return found == versions_.end() ? "" : found->second;
}

std::string PythonProcess::read_line() {
  std::size_t end = 0;
  while ((end = received_.find('\n')) == std::string::npos) {
    char buffer[4096];
    const ssize_t count = ::read(from_child_.number(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw broken("its process cannot be read from");
    if (count == 0) throw Unavailable("its process has ended");
    received_.append(buffer, static_cast<std::size_t>(count));
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

std::vector<std::string> PythonProcess::ask(const std::string& line, const std::string& expected) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::write(to_child_.number(), text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Unavailable("its process has ended");
    sent += static_cast<std::size_t>(count);
  }
  const std::string answer = read_line();
  std::vector<std::string> result = words(answer);
  if (result.empty() || result.front() != expected) throw Unavailable("it says: " + answer);
  result.erase(result.begin());
  return result;
}

void PythonProcess::resize_exchange(std::size_t size_in_bytes) {
  if (ftruncate(exchange_.number(), static_cast<off_t>(size_in_bytes)) != 0) {
    throw broken("shared memory");
  }
}

void PythonProcess::write_exchange(std::size_t offset, std::span<const std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = pwrite(exchange_.number(), bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(offset + done));
    if (count <= 0) throw broken("shared memory");
    done += static_cast<std::size_t>(count);
  }
}

void PythonProcess::read_exchange(std::size_t offset, std::span<std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = pread(exchange_.number(), bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(offset + done));
    if (count <= 0) throw broken("shared memory");
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace weft::cli::bench
