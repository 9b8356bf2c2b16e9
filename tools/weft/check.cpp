#include "command.h"

namespace weft::cli {

void add_check(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("check", "");
  command->callback([&context] { context.action = [] { return kDone; }; });
}

}  // namespace weft::cli
