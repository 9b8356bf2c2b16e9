#include "weft/info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "commands.h"
#include "json_output.h"
#include "weft/operator.h"

namespace weft::cli {

namespace {

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
  const Isa used = best_isa();
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

void print_json() {
  JsonOutput json;
  json.key("version").text(version());
  json.key("feature_level").text(feature_level());
  json.key("instruction_sets").start_object();
  json.key("built").texts(names(built_isas()));
  json.key("found").texts(names(machine_isas()));
  json.key("used").text(name(best_isa()));
  json.end_object();
  json.key("threads").number(std::uint64_t{default_thread_count()});
  json.key("operators").start_array();
  for (const OperatorSupport& row : operator_support()) {
    json.start_object();
    json.key("name").text(name(row.type));
    json.key("feature_level").text(row.first_feature_level);
    json.key("min_dimension_count").number(std::uint64_t{row.min_dimension_count});
    json.key("max_dimension_count").number(std::uint64_t{row.max_dimension_count});
    json.key("fusable").boolean(row.fusable);
    json.key("data_types").texts(names(row.data_types));
    json.end_object();
  }
  json.end_array();
  json.print();
}

}  // namespace

int info(bool markdown, bool json) {
  if (json) {
    print_json();
  } else if (markdown) {
    print_markdown();
  } else {
    print_text();
  }
  return kDone;
}

}  // namespace weft::cli
