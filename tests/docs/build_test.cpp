// The build as somebody meets it who follows the pages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "docs/markdown.h"
#include "support/command.h"

namespace weft::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(BuildTest, ConfiguresWithoutGoogleTest) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_shell("cmake -B " + folder.path().string() + " -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no tests are built: GoogleTest is missing"));
}

// The presets of a kind (configure, build, test).
std::vector<std::string> presets(const std::string& kind) {
  static const std::regex name_pattern(R"re("(\w+)")re");
  const std::string list = run_shell("cmake --list-presets=" + kind).out;
  std::vector<std::string> names;
  for (std::sregex_iterator it(list.begin(), list.end(), name_pattern), end; it != end; ++it) {
    names.push_back((*it)[1]);
  }
  return names;
}

TEST(BuildTest, PresetsOfThePagesExist) {
  static const std::regex use_pattern(R"((cmake|cmake --build|ctest) --preset (\w+))");
  int count = 0;
  for (const char* page : {"/README.md", "/CONTRIBUTING.md"}) {
    const std::string text = read_file(source_dir() + page);
    for (std::sregex_iterator it(text.begin(), text.end(), use_pattern), end; it != end; ++it) {
      const std::string command = (*it)[1];
      const char* kind = command == "cmake" ? "configure" : command == "ctest" ? "test" : "build";
      EXPECT_THAT(presets(kind), Contains((*it)[2].str())) << page << ": " << (*it)[0];
      ++count;
    }
  }
  EXPECT_GE(count, 3);
}

// What did not run must not show as passed.
TEST(BuildTest, MissingConformanceCasesShowAsSkipped) {
  const Outcome outcome = run_shell("WEFT_CONFORMANCE_DIR=/nonexistent ctest --test-dir " +
                                    build_dir().string() + " -R '^conformance_'");
  for (const char* door : {"api", "command", "reference"}) {
    EXPECT_THAT(outcome.out, HasSubstr("conformance_" + std::string(door) + " (Skipped)"));
  }
}

TEST(BuildTest, LargeTestsNobodyAskedForShowAsSkipped) {
  const Outcome outcome = run_shell("unset WEFT_FULL_TESTS; ctest --test-dir " +
                                    build_dir().string() + " -R '^large.Bytes.Unfold'");
  EXPECT_THAT(outcome.out, HasSubstr("large.Bytes.Unfold (Skipped)"));
}

}  // namespace
}  // namespace weft::testing
