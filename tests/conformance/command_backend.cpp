#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "conformance/backend.h"
#include "conformance/model.h"
#include "conformance/npy.h"
#include "support/guarded_buffer.h"
#include "support/locations.h"

namespace weft::conformance {

namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "weft-conformance-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// A buffer as a file of one dimension.
void write_flat(const fs::path& path, DataType type, std::span<const std::byte> bytes) {
  write_npy(path, {type, {bytes.size() / byte_size(type)}, {bytes.begin(), bytes.end()}});
}

// The expected output with `initial` wherever no element lies.
std::vector<std::byte> expected_buffer(const Tensor& output, std::span<const std::byte> initial) {
  std::vector<std::byte> bytes(initial.begin(), initial.end());
  const std::vector<bool> addressed = testing::addressed_bytes(output.desc);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (addressed[i]) bytes[i] = output.bytes[i];
  }
  return bytes;
}

std::string quoted(const std::string& path) {
  std::string text(1, '\'');
  text.append(path).append(1, '\'');
  return text;
}

// Runs a shell command; throws with its words when its exit status is not 0.
void run_command(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  std::string words;
  char part[4096];
  while (const std::size_t got = std::fread(part, 1, sizeof part, pipe)) words.append(part, got);
  const int status = pclose(pipe);
  if (status == 0) return;
  const std::string how = WIFEXITED(status) ? "exit status " + std::to_string(WEXITSTATUS(status))
                                            : "signal " + std::to_string(WTERMSIG(status));
  throw std::runtime_error(how + " of " + command + "\n" + words);
}

class CommandBackend : public Backend {
 public:
  std::vector<Result> run(const Case& test, std::span<const std::byte> initial) override {
    const TemporaryFolder folder;
    const ModelFiles files = {folder.path() / "initial.npy", folder.path() / "expected.npy",
                              folder.path() / "result.npy", folder.path() / "result.bin"};
    write_flat(files.initial, test.output.desc.data_type, initial);
    write_flat(files.expected, test.output.desc.data_type, expected_buffer(test.output, initial));
    const fs::path model = folder.path() / "model.json";
    std::ofstream(model) << model_of(test, files);

    run_command(quoted(testing::weft_binary()) + " run " + quoted(model.string()));
    Npy result = read_npy(files.result);
    if (result.type != test.output.desc.data_type)
      throw std::runtime_error("the .npy has another type");
    if (read_bytes(files.raw) != result.data) throw std::runtime_error("the two files differ");
    return {{"weft run", std::move(result.data)}};
  }
};

}  // namespace

std::unique_ptr<Backend> make_command_backend() { return std::make_unique<CommandBackend>(); }

}  // namespace weft::conformance
