// Output that cannot be written: nothing may be left of it.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

// Command 1 writes y.npy, which is good, and command 2 is `write`: it has to be refused before
// command 1 has been carried out.
BadInput writing(std::string name, const std::string& write, std::string error, Files files = {},
                 std::string command = {}) {
  const std::string commands = R"([{"type": "dispatch", "dispatchable": "op", "bindings":
      {"InputTensor": "x", "OutputTensor": "y"}},
      {"type": "writeFile", "resource": "y", "targetPath": "y.npy"},
      {"type": "writeFile", "resource": "y", )" +
                               write + "}]";
  return {std::move(name),    "UNFOLD",         set("/commands", commands),
          {std::move(error)}, std::move(files), std::move(command)};
}

// Only writing finds out: the model has no other command.
BadInput failing(std::string name, const std::string& path, const std::string& error,
                 std::string command, Files files = {}) {
  BadInput row = writing(std::move(name), "", path + ": cannot write: " + error, std::move(files),
                         std::move(command));
  row.change = set("/commands",
                   R"([{"type": "writeFile", "resource": "y", "targetPath": ")" + path + "\"}]");
  return row;
}

}  // namespace

std::vector<BadInput> bad_outputs() {
  // 1024 float32 are 4 KiB, a limit of 1 lets 1 KiB be written.
  const std::string full = "ulimit -f 1; weft run model.json";
  const std::string old_bytes = "what was there before";
  const std::string place = "model.json: /commands/2/targetPath: ";
  const std::string long_name(300, 'z');
  return {
      failing("disk full, .npy", "out.npy", "File too large", full),
      failing("disk full, raw", "out.bin", "File too large", full),
      failing("disk full, over a file that is there", "out.bin", "File too large", full,
              {{"out.bin", old_bytes}}),
      failing(
          "disk full from the first byte", "out.npy", "File too large",
          "(ulimit -f 0; weft run model.json 2>&1 > /dev/null) | cat >&2; exit ${PIPESTATUS[0]}"),
      failing("device that is full", "/dev/full", "No space left on device", "weft run model.json"),
      writing("output that is a folder", R"("targetPath": "out.npy")",
              place + "out.npy: cannot write: Is a directory", {{"out.npy/", ""}}),
      writing("output that is the model's folder", R"("targetPath": ".")",
              place + ".: cannot write: Is a directory"),
      writing("output in a folder that is missing", R"("targetPath": "out/y.npy")",
              place + "out/y.npy: cannot write: no folder \"out\""),
      writing("output in a folder that is a file", R"("targetPath": "out/y.npy")",
              place + "out/y.npy: cannot write: no folder \"out\"", {{"out", old_bytes}}),
      writing("output name with a NUL", R"("targetPath": "z\u0000.npy")",
              place + "\"z\\x00.npy\": cannot write: the path has a NUL character"),
      writing("output name too long", R"("targetPath": ")" + long_name + '"',
              place + long_name + ": cannot write: File name too long"),
      {"output path that is missing",
       "UNFOLD",
       {},
       {"model.json: /commands/2/targetPath: nowhere/y.npy: cannot write: no folder \"nowhere\""},
       {},
       "weft run model.json --output-path nowhere"},
      {"standard output that is full",
       "UNFOLD",
       {},
       {"writing to standard output failed"},
       {},
       "weft run model.json --output-path /tmp > /dev/full"},
  };
}

}  // namespace weft::testing
