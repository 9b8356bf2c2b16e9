#include "json_reader.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <new>

#include "elements.h"
#include "files.h"
#include "text.h"

namespace weft::cli {

namespace {

constexpr unsigned kParseFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseCommentsFlag |
                                 rapidjson::kParseTrailingCommasFlag |
                                 rapidjson::kParseNumbersAsStringsFlag |
                                 rapidjson::kParseValidateEncodingFlag;

// Builds the document, reading numbers itself: RapidJSON's own conversion overflows on long ones.
class DocumentBuilder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, DocumentBuilder> {
 public:
  explicit DocumentBuilder(JsonDocument& target) : target_(target) {}

  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    const std::string number(text, length);
    if (number != "-0") {  // a float has a sign even so
      if (const auto value = whole<std::int64_t>(number)) return target_.Int64(*value);
      if (const auto value = whole<std::uint64_t>(number)) return target_.Uint64(*value);
    }
    const double value = std::strtod(number.c_str(), nullptr);
    return std::isfinite(value) && target_.Double(value);
  }

  bool Null() { return target_.Null(); }
  bool Bool(bool value) { return target_.Bool(value); }
  bool String(const char* text, rapidjson::SizeType length, bool copy) {
    return target_.String(text, length, copy);
  }
  bool Key(const char* text, rapidjson::SizeType length, bool copy) {
    return target_.Key(text, length, copy);
  }
  bool StartObject() { return target_.StartObject(); }
  bool EndObject(rapidjson::SizeType count) { return target_.EndObject(count); }
  bool StartArray() { return target_.StartArray(); }
  bool EndArray(rapidjson::SizeType count) { return target_.EndArray(count); }

 private:
  template <class T>
  static std::optional<T> whole(const std::string& number) {
    T value{};
    const char* end = number.data() + number.size();
    const auto [after, error] = std::from_chars(number.data(), end, value);
    if (error != std::errc() || after != end) return std::nullopt;
    return value;
  }

  JsonDocument& target_;
};

// "3:14", both from 1; a column is a byte of the line.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", line, before.size() - start + 1);
}

std::string syntax_message(rapidjson::ParseErrorCode code) {
  // These two cover more than RapidJSON says of them.
  if (code == rapidjson::kParseErrorStringEscapeInvalid) {
    return "Invalid escape or control character in string";
  }
  if (code == rapidjson::kParseErrorUnspecificSyntaxError) return "Invalid or unfinished comment";
  std::string message = rapidjson::GetParseError_En(code);
  if (message.ends_with('.')) message.pop_back();
  return message;
}

std::string_view view(const JsonNode& string) {
  return {string.GetString(), string.GetStringLength()};
}

// One more step of a JSON pointer (RFC 6901).
std::string child(const std::string& pointer, std::string_view name) {
  std::string result = pointer + '/';
  for (const char c : name) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

// All elements, or nothing when `read` takes one of them for wrong.
template <class T, class Read>
std::optional<std::vector<T>> read_array(const JsonValue& value, const Read& read) {
  if (!value.is_array()) {
    value.fail_value("an array");
    return std::nullopt;
  }
  std::vector<T> result;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (const auto element = read(value.element(i))) result.push_back(static_cast<T>(*element));
  }
  if (result.size() != value.size()) return std::nullopt;
  return result;
}

}  // namespace

JsonFile::JsonFile(const std::filesystem::path& path) try : name_(path.string()) {
  const std::string content = read_text(path);
  std::string_view text = content;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());

  rapidjson::MemoryStream stream(text.data(), text.size());
  JsonParser reader;
  const auto generate = [&](JsonDocument& document) {
    DocumentBuilder builder(document);
    return !reader.Parse<kParseFlags>(stream, builder).IsError();
  };
  document_.Populate(generate);
  if (reader.HasParseError()) {
    // The builder ends the parsing for one reason only.
    const rapidjson::ParseErrorCode code =
        reader.GetParseErrorCode() == rapidjson::kParseErrorTermination
            ? rapidjson::kParseErrorNumberTooBig
            : reader.GetParseErrorCode();
    throw BadInput(fmt::format("{}:{}", name_, line_and_column(text, reader.GetErrorOffset())),
                   "not JSON: " + syntax_message(code));
  }
  // The parser takes a NUL for the end of the text.
  if (stream.Tell() != text.size()) {
    throw BadInput(fmt::format("{}:{}", name_, line_and_column(text, stream.Tell())),
                   "not JSON: NUL character");
  }
} catch (const std::bad_alloc&) {
  throw BadInput(path.string(), "out of memory");
}

void JsonFile::fail(const std::string& pointer, std::string message) {
  constexpr std::size_t kMost = 100;
  ++failures_;
  if (problems_.size() > kMost) return;
  if (problems_.size() == kMost) {
    problems_.push_back({name_, "more problems, not shown"});
    return;
  }
  problems_.push_back(
      {fmt::format("{}: {}", name_, pointer.empty() ? "/" : pointer), std::move(message)});
}

