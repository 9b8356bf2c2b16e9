// Output that cannot be written: nothing may be left of it.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

// A model that only writes: /commands/1 is `write`.
BadInput writing(std::string name, const std::string& write, std::string error, Files files,
                 std::string command) {
  const std::string commands = R"([{"type": "dispatch", "dispatchable": "op", "bindings":
      {"InputTensor": "x", "OutputTensor": "y"}}, {"type": "writeFile", "resource": "y", )" +
                               write + "}]";
  return {std::move(name),    "UNFOLD",         set("/commands", commands),
          {std::move(error)}, std::move(files), std::move(command)};
}

}  // namespace

std::vector<BadInput> bad_outputs() {
  // What ran before the write has been reported.
  const std::string run = "weft run model.json > /dev/null";
  // 1024 float32 are 4 KiB, a limit of 1 lets 1 KiB be written.
  const std::string full = "ulimit -f 1; weft run model.json > /dev/null";
  const std::string old_bytes = "what was there before";
  std::vector<BadInput> rows = {
      writing("disk full, .npy", R"("targetPath": "out.npy")",
              "out.npy: cannot write: File too large", {}, full),
      writing("disk full, raw", R"("targetPath": "out.bin")",
              "out.bin: cannot write: File too large", {}, full),
      writing("disk full, over a file that is there", R"("targetPath": "out.bin")",
              "out.bin: cannot write: File too large", {{"out.bin", old_bytes}}, full),
      writing(
          "disk full from the first byte", R"("targetPath": "out.npy")",
          "out.npy: cannot write: File too large", {},
          "(ulimit -f 0; weft run model.json 2>&1 > /dev/null) | cat >&2; exit ${PIPESTATUS[0]}"),
      writing("device that is full", R"("targetPath": "/dev/full")",
              "/dev/full: cannot write: No space left on device", {}, run),
      writing("output that is a folder", R"("targetPath": "out.npy")",
              "out.npy: cannot write: Is a directory", {{"out.npy/", ""}}, run),
      writing("output in a folder that is missing", R"("targetPath": "out/y.npy")",
              "model.json: /commands/1/targetPath: out/y.npy: cannot write: no folder \"out\"", {},
              run),
      writing("output in a folder that is a file", R"("targetPath": "out/y.npy")",
              "model.json: /commands/1/targetPath: out/y.npy: cannot write: no folder \"out\"",
              {{"out", old_bytes}}, "weft check model.json"),
      writing("output path that is missing", R"("targetPath": "y.npy")",
              "model.json: /commands/1/targetPath: nowhere/y.npy: cannot write: no folder "
              "\"nowhere\"",
              {}, "weft run model.json --output-path nowhere > /dev/null"),
      writing("output name with a NUL", R"("targetPath": "y\u0000.npy")",
              "\"y\\x00.npy\": cannot write: the path has a NUL character", {}, run),
      writing("output name too long", R"("targetPath": ")" + std::string(300, 'y') + '"',
              std::string(300, 'y') + ": cannot write: File name too long", {}, run),
      writing("output name that leaves no room beside it",
              R"("targetPath": ")" + std::string(252, 'y') + '"',
              std::string(252, 'y') + ": cannot write: File name too long", {}, run),
      {"standard output that is full",
       "UNFOLD",
       {},
       {"writing to standard output failed"},
       {},
       "weft run model.json --output-path /tmp > /dev/full"},
  };
  return rows;
}

}  // namespace weft::testing
