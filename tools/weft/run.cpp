#include "command.h"

namespace weft::cli {

void add_run(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("run", "");
  command->callback([&context] { context.action = [] { return kDone; }; });
}

}  // namespace weft::cli
