#include "support/command.h"

#include <fcntl.h>
#include <spawn.h>
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

// Not with fork(), which copies the pages of a process: those that sanitizers add take longer than
// most commands.
pid_t start(const std::string& line, const fs::path& folder, const fs::path& out,
            const fs::path& err) {
  static const std::string path = fs::path(weft_binary()).parent_path().string() + ":" +
                                  (getenv("PATH") != nullptr ? getenv("PATH") : "");
  setenv("PATH", path.c_str(), 1);
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), kNewFile, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), kNewFile, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::string words[] = {"bash", "-c", line};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "bash", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "bash");
  return child;
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
  const pid_t child = start(line, folder, out, err);
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
