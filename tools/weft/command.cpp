#include "command.h"

namespace weft::cli {

void set_examples(CLI::App& command, std::initializer_list<std::string_view> arguments) {
  std::string text = "Examples:";
  for (const std::string_view line : arguments) text.append("\n  $ weft ").append(line);
  command.footer(text);
}

CLI::Option* add_json(CLI::App& command, Context& context) {
  return command.add_flag("--json", context.json, "Print one JSON document");
}

void add_threads(CLI::App& command, unsigned& threads) {
  command.add_option("--threads", threads, "Most threads to use; 0: one a core")
      ->check(CLI::Range(0u, 1024u))
      ->type_name("N")
      ->capture_default_str();
}

void add_model(CLI::App& command, std::string& model, ModelPaths& paths) {
  command.add_option("model", model, "The model")->required()->type_name("MODEL.json");
  command
      .add_option("--input-path,--input_path", paths.input,
                  "Folder that the model's data files are in; its own folder if left out")
      ->type_name("FOLDER");
  command
      .add_option("--output-path,--output_path", paths.output,
                  "Folder that files are written into; the model's own if left out")
      ->type_name("FOLDER");
}

}  // namespace weft::cli
