#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "json_memory.h"
#include "problem.h"
#include "weft/data_type.h"

namespace weft::cli {

// The one JSON document that a subcommand prints with --json.
//
//   JsonOutput json;
//   json.key("name").text("conv");
//   json.print();
class JsonOutput {
 public:
  JsonOutput();

  JsonOutput& key(std::string_view name);
  JsonOutput& text(std::string_view value);
  JsonOutput& number(std::uint64_t value);
  JsonOutput& number(double value);  // NaN and infinities as null
  JsonOutput& boolean(bool value);
  JsonOutput& dims(std::span<const std::uint32_t> values);
  JsonOutput& texts(std::span<const std::string_view> values);
  JsonOutput& path(const std::filesystem::path& value);

  // Elements of a tensor as a flat array; "nan", "inf" and "-inf" as a model has them.
  JsonOutput& elements(DataType type, std::span<const std::byte> values);

  JsonOutput& problems(std::span<const Problem> values);

  JsonOutput& start_array();
  JsonOutput& end_array();
  JsonOutput& start_object();
  JsonOutput& end_object();

  // Ends the document and writes it to standard output.
  void print();

 private:
  JsonBuffer buffer_;
  JsonWriter writer_;
};

// {`verdict`: false, "problems": [{"place", "message"}, ...]}: what a command prints that fails.
void print_json_problems(std::string_view verdict, std::span<const Problem> problems);

}  // namespace weft::cli
