// Files that `weft` writes: whole, where links point to, or not at all.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/model_folder.h"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A model that writes the bytes "ab" to `target`.
std::string writes_to(const std::string& target) {
  return R"({"resources": {"y": {"initialValuesDataType": "UINT8", "initialValues": [97, 98]}},
      "dispatchables": {},
      "commands": [{"type": "writeFile", "resource": "y", "targetPath": ")" +
         target + "\"}]}";
}

std::string files(const ModelFolder& folder) { return run_shell("ls -A", folder.path("")).out; }

TEST(WriteFileTest, WritesNpyAndRaw) {
  const ModelFolder folder;
  const Outcome outcome = folder.run(unfold_model(
      R"({"type": "writeFile", "resource": "y", "targetPath": "y.npy"},
         {"type": "writeFile", "resource": "x", "targetPath": "x.bin"},
         {"type": "writeFile", "resource": "x", "targetPath": "x.npy", "dimensions": [25]})"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(folder.read("y.npy"), HasSubstr("'shape': (1, 9, 9), }"));
  EXPECT_EQ(folder.read("x.bin").size(), 100u);
  EXPECT_THAT(folder.read("x.npy"), HasSubstr("'shape': (25,), }"));
}

TEST(WriteFileTest, WritesToDevices) {
  const ModelFolder folder;
  EXPECT_EQ(folder.run(writes_to("/dev/null")).status, 0);
  EXPECT_EQ(files(folder), "model.json\n");
}

TEST(WriteFileTest, TakesTheLongestNameThereIs) {
  const ModelFolder folder;
  const std::string name(255, 'y');
  const Outcome outcome = folder.run(writes_to(name));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(folder.read(name), "ab");
}

TEST(WriteFileTest, KeepsThePermissionsOfTheOldFile) {
  const ModelFolder folder;
  folder.write("y.bin", "old");
  fs::permissions(folder.path("y.bin"), fs::perms(0640));
  EXPECT_EQ(folder.run(writes_to("y.bin")).status, 0);
  EXPECT_EQ(folder.read("y.bin"), "ab");
  EXPECT_EQ(fs::status(folder.path("y.bin")).permissions(), fs::perms(0640));
}

TEST(WriteFileTest, FollowsLinks) {
  const ModelFolder folder;
  folder.write("real.bin", "old");
  fs::create_symlink("real.bin", folder.path("link.bin"));
  EXPECT_EQ(folder.run(writes_to("link.bin")).status, 0);
  EXPECT_EQ(folder.read("real.bin"), "ab");
  EXPECT_TRUE(fs::is_symlink(folder.path("link.bin")));
}

TEST(WriteFileTest, FollowsLinksToWhatIsNotThere) {
  const ModelFolder folder;
  fs::create_directory(folder.path("data"));
  fs::create_symlink("data/second.bin", folder.path("first.bin"));
  fs::create_symlink("real.bin", folder.path("data/second.bin"));
  const Outcome outcome = folder.run(writes_to("first.bin"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(folder.read("data/real.bin"), "ab");
  EXPECT_TRUE(fs::is_symlink(folder.path("first.bin")));
  EXPECT_TRUE(fs::is_symlink(folder.path("data/second.bin")));
}

TEST(WriteFileTest, RefusesLinksThatLeadNowhere) {
  const ModelFolder folder;
  fs::create_symlink("loop.bin", folder.path("loop.bin"));
  fs::create_symlink("none/real.bin", folder.path("link.bin"));
  const std::string place = "weft: error: model.json: /commands/0/targetPath: ";
  EXPECT_EQ(folder.check(writes_to("loop.bin")).err,
            place + "loop.bin: cannot write: Too many levels of symbolic links\n");
  EXPECT_EQ(folder.check(writes_to("link.bin")).err,
            place + "link.bin: cannot write: no folder \"none\"\n");
}

TEST(WriteFileTest, NeedsTheRightToWrite) {
  // Root may write anywhere, unless it gives that up.
  const std::string limited = run_shell("id -u").out == "0\n"
                                  ? "setpriv --bounding-set=-dac_override,-dac_read_search "
                                  : "";
  if (run_shell(limited + "true").status != 0) GTEST_SKIP() << "this root cannot give up rights";
  const ModelFolder folder;
  fs::create_directory(folder.path("locked"));
  fs::permissions(folder.path("locked"), fs::perms(0555));
  folder.write("model.json", writes_to("locked/y.bin"));
  for (const std::string command : {"check", "run"}) {
    const Outcome outcome = run_shell(limited + "weft " + command + " model.json", folder.path(""));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err,
              "weft: error: model.json: /commands/0/targetPath: locked/y.bin: cannot write: "
              "Permission denied\n");
  }
}

// A signal in the middle of a long write: the old file is there, and nothing else.
TEST(WriteFileTest, SignalsLeaveNothingBehind) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const ModelFolder folder;
    folder.write("y.bin", "old");
    folder.write("model.json", R"({"resources": {"y": {"initialValuesDataType": "UINT8",
        "initialValues": {"valueCount": 2000000000, "value": 0}}}, "dispatchables": {},
        "commands": [{"type": "writeFile", "resource": "y", "targetPath": "y.bin"}]})");
    // In the background, shells ignore SIGINT: it has to be switched on again.
    const Outcome outcome = run_shell(
        "set -m; shopt -s dotglob; weft run model.json & process=$!; "
        "until files=(*); ((${#files[@]} > 2)) || ! kill -0 $process 2> /dev/null; do :; done; "
        "kill -" +
            signal + " $process; wait $process 2> /dev/null; exit $?",
        folder.path(""));
    const int number = signal == "INT" ? 2 : signal == "TERM" ? 15 : 1;
    ASSERT_EQ(outcome.status, 128 + number) << outcome.err;
    EXPECT_EQ(files(folder), "model.json\ny.bin\n");
    EXPECT_EQ(folder.read("y.bin"), "old");
  }
}

}  // namespace
}  // namespace weft::testing
