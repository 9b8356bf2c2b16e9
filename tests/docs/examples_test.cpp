// The examples, and those in the README: run as a reader would run them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <regex>
#include <string>

#include "docs/markdown.h"
#include "support/command.h"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path source_tree = source_dir();

// Programs that link a library built for a sanitizer have to be built for it, too.
#if defined(__SANITIZE_ADDRESS__)
constexpr const char* kCompilerFlags = "-fsanitize=address,undefined";
#elif defined(__SANITIZE_THREAD__)
constexpr const char* kCompilerFlags = "-fsanitize=thread";
#else
constexpr const char* kCompilerFlags = "";
#endif

// Times differ from run to run.
std::string without_times(const std::string& text) {
  static const std::regex time_pattern(R"([0-9.]+ ms)");
  return std::regex_replace(text, time_pattern, "T ms");
}

TEST(ModelExamplesTest, EveryModelChecksItsResults) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(source_tree / "examples")) {
    if (entry.path().extension() != ".json") continue;
    const std::string model = entry.path().string();
    EXPECT_THAT(read_file(model), HasSubstr("\"expect\"")) << model;
    const Outcome check = run_shell("weft check " + model);
    EXPECT_EQ(check.status, 0) << model << check.err;
    const Outcome run = run_shell("weft run " + model);
    EXPECT_EQ(run.status, 0) << model << run.out << run.err;
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST(ModelExamplesTest, AWrongExpectationFails) {
  const TemporaryFolder folder;
  std::string model = read_file(source_tree / "examples/unfold.json");
  const std::size_t last = model.rfind("24\n");
  ASSERT_NE(last, std::string::npos);
  write_file(folder.path() / "model.json", model.replace(last, 2, "25"));
  EXPECT_EQ(run_shell("weft run model.json", folder.path()).status, 1);
}

// Programs that find an installed Weft through CMake.
class InstalledTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<TemporaryFolder>();
    const Outcome outcome =
        run_shell("cmake --install " + build_dir().string() + " --prefix " + prefix());
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static void TearDownTestSuite() { folder.reset(); }

  static std::string prefix() { return folder->path() / "prefix"; }

  // Configures and builds the project in `source`; its programs are then in build().
  static void build_project(const fs::path& source) {
    fs::remove_all(build());
    const std::string build = InstalledTest::build();
    const Outcome outcome = run_shell(
        "cmake -S " + source.string() + " -B " + build + " -DCMAKE_PREFIX_PATH=" + prefix() +
        " -DCMAKE_CXX_FLAGS='" + kCompilerFlags + "' 2>&1 && cmake --build " + build + " 2>&1");
    ASSERT_EQ(outcome.status, 0) << outcome.out;
  }
  static std::string build() { return folder->path() / "build"; }

  static inline std::unique_ptr<TemporaryFolder> folder;
};

TEST_F(InstalledTest, CommandRunsFromThePrefix) {
  const Outcome outcome = run_shell(prefix() + "/bin/weft run examples/unfold.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(InstalledTest, ExampleProgramsBuildAndRun) {
  build_project(source_tree / "examples");
  const Outcome unfold = run_shell(build() + "/unfold");
  EXPECT_EQ(unfold.status, 0);
  EXPECT_THAT(unfold.out, HasSubstr("   0   1   2   5   6   7  10  11  12\n"));
  EXPECT_THAT(unfold.out, HasSubstr("UNFOLD.OutputTensor.Sizes[2] is 8, must be 9"));

  const Outcome plan = run_shell(build() + "/convolution_plan");
  EXPECT_EQ(plan.status, 0);
  EXPECT_THAT(plan.out, HasSubstr("corner 17, inside 37; of the negative image 0, 0\n"));
}

// As in a Makefile. The prefix was chosen when installing, not when configuring.
TEST_F(InstalledTest, ProgramsFindItThroughPkgConfig) {
  const std::string program = folder->path() / "unfold_by_pkg_config";
  const Outcome built =
      run_shell("export PKG_CONFIG_PATH=$(dirname $(find " + prefix() + " -name weft.pc)) && c++ " +
                kCompilerFlags + " $(pkg-config --cflags weft) examples/unfold.cpp -o " + program +
                " $(pkg-config --libs weft) -Wl,-rpath,$(pkg-config --variable=libdir weft)");
  ASSERT_EQ(built.status, 0) << built.err;
  const Outcome outcome = run_shell(program);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("   0   1   2   5   6   7  10  11  12\n"));
}

// Sample by sample: both go through the same PNG writer.
TEST_F(InstalledTest, PictureIsWhatItsProgramDraws) {
  build_project(source_tree / "examples");
  const std::string drawn = folder->path() / "drawn.png";
  const std::string copy = folder->path() / "copy.png";
  const auto copied = [&](const std::string& picture) {
    const Outcome outcome =
        run_shell("weft image " + picture + " " + copy + " --scale 1 --mode nearest");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read_file(copy);
  };
  ASSERT_EQ(run_shell(build() + "/weave " + drawn).status, 0);
  EXPECT_EQ(copied(drawn), copied("examples/weave.png"));
}

TEST_F(InstalledTest, ReadmeProgramBuildsAndRuns) {
  std::string program;
  std::string cmake;
  std::string shown;
  for (const CodeBlock& block : code_blocks(read_file(source_tree / "README.md"))) {
    if (block.language == "cpp") program += block.text;
    if (block.language == "cmake") cmake += block.text;
    if (block.language == "text") shown += block.text;
  }
  const fs::path source = folder->path() / "readme";
  fs::create_directory(source);
  write_file(source / "my_program.cpp", program);
  write_file(source / "CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.25)\nproject(readme LANGUAGES CXX)\n" + cmake);
  build_project(source);
  const Outcome outcome = run_shell(build() + "/my_program");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, shown);
}

TEST(ReadmeTest, EveryCommandPrintsWhatIsShown) {
  int count = 0;
  for (const CodeBlock& block : code_blocks(read_file(source_tree / "README.md"))) {
    if (block.language != "console") continue;
    for (const ConsoleStep& step : console_steps(block.text)) {
      const Outcome outcome = run_shell("{ " + step.command + "; } 2>&1");
      EXPECT_EQ(without_times(outcome.out), without_times(step.output)) << step.command;
      ++count;
    }
  }
  EXPECT_GE(count, 3);
}

}  // namespace
}  // namespace weft::testing
