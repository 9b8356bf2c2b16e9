#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "command_line.h"
#include "commands.h"
#include "json_output.h"
#include "model_reader.h"
#include "prepared_model.h"
#include "problem.h"
#include "text.h"

namespace weft::cli {

int check(const CheckOptions& options, bool json_wanted) try {
  const PreparedModel prepared(read_model(options.model, options.paths), {});
  const Model& model = prepared.model();
  if (json_wanted) {
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
  if (!json_wanted) {
    fmt::print("{}: {}\n", options.model, counted(error.problems().size(), "problem"));
  }
  throw;
}

}  // namespace weft::cli
