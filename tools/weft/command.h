#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "model_reader.h"

namespace weft::cli {

// Exit statuses of every subcommand.
inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kBadInput = 2;

// What the command line asks for. A subcommand's callback only fills it; main() runs the action
// once the whole line has been parsed. The action returns an exit status, and throws BadInput
// (problem.h) or weft::Error for bad input; main() prints what was thrown, as JSON too where that
// was asked for.
struct Context {
  std::function<int()> action;
  bool json = false;                   // --json
  std::string_view verdict = "valid";  // what is false in the document of a failure
};

// A line of a subcommand's examples: "run examples/unfold.json" shows as `  $ weft run ...`.
// Every one of them is run by the tests, from the root of the repository.
void set_examples(CLI::App& command, std::initializer_list<std::string_view> arguments);

// Options that several commands have.
CLI::Option* add_json(CLI::App& command, Context& context);
void add_threads(CLI::App& command, unsigned& threads);
void add_model(CLI::App& command, std::string& model, ModelPaths& paths);

// Each adds its subcommand to the application; defined in the file of that name.
void add_run(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_shape(CLI::App& app, Context& context);
void add_image(CLI::App& app, Context& context);
void add_info(CLI::App& app, Context& context);
void add_exec(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);  // bench/

}  // namespace weft::cli
