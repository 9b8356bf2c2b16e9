#include "command_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "elements.h"
#include "text.h"
#include "value_reader.h"

namespace weft::cli {

namespace {

// The position of the thing (resource, dispatchable) that a string names.
template <class Named>
std::optional<std::size_t> find_named(const JsonValue& value, const std::vector<Named>& things,
                                      std::string_view what) {
  const auto name = value.string();
  if (!name) return std::nullopt;
  const auto found = std::find_if(things.begin(), things.end(),
                                  [&](const Named& thing) { return thing.name == *name; });
  if (found != things.end()) return static_cast<std::size_t>(found - things.begin());
  std::vector<std::string_view> names;
  names.reserve(things.size());
  for (const Named& thing : things) names.push_back(thing.name);
  value.fail_value(fmt::format("the name of a {}{}", what, suggestion(*name, names)));
  return std::nullopt;
}

std::optional<std::uint64_t> read_whole(JsonObject& object, std::string_view name,
                                        std::uint64_t minimum) {
  const auto field = object.optional(name);
  return field ? field->whole(minimum, UINT64_MAX) : std::nullopt;
}

// "x", {"name": "x", ...}, or an array of exactly one of them.
std::optional<ResourceBinding> read_binding(const JsonValue& value,
                                            const std::vector<Resource>& resources) {
  if (value.is_array()) {
    if (value.size() == 1 && !value.element(0).is_array()) {
      return read_binding(value.element(0), resources);
    }
    value.fail(fmt::format(
        "has {}, must have 1: the tensor is not an array",
        value.size() == 1 ? "an array in it" : fmt::format("{} bindings", value.size())));
    return std::nullopt;
  }
  if (!value.is_object()) {
    const auto resource = find_named(value, resources, "resource");
    if (!resource) return std::nullopt;
    return ResourceBinding{*resource, value.pointer()};
  }
  JsonObject object(value);
  const auto name = object.required("name");
  const auto resource = name ? find_named(*name, resources, "resource") : std::nullopt;
  ResourceBinding binding{resource.value_or(0), value.pointer()};
  binding.element_offset = read_whole(object, "elementOffset", 0).value_or(0);
  binding.element_count = read_whole(object, "elementCount", 1);
  binding.element_size_in_bytes = read_whole(object, "elementSizeInBytes", 1);
  // These matter to shaders and ONNX models only.
  object.ignore({"format", "shape", "counter", "counterOffsetBytes", "elementStride"});
  object.finish();
  if (!resource) return std::nullopt;
  return binding;
}

std::optional<DispatchCommand> read_dispatch(JsonObject& object, const Model& model) {
  const auto dispatchable_field = object.required("dispatchable");
  const auto bindings = object.required("bindings");
  object.ignore({"threadGroupCount"});
  object.finish();
  if (!dispatchable_field) return std::nullopt;
  const auto index = find_named(*dispatchable_field, model.dispatchables, "dispatchable");
  if (!index || !bindings) return std::nullopt;
  return DispatchCommand{*index, read_bindings(*bindings, model.dispatchables[*index],
                                               BindTime::execution, model.resources)};
}

std::optional<std::size_t> read_resource(JsonObject& object, const Model& model) {
  const auto field = object.required("resource");
  return field ? find_named(*field, model.resources, "resource") : std::nullopt;
}

std::optional<PrintCommand> read_print(JsonObject& object, const Model& model) {
  const auto resource = read_resource(object, model);
  const auto verbose = object.optional("verbose");
  object.finish();
  if (!resource) return std::nullopt;
  return PrintCommand{*resource, verbose && verbose->boolean().value_or(false)};
}

std::optional<WriteFileCommand> read_write_file(JsonObject& object, const ModelPaths& paths,
                                                const Model& model) {
  const auto resource = read_resource(object, model);
  const auto path = object.required("targetPath");
  const auto dimensions = object.optional("dimensions");
  object.finish();
  const auto target = path ? path->string() : std::nullopt;
  auto sizes = dimensions ? dimensions->whole_array() : Dims{};
  if (target && target->empty()) path->fail_value("the path of a file");
  if (!resource || !target || target->empty() || !sizes) return std::nullopt;
  return WriteFileCommand{*resource, paths.output / *target, std::move(*sizes)};
}

// A tolerance: a finite number >= 0, in double.
double read_tolerance(JsonObject& object, std::string_view name) {
  const auto field = object.optional(name);
  if (!field) return 0;
  const auto& raw = field->raw();
  if (raw.IsNumber() && raw.GetDouble() >= 0) return raw.GetDouble();
  field->fail_value("a number >= 0");
  return 0;
}

std::optional<ExpectCommand> read_expect(JsonObject& object, const ModelPaths& paths,
                                         const Model& model) {
  const auto resource = read_resource(object, model);
  const auto values_field = object.optional("values");
  const auto path = object.optional("sourcePath");
  const double atol = read_tolerance(object, "atol");
  const double rtol = read_tolerance(object, "rtol");
  object.finish();
  if (values_field.has_value() == path.has_value()) {
    object.value().fail("must have one of the fields \"values\", \"sourcePath\"");
    return std::nullopt;
  }
  if (!resource || !model.resources[*resource].initial_values) return std::nullopt;
  const DataType type = model.resources[*resource].initial_values->type;
  if (type == DataType::unknown && values_field) {
    values_field->fail("the resource has no \"initialValuesDataType\" to read them in");
    return std::nullopt;
  }
  auto values = path ? read_file_values(*path, type, paths.input)
                     : read_values(*values_field, type, paths.input);
  if (!values) return std::nullopt;
  return ExpectCommand{*resource, std::move(*values), atol, rtol};
}

void read_command(const JsonValue& value, const ModelPaths& paths, Model& model) {
  static constexpr std::string_view kTypes[] = {"dispatch", "print", "writeFile", "expect"};
  const std::size_t failures = value.file().failures();
  JsonObject object(value);
  const auto type_field = object.required("type");
  const auto type = type_field ? type_field->one_of(kTypes) : std::nullopt;
  if (!type) return;
  Command command{value.pointer(), {}};
  const auto store = [&](auto action) {
    if (!action || value.file().failures() != failures) return;
    command.action = std::move(*action);
    model.commands.push_back(std::move(command));
  };
  switch (*type) {
    case 0:
      return store(read_dispatch(object, model));
    case 1:
      return store(read_print(object, model));
    case 2:
      return store(read_write_file(object, paths, model));
    default:
      return store(read_expect(object, paths, model));
  }
}

}  // namespace

ResourceBindings read_bindings(const JsonValue& value, const Dispatchable& dispatchable,
                               BindTime time, const std::vector<Resource>& resources) {
  ResourceBindings bindings;
  JsonObject object(value);
  if (!object.ok() || !dispatchable.params) return bindings;
  const bool initialization = time == BindTime::initialization;
  for (const TensorField& tensor : tensor_fields(*dispatchable.params)) {
    const auto field = object.optional(tensor.name);
    const bool wanted = tensor.desc != nullptr && tensor.desc->owned_by_dml == initialization;
    if (wanted && !field) {
      value.fail(fmt::format("field {} is missing", quote(tensor.name)));
    } else if (wanted) {
      const auto binding = read_binding(*field, resources);
      if (binding) bindings.emplace(tensor.name, *binding);
    } else if (field && tensor.desc == nullptr) {
      field->fail(fmt::format("must be left out: the desc of {} has no {}",
                              quote(dispatchable.name), tensor.name));
    } else if (field && initialization) {
      field->fail("must be left out: only OWNED_BY_DML tensors are bound at initialization");
    } else if (field) {
      field->fail("must be left out: OWNED_BY_DML tensors are bound by the dispatchable itself");
    }
  }
  object.finish();
  return bindings;
}

void read_commands(const JsonValue& commands, const ModelPaths& paths, Model& model) {
  if (!commands.is_array()) return commands.fail_value("an array");
  for (std::size_t i = 0; i < commands.size(); ++i) read_command(commands.element(i), paths, model);
}

}  // namespace weft::cli
