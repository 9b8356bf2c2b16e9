#include "command.h"

namespace weft::cli {

void add_shape(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("shape", "");
  command->callback([&context] { context.action = [] { return kDone; }; });
}

}  // namespace weft::cli
