#include "model_reader.h"

#include <fmt/format.h>

#include <utility>

#include "command_reader.h"
#include "json_reader.h"
#include "operator_reader.h"
#include "text.h"
#include "value_reader.h"

namespace weft::cli {

namespace {

void read_resource(const std::string& name, const JsonValue& value, const ModelPaths& paths,
                   Model& model) {
  static constexpr std::string_view kTypes[] = {"buffer"};
  Resource& resource = model.resources.emplace_back();
  resource.name = name;
  resource.pointer = value.pointer();

  JsonObject object(value);
  if (!object.ok()) return;
  if (const auto field = object.optional("type")) field->one_of(kTypes);
  std::optional<DataType> type = DataType::unknown;
  if (const auto field = object.optional("initialValuesDataType")) type = read_element_type(*field);
  if (const auto field = object.optional("sizeInBytes")) {
    resource.size_in_bytes = field->whole(1, UINT64_MAX);
  }
  if (const auto field = object.optional("initialValuesOffsetInBytes")) {
    resource.offset_in_bytes = field->whole(0, UINT64_MAX).value_or(0);
  }
  // For pictures, which are refused where the file is named.
  object.ignore({"resampleSize", "resampleMode"});
  const auto values = object.required("initialValues");
  object.finish();
  if (values && type) resource.initial_values = read_values(*values, *type, paths.input);
}

std::optional<OperatorType> read_operator_type(const JsonValue& value) {
  const auto text = value.string();
  if (!text) return std::nullopt;
  const auto type = parse_operator_type(*text);
  if (type) return type;
  for (const std::string_view other : {"hlsl", "onnx", "dmlSerializedGraph"}) {
    if (*text != other) continue;
    value.fail(fmt::format("{} dispatchables are not supported: only DirectML operators are",
                           quote(other)));
    return std::nullopt;
  }
  value.fail(fmt::format("operator {} is not supported{}", quote(*text), known_operators(*text)));
  return std::nullopt;
}

void read_dispatchable(const std::string& name, const JsonValue& value, Model& model) {
  static constexpr std::string_view kCompileTypes[] = {"DmlCompileOp", "DmlCompileGraph"};
  static constexpr std::string_view kExecutionFlags[] = {
      "NONE", "ALLOW_HALF_PRECISION_COMPUTATION", "DISABLE_META_COMMANDS", "DESCRIPTORS_VOLATILE"};
  Dispatchable& dispatchable = model.dispatchables.emplace_back();
  dispatchable.name = name;
  dispatchable.pointer = value.pointer();

  JsonObject object(value);
  if (!object.ok()) return;
  const auto type_field = object.required("type");
  const auto type = type_field ? read_operator_type(*type_field) : std::nullopt;
  if (type_field && !type) return;  // its other fields may be those of another kind
  if (const auto field = object.optional("dmlCompileType")) field->one_of(kCompileTypes);
  if (const auto field = object.optional("executionFlags")) {
    constexpr std::uint32_t kDisableMetaCommands = 2;
    const std::uint32_t flags = field->flags(kExecutionFlags, "DML_EXECUTION_FLAG_");
    dispatchable.metacommands = (flags & kDisableMetaCommands) == 0;
  }
  auto desc = object.find("Desc");
  if (!desc) desc = object.required("desc");
  const auto bindings = object.optional("bindings");
  object.finish();
  if (!type || !desc) return;
  dispatchable.params = read_operator(*type, *desc);
  if (!dispatchable.params) return;
  if (bindings) {
    dispatchable.bindings =
        read_bindings(*bindings, dispatchable, BindTime::initialization, model.resources);
    return;
  }
  for (const TensorField& tensor : tensor_fields(*dispatchable.params)) {
    if (tensor.desc == nullptr || !tensor.desc->owned_by_dml) continue;
    value.fail(fmt::format("field \"bindings\" is missing: {} is OWNED_BY_DML", tensor.name));
  }
}

// The folder that relative paths start from.
std::filesystem::path folder_or(const std::filesystem::path& folder,
                                const std::filesystem::path& model_file) {
  return folder.empty() ? model_file.parent_path() : folder;
}

}  // namespace

Model read_model(const std::filesystem::path& file, const ModelPaths& paths) {
  const ModelPaths folders{folder_or(paths.input, file), folder_or(paths.output, file)};
  JsonFile json(file);
  Model model;
  model.file = file.string();

  JsonObject root(JsonValue(json, json.document(), ""));
  root.ignore({"$schema"});
  const auto resources = root.required("resources");
  const auto dispatchables = root.required("dispatchables");
  const auto commands = root.required("commands");
  root.finish();
  if (resources) {
    for (const auto& [name, value] : JsonObject(*resources).members()) {
      read_resource(name, value, folders, model);
    }
  }
  if (dispatchables) {
    for (const auto& [name, value] : JsonObject(*dispatchables).members()) {
      read_dispatchable(name, value, model);
    }
  }
  if (commands) read_commands(*commands, folders, model);
  model.problems = json.problems();
  return model;
}

}  // namespace weft::cli
