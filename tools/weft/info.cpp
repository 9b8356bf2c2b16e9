#include "weft/info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "weft/operator.h"

namespace weft::cli {

namespace {

struct Options {
  bool json = false;
  bool markdown = false;
};

template <class Values>
std::vector<std::string_view> names(const Values& values) {
  std::vector<std::string_view> result;
  result.reserve(values.size());
  for (const auto value : values) result.push_back(name(value));
  return result;
}

std::string dimensions(const OperatorSupport& row) {
  return fmt::format("{} to {}", row.min_dimension_count, row.max_dimension_count);
}

void print_text() {
  const Isa used = best_isa();  // first: it throws when WEFT_MAX_ISA is wrong
  fmt::print("weft {}, DirectML feature level {}\n\n", version(), feature_level());
  fmt::print("Instruction sets\n");
  fmt::print("  built    {}\n", fmt::join(names(built_isas()), " "));
  fmt::print("  found    {}\n", fmt::join(names(machine_isas()), " "));
  const char* const cap = std::getenv("WEFT_MAX_ISA");
  fmt::print("  used     {}{}\n", name(used),
             cap == nullptr ? "" : fmt::format(" (WEFT_MAX_ISA={})", cap));
  fmt::print("Threads    {}\n\n", default_thread_count());
  fmt::print("{:<32}{:<12}{:<7}{:<9}{}\n", "Operator", "Dimensions", "Since", "Fusable",
             "Data types");
  for (const OperatorSupport& row : operator_support()) {
    fmt::print("{:<32}{:<12}{:<7}{:<9}{}\n", name(row.type), dimensions(row),
               row.first_feature_level, row.fusable ? "yes" : "-",
               fmt::join(names(row.data_types), " "));
  }
}

// The whole of docs/operators.md.
void print_markdown() {
  fmt::print(
      "# Operators\n"
      "\n"
      "What Weft {} accepts: DirectML's operators at feature level {}. This page is what\n"
      "`weft info --markdown` prints; a test compares the two.\n"
      "\n"
      "*Dimensions* are those of the tensor that holds the image. *Since* is the feature level at\n"
      "which DirectML introduced the operator. *Fusable* functions may be the `FusedActivation`\n"
      "of CONVOLUTION, in its types.\n"
      "\n"
      "| Operator | Dimensions | Since | Fusable | Data types |\n"
      "|---|---|---|---|---|\n",
      version(), feature_level());
  for (const OperatorSupport& row : operator_support()) {
    fmt::print("| {} | {} | {} | {} | {} |\n", name(row.type), dimensions(row),
               row.first_feature_level, row.fusable ? "yes" : "",
               fmt::join(names(row.data_types), ", "));
  }
}

using JsonWriter = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void write_string(JsonWriter& json, std::string_view text) {
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void write_names(JsonWriter& json, const char* key, const std::vector<std::string_view>& values) {
  json.Key(key);
  json.StartArray();
  for (const std::string_view value : values) write_string(json, value);
  json.EndArray();
}

void write_operator(JsonWriter& json, const OperatorSupport& row) {
  json.StartObject();
  json.Key("name");
  write_string(json, name(row.type));
  json.Key("feature_level");
  write_string(json, row.first_feature_level);
  json.Key("min_dimension_count");
  json.Uint(row.min_dimension_count);
  json.Key("max_dimension_count");
  json.Uint(row.max_dimension_count);
  json.Key("fusable");
  json.Bool(row.fusable);
  write_names(json, "data_types", names(row.data_types));
  json.EndObject();
}

void print_json() {
  rapidjson::StringBuffer text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("version");
  write_string(json, version());
  json.Key("feature_level");
  write_string(json, feature_level());
  json.Key("instruction_sets");
  json.StartObject();
  write_names(json, "built", names(built_isas()));
  write_names(json, "found", names(machine_isas()));
  json.Key("used");
  write_string(json, name(best_isa()));
  json.EndObject();
  json.Key("threads");
  json.Uint(default_thread_count());
  json.Key("operators");
  json.StartArray();
  for (const OperatorSupport& row : operator_support()) write_operator(json, row);
  json.EndArray();
  json.EndObject();
  fmt::print("{}\n", text.GetString());
}

}  // namespace

void add_info(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "info", "Shows version, instruction sets, threads and which operators take which types.");
  CLI::Option* const json = command->add_flag("--json", options->json, "Print one JSON document");
  command
      ->add_flag("--markdown", options->markdown,
                 "Print the operators as docs/operators.md has them")
      ->excludes(json);
  set_examples(*command, {"info", "info --json"});
  command->callback([&context, options] {
    context.action = [options] {
      if (options->json) {
        print_json();
      } else if (options->markdown) {
        print_markdown();
      } else {
        print_text();
      }
      return kDone;
    };
  });
}

}  // namespace weft::cli
