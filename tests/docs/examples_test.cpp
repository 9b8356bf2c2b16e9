// The examples, and those in the README: run as a reader would run them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

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

// The README's lines that install Weft.
std::string install_block() {
  for (const CodeBlock& block : code_blocks(read_file(source_tree / "README.md"))) {
    if (block.text.find("cmake --install") != std::string::npos) return block.text;
  }
  return {};
}

// Programs that find an installed Weft.
class InstalledTest : public ::testing::Test {
 protected:
  // By the README's last line, out of the build that these tests belong to.
  static void SetUpTestSuite() {
    folder = std::make_unique<TemporaryFolder>();
    const std::string block = install_block();
    std::string line = block.substr(std::min(block.find("cmake --install"), block.size()));
    line = std::regex_replace(line, std::regex("--install build"),
                              "--install " + build_dir().string());
    const Outcome outcome = run_shell(std::regex_replace(line, std::regex("PREFIX"), prefix()));
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

TEST_F(InstalledTest, ReadmeLinesAreTheOnesThatAreRun) {
  EXPECT_EQ(install_block(),
            "scripts/setup    # the packages that it takes to build\n"
            "cmake -B build\n"
            "cmake --build build\n"
            "cmake --install build --prefix PREFIX\n");
}

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

TEST_F(InstalledTest, ExecFindsTheLibrariesWhereverTheyAreMovedTogether) {
  if (!fs::exists(prefix() + "/include/directml")) GTEST_SKIP() << "this build has no DirectML";
  const TemporaryFolder elsewhere;
  fs::copy(prefix(), elsewhere.path(),
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const Outcome outcome = run_shell("unset LD_LIBRARY_PATH; " + elsewhere.path().string() +
                                    "/bin/weft exec -- sh -c 'ls $LD_LIBRARY_PATH/lib*'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"libdirectml.so", "libd3d12.so", "libdxcore.so"}) {
    EXPECT_THAT(outcome.out, HasSubstr(elsewhere.path().string()));
    EXPECT_THAT(outcome.out, HasSubstr(name));
  }
}

// Each in a function of its own, with the whole API included.
TEST_F(InstalledTest, ExamplesInHeadersBuildAndRun) {
  std::string program =
      "#include <weft/weft.h>\n#include <cstdlib>\n#include <functional>\n#include <thread>\n"
      "#include <vector>\nint main() {\n";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(source_tree / "include/weft")) {
    for (const std::string& example : header_examples(read_file(entry.path()))) {
      program += "[] {  // " + entry.path().filename().string() + "\n" + example + "}();\n";
      ++count;
    }
  }
  EXPECT_GE(count, 7);
  const fs::path source = folder->path() / "headers";
  fs::create_directory(source);
  write_file(source / "headers.cpp", program + "}\n");
  write_file(source / "CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.25)\nproject(headers LANGUAGES CXX)\n"
             "find_package(Weft REQUIRED)\nadd_executable(headers headers.cpp)\n"
             "target_link_libraries(headers PRIVATE Weft::weft)\n");
  build_project(source);
  const Outcome outcome = run_shell(build() + "/headers");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
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

// The commands that main() offers, by its own help.
std::vector<std::string> subcommands() {
  static const std::regex name_pattern(R"(\n  (\w+) )");
  const std::string help = run_shell("weft --help").out;
  std::vector<std::string> names;
  const std::size_t first = help.find("\nSubcommands:");
  if (first == std::string::npos) return names;
  const std::string list = help.substr(first);
  for (std::sregex_iterator it(list.begin(), list.end(), name_pattern), end; it != end; ++it) {
    names.push_back((*it)[1]);
  }
  return names;
}

// In a folder that has the examples and a program, as for a reader of the README.
TEST(HelpTest, EveryExampleOfEveryCommandRuns) {
  const std::vector<std::string> names = subcommands();
  EXPECT_GE(names.size(), 5u);
  for (const std::string& name : names) {
    const TemporaryFolder folder;
    fs::copy(source_tree / "examples", folder.path() / "examples", fs::copy_options::recursive);
    fs::copy("/bin/true", folder.path() / "program");
    const std::string help = run_shell("weft " + name + " --help").out;
    const std::size_t examples = help.find("\nExamples:\n");
    ASSERT_NE(examples, std::string::npos) << name;
    std::size_t count = 0;
    std::istringstream lines(help.substr(examples));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  $ ")) continue;
      EXPECT_TRUE(line.starts_with("  $ weft " + name)) << line;
      const std::string command =
          std::regex_replace(line.substr(4), std::regex("/tmp/"), folder.path().string() + "/");
      const Outcome outcome = run_shell(command, folder.path());
      EXPECT_EQ(outcome.status, 0) << command << "\n" << outcome.err;
      ++count;
    }
    EXPECT_GE(count, 1u) << name;
  }
}

}  // namespace
}  // namespace weft::testing