void JsonValue::fail_value(std::string_view right) const {
  fail(fmt::format("is {}, must be {}", show(*value_), right));
}

std::optional<std::string> JsonValue::string() const {
  if (value_->IsString()) return std::string(view(*value_));
  fail_value("a string");
  return std::nullopt;
}

std::optional<bool> JsonValue::boolean() const {
  if (value_->IsBool()) return value_->GetBool();
  fail_value("true or false");
  return std::nullopt;
}

std::optional<std::uint64_t> JsonValue::whole(std::uint64_t minimum, std::uint64_t maximum) const {
  const auto number = unsigned_number(*value_);
  if (number && *number >= minimum && *number <= maximum) return number;
  fail_value(fmt::format("a whole number from {} to {}", minimum, maximum));
  return std::nullopt;
}

std::optional<float> JsonValue::number() const {
  float result;
  if (store_element(*value_, DataType::float32, reinterpret_cast<std::byte*>(&result))) {
    return result;
  }
  fail_value(element_rule(DataType::float32));
  return std::nullopt;
}

std::optional<std::size_t> JsonValue::one_of(std::span<const std::string_view> names,
                                             std::string_view prefix) const {
  if (value_->IsString()) {
    std::string_view text = view(*value_);
    if (!prefix.empty() && text.starts_with(prefix)) text.remove_prefix(prefix.size());
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    fail_value((names.size() > 1 ? "one of " : "") + join(names) + suggestion(text, names));
  } else {
    fail_value((names.size() > 1 ? "one of " : "") + join(names));
  }
  return std::nullopt;
}

std::uint32_t JsonValue::flags(std::span<const std::string_view> names,
                               std::string_view prefix) const {
  std::uint32_t bits = 0;
  const auto add = [&](const JsonValue& flag) {
    const auto index = flag.one_of(names, prefix);
    if (index && *index > 0) bits |= 1u << (*index - 1);
  };
  if (!is_array()) {
    add(*this);
    return bits;
  }
  for (std::size_t i = 0; i < size(); ++i) add(element(i));
  return bits;
}

std::optional<std::vector<std::uint32_t>> JsonValue::whole_array() const {
  return read_array<std::uint32_t>(
      *this, [](const JsonValue& element) { return element.whole(0, UINT32_MAX); });
}

std::optional<std::vector<float>> JsonValue::number_array() const {
  return read_array<float>(*this, [](const JsonValue& element) { return element.number(); });
}

JsonValue JsonValue::element(std::size_t index) const {
  return {*file_, (*value_)[static_cast<rapidjson::SizeType>(index)],
          fmt::format("{}/{}", pointer_, index)};
}

JsonObject::JsonObject(const JsonValue& value) : value_(value) {
  if (!value.is_object()) {
    value.fail_value("an object");
    return;
  }
  std::vector<std::string_view> names;
  names.reserve(value.raw().MemberCount());
  for (const auto& member : value.raw().GetObject()) names.push_back(view(member.name));
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    value.fail(fmt::format("field {} is there twice", quote(*twice)));
    return;
  }
  object_ = &value.raw();
}

std::optional<JsonValue> JsonObject::find(std::string_view name) {
  known_.push_back(name);
  if (object_ == nullptr) return std::nullopt;
  const auto length = static_cast<rapidjson::SizeType>(name.size());
  const auto member = object_->FindMember(JsonNode(name.data(), length));
  if (member == object_->MemberEnd()) return std::nullopt;
  return JsonValue(value_.file(), member->value, child(value_.pointer(), name));
}

std::optional<JsonValue> JsonObject::optional(std::string_view name) {
  auto value = find(name);
  if (value && value->is_null()) value.reset();
  return value;
}

std::optional<JsonValue> JsonObject::required(std::string_view name) {
  auto value = find(name);
  if (!value && object_ != nullptr) {
    value_.fail(fmt::format("field {} is missing", quote(name)));
  }
  return value;
}

void JsonObject::ignore(std::initializer_list<std::string_view> names) {
  known_.insert(known_.end(), names);
}

std::vector<JsonObject::Member> JsonObject::members() {
  std::vector<Member> result;
  if (object_ == nullptr) return result;
  for (const auto& member : object_->GetObject()) {
    const std::string_view name = view(member.name);
    known_.push_back(name);
    result.push_back(
        {std::string(name), JsonValue(value_.file(), member.value, child(value_.pointer(), name))});
  }
  return result;
}

void JsonObject::finish() {
  if (object_ == nullptr) return;
  for (const auto& member : object_->GetObject()) {
    const std::string_view name = view(member.name);
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    value_.fail(fmt::format("unknown field {}{}", quote(name), suggestion(name, known_)));
  }
}

}  // namespace weft::cli
