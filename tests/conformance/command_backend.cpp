#include <filesystem>
#include <stdexcept>

#include "conformance/backend.h"
#include "conformance/model.h"
#include "conformance/npy.h"
#include "support/command.h"
#include "support/guarded_buffer.h"

namespace weft::conformance {

namespace {

namespace fs = std::filesystem;

// A buffer as a file of one dimension.
void write_flat(const fs::path& path, DataType type, std::span<const std::byte> bytes) {
  write_npy(path, {type, {bytes.size() / byte_size(type)}, {bytes.begin(), bytes.end()}});
}

// The expected output with `initial` wherever no element lies.
std::vector<std::byte> expected_buffer(const Tensor& output, std::span<const std::byte> initial) {
  std::vector<std::byte> bytes(initial.begin(), initial.end());
  const testing::ByteMarks addressed = testing::addressed_bytes(output.desc);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (addressed[i]) bytes[i] = output.bytes[i];
  }
  return bytes;
}

class CommandBackend : public Backend {
 public:
  std::vector<Result> run(const Case& test, std::span<const std::byte> initial) override {
    const testing::TemporaryFolder folder;
    const ModelFiles files = {folder.path() / "initial.npy", folder.path() / "expected.npy",
                              folder.path() / "result.npy", folder.path() / "result.bin"};
    write_flat(files.initial, test.output.desc.data_type, initial);
    write_flat(files.expected, test.output.desc.data_type, expected_buffer(test.output, initial));
    testing::write_file(folder.path() / "model.json", model_of(test, files));

    const testing::Outcome outcome = testing::run_shell("weft run model.json", folder.path());
    if (outcome.status != 0) {
      throw std::runtime_error("exit status " + std::to_string(outcome.status) + "\n" +
                               outcome.err + outcome.out);
    }
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
