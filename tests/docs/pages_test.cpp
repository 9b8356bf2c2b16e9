// The pages of the documentation against the code that they speak of.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "docs/markdown.h"
#include "support/command.h"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;

const fs::path kSourceTree = source_dir();

std::vector<fs::path> files_below(const fs::path& folder, const std::set<std::string>& extensions) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (extensions.contains(entry.path().extension())) files.push_back(entry.path());
  }
  return files;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> result = files_below(kSourceTree / "docs", {".md"});
  for (const auto& entry : fs::directory_iterator(kSourceTree)) {
    if (entry.path().extension() == ".md") result.push_back(entry.path());
  }
  return result;
}

// "Suite.Name" of every test in the sources.
std::set<std::string> test_names() {
  static const std::regex test_pattern(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::set<std::string> names;
  for (const fs::path& file : files_below(kSourceTree / "tests", {".cpp"})) {
    const std::string text = read_file(file);
    for (std::sregex_iterator it(text.begin(), text.end(), test_pattern), end; it != end; ++it) {
      names.insert((*it)[1].str() + "." + (*it)[2].str());
    }
  }
  return names;
}

TEST(PagesTest, OperatorsPageIsWhatInfoPrints) {
  EXPECT_EQ(run_shell("weft info --markdown").out, read_file(kSourceTree / "docs/operators.md"))
      << "weft info --markdown > docs/operators.md makes it anew";
}

// The entries of the pages of decisions: what stands below each heading of the third level.
std::map<std::string, std::string> decisions() {
  static const std::regex heading_pattern(R"(\n### ([^\n]+)\n)");
  std::map<std::string, std::string> entries;
  for (const char* name :
       {"docs/decisions.md", "docs/decisions-directml.md", "docs/decisions-d3d12.md"}) {
    const std::string page = read_file(kSourceTree / name);
    for (std::sregex_iterator it(page.begin(), page.end(), heading_pattern), end; it != end; ++it) {
      const auto begin = static_cast<std::size_t>(it->position() + it->length());
      entries[(*it)[1]] = page.substr(begin, page.find("\n#", begin) - begin);
    }
  }
  return entries;
}

TEST(PagesTest, EveryDecisionNamesTestsThatExist) {
  static const std::regex name_pattern(R"(`(\w+\.\w+)`)");
  const std::set<std::string> names = test_names();
  for (const auto& [heading, entry] : decisions()) {
    ASSERT_NE(entry.find("**Choice.**"), std::string::npos) << heading;
    ASSERT_NE(entry.find("**Reason.**"), std::string::npos) << heading;
    const std::size_t tests = entry.find("**Tests.**");
    ASSERT_NE(tests, std::string::npos) << heading;
    std::size_t count = 0;
    for (std::sregex_iterator
             it(entry.begin() + static_cast<std::ptrdiff_t>(tests), entry.end(), name_pattern),
         end;
         it != end; ++it, ++count) {
      EXPECT_THAT(names, Contains((*it)[1].str())) << heading;
    }
    EXPECT_GT(count, 0u) << heading;
  }
}

TEST(PagesTest, EveryLinkLeadsSomewhere) {
  for (const fs::path& page : pages()) {
    for (const std::string& link : links(read_file(page))) {
      if (link.starts_with("https://")) continue;
      const std::size_t hash = link.find('#');
      const fs::path target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
      ASSERT_TRUE(fs::exists(target)) << page << ": " << link;
      if (hash != std::string::npos) {
        EXPECT_THAT(anchors(read_file(target)), Contains(link.substr(hash + 1))) << page;
      }
    }
  }
}

TEST(PagesTest, EveryDecisionThatHeadersPointToExists) {
  static const std::regex pointer_pattern(R"((docs/decisions[\w-]*\.md)#([\w-]+))");
  for (const char* folder : {"include", "src", "tools"}) {
    for (const fs::path& file : files_below(kSourceTree / folder, {".h", ".cpp"})) {
      const std::string text = read_file(file);
      for (std::sregex_iterator it(text.begin(), text.end(), pointer_pattern), end; it != end;
           ++it) {
        ASSERT_TRUE(fs::exists(kSourceTree / (*it)[1].str())) << file;
        EXPECT_THAT(anchors(read_file(kSourceTree / (*it)[1].str())), Contains((*it)[2].str()))
            << file;
      }
    }
  }
}

}  // namespace
}  // namespace weft::testing
