#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json_memory.h"
#include "problem.h"

namespace weft::cli {

// A JSON file being read: the document, and everything found wrong with it so far.
//
// Comments and trailing commas are allowed; parsing takes the same stack at any depth of nesting.
// Throws BadInput at "file:line:column" for text that is not JSON.
class JsonFile {
 public:
  explicit JsonFile(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  const JsonNode& document() const { return document_; }

  // Records a problem at a JSON pointer of the file. After a hundred, further ones are dropped.
  void fail(const std::string& pointer, std::string message);
  std::size_t failures() const { return failures_; }
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::string name_;
  JsonDocument document_;
  std::vector<Problem> problems_;
  std::size_t failures_ = 0;  // calls of fail()
};

// A JSON value and its place. Each reading function returns the value, or records "is X, must be
// Y" and returns nothing.
class JsonValue {
 public:
  JsonValue(JsonFile& file, const JsonNode& value, std::string pointer)
      : file_(&file), value_(&value), pointer_(std::move(pointer)) {}

  JsonFile& file() const { return *file_; }
  const JsonNode& raw() const { return *value_; }
  const std::string& pointer() const { return pointer_; }

  bool is_null() const { return value_->IsNull(); }
  bool is_string() const { return value_->IsString(); }
  bool is_array() const { return value_->IsArray(); }
  bool is_object() const { return value_->IsObject(); }

  // Records a problem at this place; fail_value() one that starts with "is <the value>, must be ".
  void fail(std::string message) const { file_->fail(pointer_, std::move(message)); }
  void fail_value(std::string_view right) const;

  std::optional<std::string> string() const;
  std::optional<bool> boolean() const;
  std::optional<std::uint64_t> whole(std::uint64_t minimum, std::uint64_t maximum) const;
  std::optional<float> number() const;

  // The position in `names` of a string that is one of them, with or without `prefix`.
  std::optional<std::size_t> one_of(std::span<const std::string_view> names,
                                    std::string_view prefix = {}) const;

  // The bits of a flag or an array of flags: names[1] is bit 0, names[2] bit 1; names[0] is none.
  std::uint32_t flags(std::span<const std::string_view> names, std::string_view prefix) const;

  // Every element of an array; nothing when one of them, or the value itself, is not right.
  std::optional<std::vector<std::uint32_t>> whole_array() const;
  std::optional<std::vector<float>> number_array() const;

  // For arrays only.
  std::size_t size() const { return value_->Size(); }
  JsonValue element(std::size_t index) const;

 private:
  JsonFile* file_;
  const JsonNode* value_;
  std::string pointer_;
};

// The fields of a JSON object. Whatever is not asked for is an unknown field: finish() records
// those, with the nearest name among the ones that were.
class JsonObject {
 public:
  // Records a problem when `value` is not an object, or has a field twice; then it has no fields.
  explicit JsonObject(const JsonValue& value);

  bool ok() const { return object_ != nullptr; }
  const JsonValue& value() const { return value_; }

  // A field that may be missing (or null); one that must be there. find() is for those whose null
  // means something of its own.
  std::optional<JsonValue> find(std::string_view name);
  std::optional<JsonValue> optional(std::string_view name);
  std::optional<JsonValue> required(std::string_view name);

  // Fields that have a meaning elsewhere and none here.
  void ignore(std::initializer_list<std::string_view> names);

  // Every field, for objects that map names of the user's choice; none is unknown then.
  struct Member {
    std::string name;
    JsonValue value;
  };
  std::vector<Member> members();

  void finish();

 private:
  JsonValue value_;
  const JsonNode* object_ = nullptr;
  std::vector<std::string_view> known_;
};

}  // namespace weft::cli
