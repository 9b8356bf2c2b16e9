// Programs that find an installed Weft: through CMake, through pkg-config, and one that is written
// for Windows; with each compiler.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "directml/compiler.h"
#include "support/command.h"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Programs that link a library built for a sanitizer have to be built for it, too.
#if defined(__SANITIZE_ADDRESS__)
const std::string sanitizer_flags = "-fsanitize=address,undefined";
#elif defined(__SANITIZE_THREAD__)
const std::string sanitizer_flags = "-fsanitize=thread";
#else
const std::string sanitizer_flags;
#endif

class InstalledTest : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<TemporaryFolder>();
    const Outcome outcome =
        run_shell("cmake --install " + std::string(WEFT_BUILD_DIR) + " --prefix " + prefix());
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static void TearDownTestSuite() { folder.reset(); }

  void SetUp() override {
    WEFT_NEEDS_COMPILER(GetParam());
    // Another compiler has another library for its sanitizer.
    if (!sanitizer_flags.empty() && GetParam() != "g++") GTEST_SKIP() << "sanitized by g++";
  }

  static std::string prefix() { return folder->path() / "prefix"; }
  static std::string file(const std::string& name) { return folder->path() / name; }

  // With what pkg-config says; `more` are further arguments.
  static Outcome build_by_pkg_config(const std::string& program, const std::string& sources,
                                     const std::string& more) {
    return run_shell("export PKG_CONFIG_PATH=$(dirname $(find " + prefix() +
                     " -name weft-directml.pc)) && " + GetParam() + " -std=c++17 -Wall -Wextra " +
                     sanitizer_flags + " " + more + " $(pkg-config --cflags weft-directml) " +
                     sources + " -o " + program + " $(pkg-config --libs weft-directml)");
  }

  static inline std::unique_ptr<TemporaryFolder> folder;
};

constexpr const char* kUnfolded =
    "   0   0   0   0   1   2   5   6   7  10  11  12  15  16  17\n"
    "   0   0   0   1   2   3   6   7   8  11  12  13  16  17  18\n"
    "   0   0   0   2   3   4   7   8   9  12  13  14  17  18  19\n"
    "   0   1   2   5   6   7  10  11  12  15  16  17  20  21  22\n"
    "   1   2   3   6   7   8  11  12  13  16  17  18  21  22  23\n"
    "   2   3   4   7   8   9  12  13  14  17  18  19  22  23  24\n"
    "   5   6   7  10  11  12  15  16  17  20  21  22   0   0   0\n"
    "   6   7   8  11  12  13  16  17  18  21  22  23   0   0   0\n"
    "   7   8   9  12  13  14  17  18  19  22  23  24   0   0   0\n";

TEST_P(InstalledTest, ExamplesBuildThroughCMakeAndRun) {
  const std::string build = file("build-" + GetParam());
  const Outcome built =
      run_shell("cmake -S examples/directml -B " + build + " -DCMAKE_CXX_COMPILER=" + GetParam() +
                " -DCMAKE_PREFIX_PATH=" + prefix() + " -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror " +
                sanitizer_flags + "' 2>&1 && cmake --build " + build + " 2>&1");
  ASSERT_EQ(built.status, 0) << built.out;

  const Outcome minimal = run_shell(build + "/minimal");
  EXPECT_EQ(minimal.status, 0) << minimal.err;
  EXPECT_EQ(minimal.out, kUnfolded);

  // The blurred square, enlarged and clipped to 1; and its edges.
  const Outcome graph = run_shell(build + "/graph");
  EXPECT_EQ(graph.status, 0) << graph.err;
  EXPECT_THAT(graph.out, HasSubstr("clipped\n"
                                   " 0.333  0.417  0.583  0.667  0.667  0.583  0.417  0.333\n"));
  EXPECT_THAT(graph.out, HasSubstr(" 0.583  0.729  1.000  1.000  1.000  1.000  0.729  0.583\n"));
  EXPECT_THAT(graph.out, HasSubstr("edges\n"
                                   " 0.500  0.229  0.521  0.583  0.583  0.521  0.229  0.500\n"));

  const Outcome network = run_shell(build + "/super_resolution");
  EXPECT_EQ(network.status, 0) << network.err;
  EXPECT_THAT(network.out, HasSubstr("8x8 -> 16x16\nrow 8: 0.281 0.281 0.094 0.250 0.750 0.938 "
                                     "0.812 0.750 0.750 0.812 0.938 0.750 0.250"));
}

TEST_P(InstalledTest, ProgramBuildsThroughPkgConfigAndRuns) {
  const std::string program = file("minimal-" + GetParam());
  // The pragmas are those of DirectX-Headers.
  const Outcome built =
      build_by_pkg_config(program, "examples/directml/minimal.cpp", "-Werror -Wno-unknown-pragmas");
  ASSERT_EQ(built.status, 0) << built.err;
  const Outcome outcome = run_shell(program);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, kUnfolded);
}

TEST_P(InstalledTest, ProgramForWindowsRuns) {
  const std::string program = file("windows-" + GetParam());
  const Outcome built = build_by_pkg_config(program, "tests/directml/compiled/windows_program.cpp",
                                            "-I$(pkg-config --variable=compatdir weft-directml)");
  ASSERT_EQ(built.status, 0) << built.err;
  const Outcome outcome = run_shell("WEFT_LOG=error " + program);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("adapter Weft ("));
  EXPECT_THAT(outcome.out, HasSubstr("data abc, same device 1\n"));
  EXPECT_THAT(outcome.out, HasSubstr("event early 0, done 1, value 7\n"));
  EXPECT_THAT(outcome.err, HasSubstr("done\n"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, InstalledTest, ::testing::ValuesIn(client_compilers()),
                         [](const auto& info) { return info.param == "g++" ? "gcc" : "clang"; });

// In the shape of Microsoft's package, for build systems that expect it.
TEST(InstalledLayoutTest, HasTheFoldersOfTheNuGetPackage) {
  const TemporaryFolder folder;
  const fs::path prefix = folder.path() / "prefix";
  ASSERT_EQ(
      run_shell("cmake --install " + std::string(WEFT_BUILD_DIR) + " --prefix " + prefix.string())
          .status,
      0);
  const fs::path package = prefix / "share/weft/nuget";
  EXPECT_TRUE(fs::is_regular_file(package / "include/DirectML.h"));
  EXPECT_TRUE(fs::is_regular_file(package / "bin/x64-linux/libdirectml.so"));
  EXPECT_TRUE(fs::is_regular_file(package / "bin/x64-linux/libd3d12.so"));
}

}  // namespace
}  // namespace weft::testing
