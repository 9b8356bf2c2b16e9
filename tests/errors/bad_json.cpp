// Text that is not JSON, and a root that is not a model's.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

// A model file of this text alone.
BadInput whole(std::string name, std::string model, std::vector<std::string> errors) {
  return {std::move(name), "commands", text(std::move(model)), std::move(errors)};
}

std::string repeated(const std::string& piece, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += piece;
  return result;
}

const std::vector<std::string> kMissing = {"model.json: /: field \"resources\" is missing",
                                           "model.json: /: field \"dispatchables\" is missing",
                                           "model.json: /: field \"commands\" is missing"};

std::vector<std::string> not_an_object(const std::string& what) {
  return {"model.json: /: is " + what + ", must be an object"};
}

void add_texts(std::vector<BadInput>& rows) {
  const auto broken = [&](std::string name, std::string model, const std::string& place,
                          const std::string& message) {
    rows.push_back(whole(std::move(name), std::move(model),
                         {"model.json:" + place + ": not JSON: " + message}));
  };
  const std::string object_end = "Missing a comma or '}' after an object member";
  const std::string array_end = "Missing a comma or ']' after an array element";
  const std::string encoding = "Invalid encoding in string";
  const std::string escape = "Invalid escape or control character in string";
  broken("empty file", "", "1:1", "The document is empty");
  broken("blank file", " \n\t\n", "3:1", "The document is empty");
  broken("only a comment", "// nothing\n", "2:1", "The document is empty");
  broken("comment without an end", "{} /* nothing", "1:14", "Invalid or unfinished comment");
  broken("object without an end", "{\"resources\": {}", "1:17", object_end);
  broken("array without an end", "{\"commands\": [1, 2", "1:19", array_end);
  broken("two documents", "{}\n{}", "2:1",
         "The document root must not be followed by other values");
  broken("missing comma", "{\n  \"resources\": {}\n  \"commands\": []\n}", "3:3", object_end);
  broken("missing colon", "{\"resources\" {}}", "1:14",
         "Missing a colon after a name of object member");
  broken("name without quotes", "{resources: {}}", "1:2", "Missing a name for object member");
  broken("single quotes", "{'resources': {}}", "1:2", "Missing a name for object member");
  broken("string without an end", "{\"resources: {}}", "1:17",
         "Missing a closing quotation mark in string");
  broken("line break in a string", "{\"a\nb\": 1}", "1:4", escape);
  broken("unknown escape", "{\"a\\x\": 1}", "1:4", escape);
  broken("half a surrogate pair", R"({"a": "\ud800"})", "1:8",
         "The surrogate pair in string is invalid");
  broken("broken \\u escape", R"({"a": "\u12g4"})", "1:8",
         "Incorrect hex digit after \\u escape in string");
  broken("invalid UTF-8", "{\"resources\": {\"\xff\xfe\": 1}}", "1:17", encoding);
  broken("truncated UTF-8", "{\"a\": \"\xe2\x82\"}", "1:8", encoding);
  broken("NUL after the document", std::string("{}\0", 3), "1:3", "NUL character");
  broken("NUL in a string", std::string("{\"a\0b\": 1}", 10), "1:4",
         "Missing a closing quotation mark in string");
  broken("NUL between values", std::string("{\"a\": \0 1}", 10), "1:7", "Invalid value");
  broken("number past double", R"({"a": 1e400})", "1:7", "Number too big to be stored in double");
  broken("number without digits", R"({"a": -})", "1:8", "Invalid value");
  broken("number ending in a point", R"({"a": 1.})", "1:9", "Miss fraction part in number");
  broken("number without exponent", R"({"a": 1e})", "1:9", "Miss exponent in number");
  broken("number with leading zero", R"({"a": 012})", "1:8", object_end);
  broken("hexadecimal number", R"({"a": 0x10})", "1:8", object_end);
  broken("nan without quotes", R"({"a": NaN})", "1:7", "Invalid value");
  broken("other words", R"({"a": True})", "1:7", "Invalid value");
  broken("UTF-16", std::string("\xff\xfe{\0}\0", 6), "1:1", "Invalid value");
  broken("not text at all", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), "1:1",
         "Invalid value");
  broken("100000 open brackets", repeated("[", 100000), "1:100001", "Invalid value");
  broken("100000 open objects", repeated("{\"a\":", 100000), "1:500001", "Invalid value");
}

}  // namespace

