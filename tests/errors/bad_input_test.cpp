// The table of bad input. Every row runs the real command on a good model with one change, and
// states everything that it says on stderr. The good models are run too, so that each row shows
// that its one change is what is refused.

#include "errors/bad_input.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>

#include "errors/good_models.h"
#include "support/command.h"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

std::vector<BadInput> all_rows() {
  std::vector<BadInput> rows;
  for (const auto group :
       {bad_json, bad_resources, bad_values, bad_dispatchables, bad_commands, bad_bindings,
        bad_descs, bad_tensors, bad_windows, bad_convolutions, bad_resamples, bad_functions,
        bad_npy_files, bad_raw_files, bad_outputs, bad_command_lines, bad_pictures}) {
    for (BadInput& row : group()) rows.push_back(std::move(row));
  }
  return rows;
}

const std::vector<BadInput>& rows() {
  static const std::vector<BadInput> rows = all_rows();
  return rows;
}

void lay_out(const fs::path& folder, const std::string& model, const Files& files) {
  write_file(folder / "model.json", model);
  for (const auto& [name, bytes] : files) {
    if (name.ends_with('/')) {
      fs::create_directory(folder / name);
    } else {
      write_file(folder / name, bytes);
    }
  }
}

// Every file in the folder, and what is in it.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    found[fs::relative(entry.path(), folder)] =
        entry.is_directory() ? "a folder" : read_file(entry.path());
  }
  return found;
}

std::set<std::string> names(const fs::path& folder) {
  std::set<std::string> found;
  for (const auto& [name, bytes] : contents(folder)) found.insert(name);
  return found;
}

std::string expected_stderr(const BadInput& row) {
  std::string text;
  for (const std::string& error : row.errors) text += "weft: error: " + error + '\n';
  return row.hint.empty() ? text : text + row.hint + '\n';
}

// `weft check` counts what it found; nothing else may be on stdout.
bool only_counts(const std::string& out, const std::string& err) {
  const auto problems = std::count(err.begin(), err.end(), '\n');
  return out.ends_with(".json: " + std::to_string(problems) +
                       (problems == 1 ? " problem\n" : " problems\n")) &&
         std::count(out.begin(), out.end(), '\n') == 1;
}

// With --json, standard output is one document with the lines of standard error.
void expect_json(const std::string& verdict, const std::string& out, const std::string& err) {
  rapidjson::Document json;
  json.Parse(out.c_str());
  ASSERT_TRUE(json.IsObject() && json.HasMember(verdict.c_str())) << out;
  EXPECT_FALSE(json[verdict.c_str()].GetBool());
  std::string lines;
  for (const auto& problem : json["problems"].GetArray()) {
    const std::string place = problem["place"].GetString();
    lines += "weft: error: " + place + (place.empty() ? "" : ": ") +
             problem["message"].GetString() + '\n';
  }
  EXPECT_EQ(err.substr(0, lines.size()), lines);
  EXPECT_EQ(err.find("weft: error: ", lines.size()), std::string::npos) << err;
}

void expect_refused(const BadInput& row, const std::string& command) {
  SCOPED_TRACE(row.model + ", " + row.name + ": " + command);
  const GoodModel& good = good_models().at(row.model);
  Files files = good.files;
  for (const auto& [name, bytes] : row.files) {
    files.erase(name.ends_with('/') ? name.substr(0, name.size() - 1) : name);
    files[name] = bytes;
  }
  const TemporaryFolder folder;
  lay_out(folder.path(), changed(good.text, row.change), files);
  const auto before = contents(folder.path());

  const Outcome outcome = run_shell(command, folder.path());
  EXPECT_EQ(outcome.status, 2);
  if (row.more) {
    EXPECT_TRUE(outcome.err.find(expected_stderr(row)) != std::string::npos)
        << "expected: " << expected_stderr(row) << "found: " << outcome.err;
  } else {
    EXPECT_EQ(outcome.err, expected_stderr(row));
  }
  if (command.ends_with(" --json")) {
    expect_json(command.starts_with("weft run") ? "passed" : "valid", outcome.out, outcome.err);
  } else {
    EXPECT_TRUE(outcome.out.empty() || only_counts(outcome.out, outcome.err)) << outcome.out;
  }
  EXPECT_TRUE(contents(folder.path()) == before) << "files were left behind or changed";
}

#ifdef __SANITIZE_ADDRESS__
TEST(BadInputTable, CommandsAreChecked) {
  const Outcome outcome = run_shell("ASAN_OPTIONS=help=1 weft --version");
  EXPECT_NE(outcome.err.find("AddressSanitizer"), std::string::npos) << outcome.err;
}
#endif

TEST(BadInputTable, GoodModelsPass) {
  for (const auto& [name, model] : good_models()) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    lay_out(folder.path(), model.text, model.files);
    const Outcome checked = run_shell("weft check model.json", folder.path());
    EXPECT_EQ(checked.status, 0) << checked.err;
    const auto before = names(folder.path());
    const Outcome run = run_shell("weft run model.json", folder.path());
    EXPECT_EQ(run.status, 0) << run.err << run.out;
    EXPECT_EQ(run.err, "");
    auto after = before;
    if (model.text.find("writeFile") != std::string::npos) after.insert("y.npy");
    EXPECT_EQ(names(folder.path()), after);
  }
}

// The table in shares, which may run side by side.
constexpr std::size_t kShares = 8;
class BadInputTest : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Shares, BadInputTest, ::testing::Range<std::size_t>(0, kShares));

TEST_P(BadInputTest, EveryRowIsRefused) {
  for (std::size_t i = GetParam(); i < rows().size(); i += kShares) {
    const BadInput& row = rows()[i];
    if (!row.command.empty()) {
      expect_refused(row, row.command);
      continue;
    }
    const char* const commands[] = {"weft check model.json", "weft run model.json --json"};
    // Under AddressSanitizer, where each takes its time, one of the two, which read models alike.
#ifdef __SANITIZE_ADDRESS__
    expect_refused(row, commands[i / kShares % 2]);
#else
    for (const char* const command : commands) expect_refused(row, command);
#endif
  }
}

TEST(BadInputTable, HasAtLeastTwoHundredRows) {
  std::set<std::string> seen;
  for (const BadInput& row : rows()) {
    EXPECT_TRUE(seen.insert(row.model + ": " + row.name).second) << row.model << ": " << row.name;
    EXPECT_FALSE(row.errors.empty()) << row.name;
  }
  std::cout << seen.size() << " bad inputs, each with the message it must give\n";
  EXPECT_GE(seen.size(), 200u);
}

}  // namespace
}  // namespace weft::testing
