#pragma once

#include <filesystem>

#include "json_reader.h"
#include "model.h"
#include "model_reader.h"

namespace weft::cli {

// Reads which resources the tensors of an operator are bound to:
//
//   {"InputTensor": "x", "OutputTensor": {"name": "y", "elementOffset": 64, "elementCount": 32}}
//
// At initialisation the OWNED_BY_DML tensors have to be there and no others, at execution the
// reverse. `resources` are those of the model; whatever is wrong is recorded.
enum class BindTime { initialization, execution };
ResourceBindings read_bindings(const JsonValue& value, const Dispatchable& dispatchable,
                               BindTime time, const std::vector<Resource>& resources);

// Reads the commands of a model whose resources and dispatchables have been read, and adds them.
void read_commands(const JsonValue& commands, const ModelPaths& paths, Model& model);

}  // namespace weft::cli
