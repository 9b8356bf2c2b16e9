#include "json_output.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "elements.h"
#include "text.h"

namespace weft::cli {

JsonOutput::JsonOutput() : writer_(buffer_) {
  writer_.SetIndent(' ', 2);
  writer_.SetFormatOptions(rapidjson::kFormatSingleLineArray);
  writer_.StartObject();
}

JsonOutput& JsonOutput::key(std::string_view name) {
  writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  return *this;
}

JsonOutput& JsonOutput::text(std::string_view value) {
  writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  return *this;
}

JsonOutput& JsonOutput::number(std::uint64_t value) {
  writer_.Uint64(value);
  return *this;
}

JsonOutput& JsonOutput::number(double value) {
  if (std::isfinite(value)) {
    writer_.Double(value);
  } else {
    writer_.Null();
  }
  return *this;
}

JsonOutput& JsonOutput::boolean(bool value) {
  writer_.Bool(value);
  return *this;
}

JsonOutput& JsonOutput::dims(std::span<const std::uint32_t> values) {
  start_array();
  for (const std::uint32_t value : values) number(std::uint64_t{value});
  return end_array();
}

JsonOutput& JsonOutput::texts(std::span<const std::string_view> values) {
  start_array();
  for (const std::string_view value : values) text(value);
  return end_array();
}

// The bytes of a path need not be UTF-8; a document has to be.
JsonOutput& JsonOutput::path(const std::filesystem::path& value) {
  return text(printable(value.string()));
}

JsonOutput& JsonOutput::elements(DataType type, std::span<const std::byte> values) {
  start_array();
  for (std::size_t i = 0; i < values.size(); i += byte_size(type)) {
    const std::string element = element_text(type, values.data() + i);
    const bool is_number = element.back() >= '0' && element.back() <= '9';
    if (is_number) {
      writer_.RawValue(element.data(), element.size(), rapidjson::kNumberType);
    } else {
      text(element);
    }
  }
  return end_array();
}

JsonOutput& JsonOutput::problems(std::span<const Problem> values) {
  start_array();
  for (const Problem& problem : values) {
    start_object();
    key("place").text(printable(problem.place));
    key("message").text(printable(problem.message));
    end_object();
  }
  return end_array();
}

JsonOutput& JsonOutput::start_array() {
  writer_.StartArray();
  return *this;
}
JsonOutput& JsonOutput::end_array() {
  writer_.EndArray();
  return *this;
}
JsonOutput& JsonOutput::start_object() {
  writer_.StartObject();
  return *this;
}
JsonOutput& JsonOutput::end_object() {
  writer_.EndObject();
  return *this;
}

void JsonOutput::print() {
  writer_.EndObject();
  std::fwrite(buffer_.GetString(), 1, buffer_.GetSize(), stdout);
  std::fputc('\n', stdout);
}

void print_json_problems(std::string_view verdict, std::span<const Problem> problems) {
  JsonOutput json;
  json.key(verdict).boolean(false);
  json.key("problems").problems(problems);
  json.print();
}

}  // namespace weft::cli