std::vector<BadInput> bad_json() {
  std::vector<BadInput> rows;
  add_texts(rows);
  rows.push_back(whole("100000 nested arrays", repeated("[", 100000) + repeated("]", 100000),
                       not_an_object("an array")));
  rows.push_back({"100000 nested arrays in a field",
                  "UNFOLD",
                  set("/dispatchables/op/desc/Strides", repeated("[", 1000) + repeated("]", 1000)),
                  {"model.json: /dispatchables/op/desc/Strides/0: is an array, must be a whole "
                   "number from 0 to 4294967295"}});
  rows.push_back(whole("an array", "[]", not_an_object("an array")));
  rows.push_back(whole("a string", "\"model\"", not_an_object("\"model\"")));
  rows.push_back(whole("a number", "3", not_an_object("3")));
  rows.push_back(whole("null", "null", not_an_object("null")));
  rows.push_back(whole("an empty object", "{}", kMissing));
  rows.push_back({"resources that are an array",
                  "commands",
                  set("/resources", "[]"),
                  {"model.json: /resources: is an array, must be an object"},
                  {},
                  {},
                  true});
  rows.push_back({"dispatchables that are null",
                  "commands",
                  set("/dispatchables", "null"),
                  {"model.json: /dispatchables: is null, must be an object"},
                  {},
                  {},
                  true});
  rows.push_back({"commands that are an object",
                  "commands",
                  set("/commands", "{}"),
                  {"model.json: /commands: is an object, must be an array"}});
  rows.push_back({"no commands at all",
                  "commands",
                  remove("/commands"),
                  {"model.json: /: field \"commands\" is missing"}});
  rows.push_back({"unknown field of the model",
                  "commands",
                  set("/extra", "1"),
                  {"model.json: /: unknown field \"extra\""}});
  rows.push_back({"misspelt field of the model",
                  "commands",
                  set("/resource", "{}"),
                  {"model.json: /: unknown field \"resource\" (did you mean \"resources\"?)"}});
  rows.push_back({"field of the model twice",
                  "commands",
                  replace("\"commands\":", "\"resources\": {}, \"commands\":"),
                  {"model.json: /: field \"resources\" is there twice"}});
  rows.push_back({"two resources of one name",
                  "commands",
                  replace("\"y\": {", "\"x\": {}, \"y\": {"),
                  {"model.json: /resources: field \"x\" is there twice"},
                  {},
                  {},
                  true});
  const std::string relu = "model.json: /dispatchables/relu/desc: ACTIVATION_RELU.";
  const std::string types =
      ", must be one of FLOAT32, FLOAT16, INT32, INT16, INT8: the types of this operator";
  const std::string empty = ", must be >= 1: tensors cannot be empty";
  rows.push_back(whole(
      "every part wrong at once", R"({
      "resources": {"y": {"initialValuesDataType": "INT8", "initialValues": [300]}},
      "dispatchables": {"relu": {"type": "ACTIVATION_RELU", "desc": {
          "InputTensor": {"DataType": "UINT8", "Sizes": [0]},
          "OutputTensor": {"DataType": "UINT8", "Sizes": [0]}}}},
      "commands": [{"type": "dispatch", "dispatchable": "relux", "bindings": {}},
                   {"type": "writeFile", "resource": "y", "targetPath": "none/y.npy"}]})",
      {std::string("model.json: /resources/y/initialValues/0: is 300, must be a whole number ") +
           "from -128 to 127 (INT8)",
       relu + "InputTensor.DataType is UINT8" + types, relu + "InputTensor.Sizes[0] is 0" + empty,
       relu + "OutputTensor.DataType is UINT8" + types, relu + "OutputTensor.Sizes[0] is 0" + empty,
       std::string("model.json: /commands/0/dispatchable: is \"relux\", must be the name of a ") +
           "dispatchable (did you mean \"relu\"?)",
       std::string("model.json: /commands/1/targetPath: none/y.npy: cannot write: no folder ") +
           "\"none\""}));
  rows.push_back({"more than a hundred problems",
                  "commands",
                  set("/commands", repeated("[", 1) + repeated("1, ", 149) + "1]"),
                  {}});
  for (int i = 0; i < 100; ++i) {
    rows.back().errors.push_back("model.json: /commands/" + std::to_string(i) +
                                 ": is 1, must be an object");
  }
  rows.back().errors.push_back("model.json: more problems, not shown");
  return rows;
}

}  // namespace weft::testing
