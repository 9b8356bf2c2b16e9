#pragma once

#include <filesystem>
#include <string>

#include "support/command.h"

namespace weft::testing {

// A folder with a model and its data, and the command run in it.
class ModelFolder {
 public:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const { return read_file(path(name)); }
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }

  // Runs `weft` with these arguments, after writing `model` to model.json.
  Outcome weft(const std::string& arguments) const;
  Outcome run(const std::string& model, const std::string& options = "") const;
  Outcome check(const std::string& model, const std::string& options = "") const;

 private:
  TemporaryFolder folder_;
};

// A model that prints one resource: `resource` is the JSON of it.
std::string model_of_resource(const std::string& resource);

// A model with resources x (FLOAT32 0 to 24) and y (81 zeros) and the dispatchable "unfold", whose
// JSON desc `desc` replaces the right one where it is not empty; `commands` follow the dispatch.
std::string unfold_model(const std::string& commands = "", const std::string& desc = "");

// The bytes of values in this machine's order.
template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

}  // namespace weft::testing
