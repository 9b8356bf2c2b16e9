#include <rapidjson/document.h>
#include <rapidjson/pointer.h>
#include <rapidjson/prettywriter.h>

#include <stdexcept>
#include <utility>

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

rapidjson::Document parse(const std::string& json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag | rapidjson::kParseTrailingCommasFlag>(
      json.c_str(), json.size());
  if (document.HasParseError()) throw std::runtime_error("not JSON: " + json);
  return document;
}

std::string written(const rapidjson::Document& document) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  document.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string with_value(const std::string& model, const std::string& pointer,
                       const std::string& json) {
  rapidjson::Document document = parse(model);
  rapidjson::Value value(parse(json), document.GetAllocator());
  rapidjson::Pointer(pointer.c_str(), pointer.size()).Set(document, value);
  return written(document);
}

std::string merged(const std::string& model, const std::string& pointer, const std::string& json) {
  rapidjson::Document document = parse(model);
  rapidjson::Value* const object =
      rapidjson::Pointer(pointer.c_str(), pointer.size()).Get(document);
  if (object == nullptr) throw std::runtime_error("nothing at " + pointer);
  rapidjson::Value fields(parse(json), document.GetAllocator());
  for (auto& field : fields.GetObject()) {
    if (object->HasMember(field.name)) {
      (*object)[field.name] = field.value;
    } else {
      object->AddMember(field.name, field.value, document.GetAllocator());
    }
  }
  return written(document);
}

std::string without(const std::string& model, const std::string& pointer) {
  rapidjson::Document document = parse(model);
  if (!rapidjson::Pointer(pointer.c_str(), pointer.size()).Erase(document)) {
    throw std::runtime_error("nothing at " + pointer);
  }
  return written(document);
}

std::string replaced(std::string model, const std::string& from, const std::string& to) {
  const std::size_t at = model.find(from);
  if (at == std::string::npos || model.find(from, at + 1) != std::string::npos) {
    throw std::runtime_error("not there once: " + from);
  }
  return model.replace(at, from.size(), to);
}

}  // namespace

Change set(std::string pointer, std::string json) {
  return {Change::set, std::move(pointer), std::move(json)};
}
Change merge(std::string pointer, std::string json) {
  return {Change::merge, std::move(pointer), std::move(json)};
}
Change remove(std::string pointer) { return {Change::remove, std::move(pointer), {}}; }
Change replace(std::string from, std::string to) {
  return {Change::replace, std::move(from), std::move(to)};
}
Change text(std::string whole) { return {Change::text, {}, std::move(whole)}; }

std::string changed(const std::string& model, const Change& change) {
  switch (change.kind) {
    case Change::set:
      return with_value(model, change.at, change.to);
    case Change::merge:
      return merged(model, change.at, change.to);
    case Change::remove:
      return without(model, change.at);
    case Change::replace:
      return replaced(model, change.at, change.to);
    case Change::text:
      return change.to;
    default:
      return model;
  }
}

BadInput in_desc(std::string model, std::string name, Change change,
                 std::vector<std::string> violations) {
  if (change.kind != Change::replace) change.at = "/dispatchables/op/desc" + change.at;
  for (std::string& violation : violations) {
    violation = "model.json: /dispatchables/op/desc: " + violation;
  }
  return {std::move(name), std::move(model), std::move(change), std::move(violations)};
}

}  // namespace weft::testing
