#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem.h"
#include "weft/operator.h"

namespace weft::cli {

// Where the values of a resource, or those it is expected to have, come from.
struct ListedValues {
  std::vector<std::byte> bytes;
};
struct ConstantValues {
  std::uint64_t count;
  std::array<std::byte, 8> value;  // the first byte_size(type) bytes
};
struct SequenceValues {  // start, start + delta, (start + delta) + delta, ... in the element type
  std::uint64_t count;
  std::array<std::byte, 8> start;
  std::array<std::byte, 8> delta;
};
struct FileValues {
  std::filesystem::path path;  // .npy, which brings its type and shape, or the raw elements
};
struct Values {
  DataType type = DataType::unknown;  // unknown: a list of mixed types, or the type of the .npy
  std::variant<ListedValues, ConstantValues, SequenceValues, FileValues> source;
};

// A buffer. Everything named below lives at a JSON pointer of the model, for messages.
struct Resource {
  std::string name;
  std::string pointer;
  std::optional<Values> initial_values;  // none where the model is wrong
  std::optional<std::uint64_t> size_in_bytes;
  std::uint64_t offset_in_bytes = 0;  // of the initial values
};

// A part of a resource; in elements of the resource's type unless a size is given.
struct ResourceBinding {
  std::size_t resource;
  std::string pointer;
  std::uint64_t element_offset = 0;
  std::optional<std::uint64_t> element_count = std::nullopt;
  std::optional<std::uint64_t> element_size_in_bytes = std::nullopt;
};
using ResourceBindings = std::map<std::string, ResourceBinding, std::less<>>;  // by tensor field

struct Dispatchable {
  std::string name;
  std::string pointer;
  std::optional<OperatorParams> params;  // valid; none where the model is wrong
  ResourceBindings bindings;             // of OWNED_BY_DML tensors
  bool metacommands = true;              // no DML_EXECUTION_FLAG_DISABLE_META_COMMANDS
};

struct DispatchCommand {
  std::size_t dispatchable;
  ResourceBindings bindings;
};
struct PrintCommand {
  std::size_t resource;
  bool verbose = false;
};
struct WriteFileCommand {
  std::size_t resource;
  std::filesystem::path path;
  Dims dimensions;  // empty: the shape that the resource is known to have
};
struct ExpectCommand {
  std::size_t resource;
  Values values;
  double atol = 0;
  double rtol = 0;
};
struct Command {
  std::string pointer;
  std::variant<DispatchCommand, PrintCommand, WriteFileCommand, ExpectCommand> action;
};

// What a model file says. `problems` has what is wrong with it; whatever is not touched by them
// has been read, so that it can be checked further.
struct Model {
  std::string file;
  std::vector<Resource> resources;
  std::vector<Dispatchable> dispatchables;
  std::vector<Command> commands;
  std::vector<Problem> problems;

  std::string place(const std::string& pointer) const { return file + ": " + pointer; }
};

// A tensor of an operator by the name of its field; no desc where an optional one is absent.
struct TensorField {
  std::string_view name;
  const TensorDesc* desc;
  bool is_output;
};

// The tensors of an operator, in the order of its desc. They point into `params`.
std::vector<TensorField> tensor_fields(const OperatorParams& params);

// A command in one line: "dispatch unfold: InputTensor = x, OutputTensor = y".
std::string describe(const Command& command, const Model& model);

}  // namespace weft::cli
