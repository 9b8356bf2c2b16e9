#include "cli/model_folder.h"

namespace weft::testing {

void ModelFolder::write(const std::string& name, const std::string& bytes) const {
  write_file(path(name), bytes);
}

Outcome ModelFolder::weft(const std::string& arguments) const {
  return run_shell("weft " + arguments, folder_.path());
}

Outcome ModelFolder::run(const std::string& model, const std::string& options) const {
  write("model.json", model);
  return weft("run model.json " + options);
}

Outcome ModelFolder::check(const std::string& model, const std::string& options) const {
  write("model.json", model);
  return weft("check model.json " + options);
}

std::string model_of_resource(const std::string& resource) {
  return R"({"resources": {"x": )" + resource + R"(}, "dispatchables": {},
             "commands": [{"type": "print", "resource": "x"}]})";
}

std::string unfold_model(const std::string& commands, const std::string& desc) {
  const std::string right = R"({
      "InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 5, 5]},
      "OutputTensor": {"DataType": "FLOAT32"},
      "DimensionCount": 2, "WindowSizes": [3, 3], "Strides": [1, 1], "Dilations": [1, 1],
      "StartPadding": [0, 0], "EndPadding": [0, 0]})";
  return R"({"resources": {
      "x": {"initialValuesDataType": "FLOAT32",
            "initialValues": {"valueCount": 25, "valueStart": 0, "valueDelta": 1}},
      "y": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 81, "value": 0}}},
    "dispatchables": {"unfold": {"type": "UNFOLD", "desc": )" +
         (desc.empty() ? right : desc) + R"(}},
    "commands": [{"type": "dispatch", "dispatchable": "unfold",
                  "bindings": {"InputTensor": "x", "OutputTensor": "y"}},)" +
         commands + "]}";
}

}  // namespace weft::testing
