// `weft exec`: the environment and the arguments that a program gets, and what cannot be started.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/command.h"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The folder that weft exec puts in front.
fs::path libraries() {
  return (fs::path(weft_binary()).parent_path() / "../../lib/weft").lexically_normal();
}

class ExecTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(libraries() / "libdirectml.so")) GTEST_SKIP() << "this build has no DirectML";
  }
};

TEST_F(ExecTest, PutsTheLibrariesInFront) {
  const Outcome outcome =
      run_shell("LD_LIBRARY_PATH=/one:/two weft exec -- sh -c 'echo $LD_LIBRARY_PATH'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, libraries().string() + ":/one:/two\n");
}

// An empty part would be the current folder.
TEST_F(ExecTest, AddsNoEmptyPart) {
  for (const char* before : {"unset LD_LIBRARY_PATH", "export LD_LIBRARY_PATH="}) {
    const Outcome outcome =
        run_shell(std::string(before) + "; weft exec -- sh -c 'echo $LD_LIBRARY_PATH'");
    EXPECT_EQ(outcome.out, libraries().string() + "\n") << before;
  }
}

TEST_F(ExecTest, IsFoundThroughALink) {
  const TemporaryFolder folder;
  fs::create_symlink(weft_binary(), folder.path() / "linked");
  EXPECT_EQ(run_shell("./linked exec -- sh -c 'echo $LD_LIBRARY_PATH'", folder.path()).out,
            libraries().string() + "\n");
}

TEST_F(ExecTest, TraceSetsTheVariable) {
  EXPECT_EQ(run_shell("weft exec --trace -- sh -c 'echo $WEFT_TRACE'").out, "1\n");
  EXPECT_EQ(run_shell("unset WEFT_TRACE; weft exec -- sh -c 'echo $WEFT_TRACE'").out, "\n");
}

TEST_F(ExecTest, ArgumentsArriveAsTheyAre) {
  const Outcome outcome = run_shell(
      "weft exec -- printf '<%s>' '' '[a,b]' 'two words' --trace --help -- info $'new\\nline' '*'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "<><[a,b]><two words><--trace><--help><--><info><new\nline><*>");
}

TEST_F(ExecTest, StandardInputIsTheProgram) {
  EXPECT_EQ(run_shell("echo hello | weft exec -- cat").out, "hello\n");
  EXPECT_EQ(run_shell("weft exec true").status, 0);  // no arguments, no "--"
}

TEST_F(ExecTest, StatusIsThatOfTheProgram) {
  EXPECT_EQ(run_shell("weft exec -- sh -c 'exit 0'").status, 0);
  EXPECT_EQ(run_shell("weft exec -- sh -c 'exit 43'").status, 43);
  EXPECT_EQ(run_shell("exec weft exec -- sh -c 'kill -TERM $$'").status, 128 + 15);
}

// The command ignores SIGPIPE for itself.
TEST_F(ExecTest, SignalsAreAsUsual) {
  EXPECT_EQ(run_shell("exec weft exec -- sh -c 'kill -PIPE $$'").status, 128 + 13);
}

struct Refusal {
  const char* command;
  int status;
  const char* message;
};

TEST_F(ExecTest, SaysWhatCannotBeStarted) {
  const TemporaryFolder folder;
  write_file(folder.path() / "text", "text\n");
  write_file(folder.path() / "script", "#!/no/such/interpreter\n");
  fs::permissions(folder.path() / "script", fs::perms::owner_all);
  const Refusal refusals[] = {
      {"no_such_program", 127, "\"no_such_program\" is in no folder of PATH"},
      {"info", 127, "\"info\" is in no folder of PATH"},
      {"--help", 127, "\"--help\" is in no folder of PATH"},
      {"''", 127, "\"\" is in no folder of PATH"},
      {"./no_such_file", 127, "\"./no_such_file\" does not exist"},
      {"./text/file", 127, "\"./text/file\" does not exist"},
      {"./text", 126, "\"./text\" is not executable"},
      {"./script", 126,
       "\"./script\" cannot be started: the interpreter that it names does not exist"},
      {"/tmp", 126, "\"/tmp\" is a folder"},
  };
  for (const Refusal& refusal : refusals) {
    const Outcome outcome =
        run_shell(std::string("weft exec -- ") + refusal.command, folder.path());
    EXPECT_EQ(outcome.status, refusal.status) << refusal.command;
    EXPECT_EQ(outcome.err, std::string("weft: error: ") + refusal.message + "\n");
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(ExecTest, SaysWhatIsWrongWithItsOwnOptions) {
  const Outcome none = run_shell("weft exec");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, StartsWith("weft: error: program is required\n"));
  for (const char* line : {"weft exec ls -l", "weft exec -l -- ls", "weft exec ls -l x"}) {
    const Outcome outcome = run_shell(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_EQ(outcome.err,
              "weft: error: \"-l\" is not expected here: '--' has to stand before a program with "
              "arguments: weft exec -- ls ...\n");
  }
}

// A command that was copied away from its libraries.
TEST_F(ExecTest, SaysWhereItLookedForTheLibraries) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "a/bin");
  fs::copy(weft_binary(), folder.path() / "a/bin/weft");
  const Outcome outcome = run_shell("a/bin/weft exec -- true", folder.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("holds no libdirectml.so"));
}

}  // namespace
}  // namespace weft::testing
