#include "support/command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace weft::testing {

namespace fs = std::filesystem;

namespace {

// In the child: never returns.
[[noreturn]] void start(const std::string& line, const fs::path& folder, const fs::path& out,
                        const fs::path& err) {
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_TRUNC;
  const std::string path = fs::path(weft_binary()).parent_path().string() + ":" +
                           (getenv("PATH") != nullptr ? getenv("PATH") : "");
  if (chdir(folder.c_str()) == 0 && setenv("PATH", path.c_str(), 1) == 0 &&
      dup2(open("/dev/null", O_RDONLY), 0) == 0 &&
      dup2(open(out.c_str(), kNewFile, 0600), 1) == 1 &&
      dup2(open(err.c_str(), kNewFile, 0600), 2) == 2) {
    execlp("bash", "bash", "-c", line.c_str(), nullptr);
  }
  _exit(127);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "weft-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Outcome run_shell(const std::string& line, const fs::path& folder) {
  const TemporaryFolder streams;
  const fs::path out = streams.path() / "out";
  const fs::path err = streams.path() / "err";
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) start(line, folder, out, err);
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, read_file(out), read_file(err)};
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace weft::testing
