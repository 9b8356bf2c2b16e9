#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "command.h"
#include "json_output.h"
#include "model_reader.h"
#include "prepared_model.h"
#include "problem.h"
#include "text.h"

namespace weft::cli {

namespace {

struct Options {
  std::string model;
  ModelPaths paths;
  bool json = false;
};

int check(const Options& options) try {
  const PreparedModel prepared(read_model(options.model, options.paths), {});
  const Model& model = prepared.model();
  if (options.json) {
    JsonOutput json;
    json.key("valid").boolean(true);
    json.key("resources").number(std::uint64_t{model.resources.size()});
    json.key("dispatchables").number(std::uint64_t{model.dispatchables.size()});
    json.key("commands").number(std::uint64_t{model.commands.size()});
    json.key("problems").problems({});
    json.print();
  } else {
    fmt::print("{}: no problems ({}, {}, {})\n", model.file,
               counted(model.resources.size(), "resource"),
               counted(model.dispatchables.size(), "dispatchable"),
               counted(model.commands.size(), "command"));
  }
  return kDone;
} catch (const BadInput& error) {
  if (options.json) {
    print_json_problems("valid", error.problems());
  } else {
    fmt::print("{}: {}\n", options.model, counted(error.problems().size(), "problem"));
  }
  throw;
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "check", "Lists everything that is wrong with a model, its data files included.");
  command->add_option("model", options->model, "The model")->required()->type_name("MODEL.json");
  command
      ->add_option("--input-path,--input_path", options->paths.input,
                   "Folder that the model's data files are in; its own folder if left out")
      ->type_name("FOLDER");
  command
      ->add_option("--output-path,--output_path", options->paths.output,
                   "Folder that `weft run` would write into; the model's own if left out")
      ->type_name("FOLDER");
  command->add_flag("--json", options->json, "Print one JSON document");
  set_examples(*command, {"check examples/unfold.json", "check examples/fold.json --json"});
  command->callback(
      [&context, options] { context.action = [options] { return check(*options); }; });
}

}  // namespace weft::cli
