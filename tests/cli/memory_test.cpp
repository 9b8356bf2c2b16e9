// Memory: how much there is, and what happens when it is not enough.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/model_folder.h"
#include "support/npy_file.h"
#include "system_memory.h"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

// The system's files, made by the test: a machine with 1000 MiB available.
class AvailableMemoryTest : public ::testing::Test {
 protected:
  AvailableMemoryTest() {
    write("meminfo", "MemTotal:        8192000 kB\nMemFree:   1 kB\nMemAvailable:    1024000 kB\n");
  }

  void write(const std::string& name, const std::string& text) const {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    write_file(path, text + '\n');
  }

  std::uint64_t available() const {
    const fs::path& folder = folder_.path();
    return cli::available_memory_bytes(
        {folder / "meminfo", folder / "statm", folder / "cgroup", folder / "groups"});
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(AvailableMemoryTest, IsWhatTheMachineHasFree) {
  EXPECT_EQ(available(), 1000 * kMebibyte);
  write("meminfo", "");
  EXPECT_GT(available(), 0u);  // all the memory there is
  EXPECT_GT(cli::available_memory_bytes(), 0u);
}

TEST_F(AvailableMemoryTest, IsWhatTheNarrowestGroupHasLeft) {
  write("cgroup", "0::/outer/inner");
  write("groups/outer/inner/memory.max", "max");
  write("groups/outer/inner/memory.current", "1048576");
  EXPECT_EQ(available(), 1000 * kMebibyte);
  write("groups/outer/memory.max", "524288000");
  write("groups/outer/memory.current", "104857600");
  EXPECT_EQ(available(), 400 * kMebibyte);
  write("groups/outer/inner/memory.max", "209715200");
  EXPECT_EQ(available(), 199 * kMebibyte);
  // A container sees its own limit at the root, whatever path it is said to have.
  write("groups/memory.max", "104857600");
  write("groups/memory.current", "1048576");
  EXPECT_EQ(available(), 99 * kMebibyte);
}

TEST_F(AvailableMemoryTest, CountsPagesOfFilesAsFree) {
  write("cgroup", "0::/group");
  write("groups/group/memory.max", "104857600");
  write("groups/group/memory.current", "94371840");
  EXPECT_EQ(available(), 10 * kMebibyte);
  write("groups/group/memory.stat", "anon 1\ninactive_file 20971520\nactive_file 10485760");
  EXPECT_EQ(available(), 40 * kMebibyte);
}

TEST_F(AvailableMemoryTest, KnowsVersion1OfGroups) {
  write("cgroup", "5:cpu,memoryless:/other\n4:cpuset,memory:/outer/inner\n0::/");
  write("groups/memory/outer/memory.limit_in_bytes", "314572800");
  write("groups/memory/outer/memory.usage_in_bytes", "104857600");
  write("groups/memory/outer/inner/memory.limit_in_bytes", "9223372036854771712");  // no limit
  write("groups/memory/outer/inner/memory.usage_in_bytes", "104857600");
  EXPECT_EQ(available(), 200 * kMebibyte);
  write("groups/memory/outer/memory.stat", "inactive_file 1\ntotal_inactive_file 52428800");
  EXPECT_EQ(available(), 250 * kMebibyte);
}

TEST_F(AvailableMemoryTest, IsNothingPastTheLimit) {
  write("cgroup", "0::/group");
  write("groups/group/memory.max", "1048576");
  write("groups/group/memory.current", "2097152");
  EXPECT_EQ(available(), 0u);
}

TEST_F(AvailableMemoryTest, TakesOddFilesForNoLimit) {
  for (const std::string line : {"", "::", "0::", "0:", "x", "4:memory", "0::/../..", "0::none"}) {
    write("cgroup", line);
    EXPECT_EQ(available(), 1000 * kMebibyte) << line;
  }
}

// --- Commands that run short of memory

// What comes before a command that may allocate no block beyond `mebibytes`, or no more than those
// in all: sanitizers reserve address space far past any limit.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
std::string limited(int mebibytes) {
  if (!kSanitized) return "ulimit -v " + std::to_string(mebibytes * 1024) + "; ";
  return "export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=" +
         std::to_string(mebibytes) + "; ";
}

std::string large_resource(const std::string& values, const std::string& commands = "") {
  return R"({"resources": {"x": {"initialValuesDataType": "FLOAT32", "initialValues": )" + values +
         R"(}}, "dispatchables": {}, "commands": [)" + commands + "]}";
}

// Runs `command` with each limit, which is too little: it has to say so in one line.
void expect_out_of_memory(const ModelFolder& folder, const std::string& command,
                          const std::string& message, const std::vector<int>& limits) {
  for (const int limit : limits) {
    SCOPED_TRACE(limit);
    const Outcome outcome = run_shell(limited(limit) + command, folder.path(""));
    EXPECT_EQ(outcome.status, 2);
    // A sanitizer adds a line of its own.
    const std::string own =
        outcome.err.substr(std::min(outcome.err.find("weft: "), outcome.err.size()));
    EXPECT_EQ(own, "weft: error: " + message + "\n") << outcome.err;
  }
}

using Limits = std::vector<int>;

TEST(OutOfMemoryTest, LongListsAreRefused) {
  const ModelFolder folder;
  std::string list = "[1.5";
  for (int i = 1; i < 3'000'000; ++i) list += ",1.5";
  folder.write("model.json", large_resource(list + ']'));
  expect_out_of_memory(folder, "weft check model.json", "model.json: out of memory",
                       kSanitized ? Limits{25, 50} : Limits{32, 40, 48, 64, 90, 120});
  EXPECT_EQ(run_shell("weft check model.json", folder.path("")).status, 0);
}

TEST(OutOfMemoryTest, LongDocumentsAreRefused) {
  const ModelFolder folder;
  folder.write("model.json", large_resource(R"({"valueCount": 8000000, "value": 0.1})",
                                            R"({"type": "print", "resource": "x"})"));
  const std::string run = "weft run model.json --json";
  const Limits limits = kSanitized ? Limits{32, 36} : Limits{48, 58};
  expect_out_of_memory(folder, run, "out of memory", limits);
  const Outcome outcome = run_shell(limited(limits.back()) + run, folder.path(""));
  rapidjson::Document json;
  json.Parse(outcome.out.c_str());
  ASSERT_FALSE(json.HasParseError()) << outcome.out.substr(0, 200);
  EXPECT_STREQ(json["problems"][0]["message"].GetString(), "out of memory");
  EXPECT_EQ(run_shell(run + " > out.json", folder.path("")).status, 0);
}

TEST(OutOfMemoryTest, ResourcesPastTheLimitAreRefusedBeforeTheyAreTouched) {
  const ModelFolder folder;
  for (const std::string size : {"4611686018427387904", "9223372036854775808"}) {
    const std::string values = "[1], \"sizeInBytes\": " + size;
    EXPECT_THAT(folder.check(large_resource(values)).err,
                HasSubstr("/resources/x: needs " + size + " bytes of memory, of the "));
  }
  if (kSanitized) GTEST_SKIP() << "the rest takes a limit on address space";
  folder.write("model.json", large_resource(R"({"valueCount": 250000000, "value": 1})"));
  const Outcome outcome = run_shell("ulimit -v 600000; weft check model.json", folder.path(""));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/resources/x: needs 1000000000 bytes of memory, of the "));
}

// Once in memory, not twice.
TEST(OutOfMemoryTest, FortranOrderTakesNoSecondCopy) {
  const ModelFolder folder;
  folder.write("x.npy", npy_file("|u1", true, "(8000, 8000)", std::string(64'000'000, '\1')));
  folder.write("model.json", R"({"resources": {"x": {"initialValues": {"sourcePath": "x.npy"}}},
      "dispatchables": {}, "commands": []})");
  const Outcome outcome =
      run_shell(limited(kSanitized ? 62 : 110) + "weft check model.json", folder.path(""));
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace weft::testing
