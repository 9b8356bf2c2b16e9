// Runs cases whose expected outputs come from other projects, and the examples printed in the
// DirectML documentation, through every door of this executable. What a case is:
// tests/data/README.md.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "conformance/compare.h"
#include "conformance/doors.h"
#include "support/locations.h"

namespace weft::conformance {
namespace {

namespace fs = std::filesystem;

struct Suite {
  const char* name;
  std::size_t cases;
};

constexpr Suite kSuites[] = {
    {"directml-docs", 47},  {"onnx-activation", 23}, {"onnx-node", 22},      {"onnx-pytorch", 25},
    {"ort-run", 200},       {"ort-unit", 59},        {"ort-web", 40},        {"pytorch-nn", 197},
    {"webnn-baseline", 33}, {"webnn-polyfill", 28},  {"wpt-activation", 47}, {"wpt-webnn", 52},
};
constexpr std::size_t kCases = 773;

// What a tag means here: how the point that it marks was decided.
const std::map<std::string, const char*> decisions = {
    {"extended_output", "accepted: the further elements are computed like all others"},
    {"output_exceeds_stride", "accepted as well, however large the output"},
    {"output_padding", "the last elements are zero before bias and activation"},
    {"reshaped", "run as given, in at most 4 dimensions"},
    {"fragile_coordinate", "float32 coordinates choose the element that the source chose"},
    {"non_finite_input", "infinities go through the sum and the activation unharmed"},
};

std::ostream& operator<<(std::ostream& out, const Suite& suite) { return out << suite.name; }

struct Count {
  std::size_t passed = 0;
  std::size_t total = 0;
};
using Totals = std::map<std::string, Count>;

// Runs one case in every configuration of a back end; returns how many there were, and fails the
// test where the output is not right.
std::size_t run_case(Backend& backend, const fs::path& folder, Totals& tags) {
  bool passed = true;
  std::size_t configurations = 0;
  std::vector<std::string> tagged;
  try {
    const Case test = load_case(folder);
    tagged = test.tags;
    const std::vector<std::byte> initial = filled_output(test);
    for (const Result& result : backend.run(test, initial)) {
      ++configurations;
      const std::string text = difference(test, initial, result.output);
      if (text.empty()) continue;
      passed = false;
      ADD_FAILURE() << folder.string() << "\n  " << result.configuration << ": " << text;
    }
    if (configurations == 0) throw std::runtime_error("nothing was run");
  } catch (const std::exception& error) {
    passed = false;
    ADD_FAILURE() << folder.string() << "\n  " << error.what();
  }
  tagged.emplace_back();  // every case counts for the suite
  for (const std::string& tag : tagged) {
    ++tags[tag].total;
    if (passed) ++tags[tag].passed;
  }
  return configurations;
}

class ExternalCases : public ::testing::TestWithParam<std::tuple<Door, Suite>> {
 protected:
  static void TearDownTestSuite() {
    for (const Door& door : doors()) {
      if (!totals.contains(door.name)) continue;
      std::printf("%s: totals a tag\n", door.name);
      for (const auto& [tag, count] : totals[door.name]) {
        std::printf("  %-22s %3zu of %3zu passed%s%s\n", tag.empty() ? "(all)" : tag.c_str(),
                    count.passed, count.total, tag.empty() ? "" : ": ",
                    tag.empty() ? "" : decisions.at(tag));
      }
    }
    totals.clear();
  }

  static inline std::map<std::string, Totals> totals;  // by door
};

TEST_P(ExternalCases, Pass) {
  const auto& [door, suite] = GetParam();
  const fs::path root = testing::conformance_dir();
  if (!fs::is_directory(root)) GTEST_SKIP() << "no conformance cases at " << root;
  if (door.needs_command && testing::weft_binary().empty()) {
    GTEST_SKIP() << "this build has no weft command";
  }
  const std::unique_ptr<Backend> backend = door.make();
  Totals tags;
  std::size_t runs = 0;
  for (const fs::path& folder : folders(root / suite.name)) {
    runs += run_case(*backend, folder, tags);
  }
  EXPECT_EQ(tags[""].total, suite.cases);
  std::printf("%s, %s: %zu of %zu cases passed in %zu runs\n", door.name, suite.name,
              tags[""].passed, tags[""].total, runs);
  for (const auto& [tag, count] : tags) {
    EXPECT_TRUE(tag.empty() || decisions.contains(tag)) << "no decision for tag " << tag;
    totals[door.name][tag].passed += count.passed;
    totals[door.name][tag].total += count.total;
  }
}

INSTANTIATE_TEST_SUITE_P(, ExternalCases,
                         ::testing::Combine(::testing::ValuesIn(doors()),
                                            ::testing::ValuesIn(kSuites)),
                         [](const auto& info) {
                           std::string name = std::string(std::get<0>(info.param).name) + "_" +
                                              std::get<1>(info.param).name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(ExternalCasesFolder, HoldsTheCasesThatAreKnown) {
  const fs::path root = testing::conformance_dir();
  if (!fs::is_directory(root)) GTEST_SKIP() << "no conformance cases at " << root;
  std::size_t found = 0;
  std::map<std::string, std::size_t> suites;
  for (const fs::path& suite : folders(root)) {
    suites[suite.filename().string()] = folders(suite).size();
    found += folders(suite).size();
  }
  EXPECT_EQ(found, kCases);
  EXPECT_EQ(suites.size(), std::size(kSuites));
  for (const Suite& suite : kSuites) EXPECT_EQ(suites[suite.name], suite.cases) << suite.name;
}

// The printed examples come with the sources, so these always run.
class PrintedExamples : public ::testing::TestWithParam<Door> {};

TEST_P(PrintedExamples, Pass) {
  if (GetParam().needs_command && testing::weft_binary().empty()) {
    GTEST_SKIP() << "this build has no weft command";
  }
  const std::unique_ptr<Backend> backend = GetParam().make();
  Totals tags;
  for (const fs::path& folder :
       folders(fs::path(testing::source_dir()) / "tests/data/directml-docs")) {
    run_case(*backend, folder, tags);
  }
  EXPECT_EQ(tags[""].total, 5u);
  EXPECT_EQ(tags[""].passed, 5u);
}

INSTANTIATE_TEST_SUITE_P(, PrintedExamples, ::testing::ValuesIn(doors()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace weft::conformance
