// DirectML.h: layout, target versions, virtual tables, interface IDs; with each compiler.

#include <gtest/gtest.h>

#include <iterator>
#include <regex>
#include <string>

#include "directml/compiler.h"

namespace weft::testing {
namespace {

class HeaderTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { WEFT_NEEDS_COMPILER(GetParam()); }

  static void expect_compiles(const std::string& source, const std::string& flags) {
    const Outcome outcome = compile(GetParam(), source, flags);
    EXPECT_EQ(outcome.status, 0) << GetParam() << " " << source << " " << flags << "\n"
                                 << outcome.err.substr(0, 4000);
  }
};

TEST_P(HeaderTest, EveryTargetVersionHasItsDeclarationsWithTheirLayout) {
  for (const char* version :
       {"0x1000", "0x2000", "0x2100", "0x3000", "0x3100", "0x4000", "0x4100", "0x5000", "0x5100",
        "0x5200", "0x6000", "0x6100", "0x6200", "0x6300", "0x6400"}) {
    expect_compiles("layout.cpp", std::string("-DDML_TARGET_VERSION=") + version);
  }
}

TEST_P(HeaderTest, ChoosesTheTargetVersionByItself) {
  expect_compiles("default_version.cpp", "-DWEFT_EXPECTED=0x6400");
  expect_compiles("default_version.cpp", "-DWEFT_NTDDI=0x0A000007 -DWEFT_EXPECTED=0x1000");
  expect_compiles("default_version.cpp", "-DWEFT_NTDDI=NTDDI_WIN10_VB -DWEFT_EXPECTED=0x2000");
  expect_compiles("default_version.cpp", "-DWEFT_NTDDI=NTDDI_WIN10_FE -DWEFT_EXPECTED=0x3000");
  expect_compiles("default_version.cpp", "-DWEFT_NTDDI=NTDDI_WIN10_CO -DWEFT_EXPECTED=0x4000");
  expect_compiles("default_version.cpp", "-DWEFT_NTDDI=NTDDI_WIN10_NI -DWEFT_EXPECTED=0x5000");
  expect_compiles("default_version.cpp", "-DWEFT_NTDDI=NTDDI_WIN10_ZN -DWEFT_EXPECTED=0x6000");
  expect_compiles("default_version.cpp",
                  "-DWEFT_NTDDI=NTDDI_WIN10_VB -DDML_TARGET_VERSION_USE_LATEST "
                  "-DWEFT_EXPECTED=0x6400");
}

TEST_P(HeaderTest, StandsAloneInEveryStandard) {
  for (const char* standard : {"-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"}) {
    expect_compiles("alone.cpp", standard);
  }
}

TEST_P(HeaderTest, StandsBesideTheProgramsOwnInterfaceIds) {
  for (const char* standard : {"-std=c++14", "-std=c++17", "-std=c++20"}) {
    expect_compiles("own_ids.cpp", standard);
  }
}

TEST_P(HeaderTest, OffersTheInterfaceIds) { expect_compiles("our_ids.cpp", ""); }

TEST_P(HeaderTest, MethodsAreInTheirSlots) {
  const TemporaryFolder folder;
  const std::string program = folder.path() / "slots";
  expect_compiles("slots.cpp", "-o " + program);
  const Outcome outcome = run_shell(program);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(Compilers, HeaderTest, ::testing::ValuesIn(client_compilers()),
                         [](const auto& info) { return info.param == "g++" ? "gcc" : "clang"; });

std::ptrdiff_t count(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex),
                       std::sregex_iterator());
}

// What the layout test compares is all there is.
TEST(HeaderTableTest, NamesEveryDeclaration) {
  const std::string table = read_file(source_dir() + "/tests/directml/layout.def");
  const std::string header = read_file(source_dir() + "/include/directml/DirectML.h");
  EXPECT_EQ(count(table, "\nWEFT_ENUM\\("), 25);
  EXPECT_EQ(count(table, "\nWEFT_VALUE\\("), 277);
  EXPECT_EQ(count(table, "\nWEFT_STRUCT\\("), 200);
  EXPECT_EQ(count(table, "\nWEFT_MEMBER\\("), 994);
  EXPECT_EQ(count(header, "\nenum DML_"), 25);
  EXPECT_EQ(count(header, "\n  DML_[A-Z0-9_x]+ = "), 277);
  EXPECT_EQ(count(header, "\n(struct|union) DML_"), 200);
  EXPECT_EQ(count(header, "\nstruct DML_[A-Z0-9_]+_OPERATOR_DESC \\{"), 177);
  EXPECT_EQ(count(header, "\ninterface DML_DECLARE_INTERFACE"), 12);
}

}  // namespace
}  // namespace weft::testing
