#include "bench/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "json_reader.h"
#include "problem.h"
#include "text.h"

namespace weft::cli::bench {

namespace {

constexpr std::string_view kOperators[] = {"CONVOLUTION", "UNFOLD", "FOLD", "RESAMPLE2"};

double count(const Dims& sizes) {
  double result = 1;
  for (const std::uint32_t size : sizes) result *= size;
  return result;
}

double tensor_bytes(const TensorDesc& desc) {
  return count(desc.sizes) * byte_size(desc.data_type);
}

// Reads fields of one shape into params; what is wrong is recorded in the file.
class Reader {
 public:
  explicit Reader(JsonObject& object) : object_(object) {}

  void dims(std::string_view name, Dims& target) {
    const auto field = object_.required(name);
    if (!field) return;
    if (auto values = field->whole_array()) target = std::move(*values);
  }
  void floats(std::string_view name, std::vector<float>& target) {
    const auto field = object_.required(name);
    if (!field) return;
    if (auto values = field->number_array()) target = std::move(*values);
  }
  // The position of a name among `names`.
  std::size_t choice(std::string_view name, std::initializer_list<std::string_view> names) {
    const auto field = object_.required(name);
    return field ? field->one_of({names.begin(), names.size()}).value_or(0) : 0;
  }

 private:
  JsonObject& object_;
};

template <class Params>
void read_windows(Reader& reader, Params& params) {
  reader.dims("strides", params.strides);
  reader.dims("dilations", params.dilations);
  reader.dims("start_padding", params.start_padding);
  reader.dims("end_padding", params.end_padding);
}

ConvolutionParams read_convolution(JsonObject& object, Reader& reader) {
  ConvolutionParams params;
  params.direction =
      static_cast<ConvolutionDirection>(reader.choice("direction", {"FORWARD", "BACKWARD"}));
  params.mode =
      static_cast<ConvolutionMode>(reader.choice("mode", {"CONVOLUTION", "CROSS_CORRELATION"}));
  reader.dims("filter", params.filter.sizes);
  read_windows(reader, params);
  reader.dims("output_padding", params.output_padding);
  if (const auto groups = object.required("groups")) {
    params.group_count = static_cast<std::uint32_t>(groups->whole(1, UINT32_MAX).value_or(1));
  }
  if (const auto bias = object.required("bias")) {
    if (bias->boolean().value_or(false)) params.bias.emplace();
  }
  if (const auto activation = object.optional("activation")) {
    constexpr std::string_view kRelu[] = {"RELU"};
    if (activation->one_of(kRelu)) {
      params.fused_activation = Activation{.type = OperatorType::activation_relu};
    }
  }
  return params;
}

template <class Params>
Params read_window_operator(Reader& reader) {
  Params params;
  reader.dims("window", params.window_sizes);
  read_windows(reader, params);
  return params;
}

ResampleParams read_resample(Reader& reader) {
  ResampleParams params;
  params.interpolation_mode =
      static_cast<InterpolationMode>(reader.choice("mode", {"NEAREST_NEIGHBOR", "LINEAR"}));
  params.rounding_direction =
      static_cast<AxisDirection>(reader.choice("rounding", {"INCREASING", "DECREASING"}));
  reader.floats("scales", params.scales);
  reader.floats("input_pixel_offsets", params.input_pixel_offsets);
  reader.floats("output_pixel_offsets", params.output_pixel_offsets);
  return params;
}

OperatorParams read_params(std::size_t op, JsonObject& object, Reader& reader) {
  switch (op) {
    case 0:
      return read_convolution(object, reader);
    case 1:
      return read_window_operator<UnfoldParams>(reader);
    case 2:
      return read_window_operator<FoldParams>(reader);
    default:
      return read_resample(reader);
  }
}

// Tensors are packed and have one type.
void set_tensors(OperatorParams& params, DataType type, const Dims& input, const Dims& output) {
  std::visit(
      [&](auto& p) {
        if constexpr (requires { p.input; }) {
          p.input.sizes = input;
          p.output.sizes = output;
          p.input.data_type = p.output.data_type = type;
        }
      },
      params);
  auto* const convolution = std::get_if<ConvolutionParams>(&params);
  if (convolution == nullptr) return;
  convolution->filter.data_type = type;
  if (!convolution->bias) return;
  convolution->bias->data_type = type;
  convolution->bias->sizes.assign(output.size(), 1);
  if (output.size() > 1) convolution->bias->sizes[1] = output[1];
}

std::optional<Shape> read_shape(const JsonValue& value, const Selection& selection) {
  JsonObject object(value);
  Reader reader(object);
  Shape shape{.id = {}, .pointer = value.pointer(), .params = UnfoldParams{}};
  if (const auto id = object.required("id")) shape.id = id->string().value_or("");
  const auto op_field = object.required("op");
  const auto op = op_field ? op_field->one_of(kOperators) : std::nullopt;
  DataType type = DataType::float32;
  if (const auto field = object.required("dtype")) {
    const auto parsed = parse_data_type(field->string().value_or("FLOAT32"));
    if (!parsed) field->fail_value("a data type like FLOAT32 or UINT8");
    type = selection.data_type.value_or(parsed.value_or(type));
  }
  if (!op) return std::nullopt;
  Dims input, output;
  reader.dims("input", input);
  reader.dims("output", output);
  shape.params = read_params(*op, object, reader);
  set_tensors(shape.params, type, input, output);
  object.ignore({"source", "flops", "real_flops", "in_bytes", "filter_bytes", "out_bytes", "tier"});
  object.finish();
  return shape;
}

bool wanted(const Shape& shape, const Selection& selection) {
  const auto& ids = selection.ids;
  if (!ids.empty()) return std::find(ids.begin(), ids.end(), shape.id) != ids.end();
  return selection.op.empty() || name(shape.type()) == selection.op;
}

// Every id of the selection has to be there, and none twice in the file.
void check_ids(JsonFile& file, const std::vector<Shape>& shapes, const Selection& selection) {
  std::vector<std::string_view> ids;
  for (const Shape& shape : shapes) {
    if (std::find(ids.begin(), ids.end(), shape.id) != ids.end()) {
      file.fail(shape.pointer + "/id", fmt::format("{} is there twice", quote(shape.id)));
    }
    ids.push_back(shape.id);
  }
  for (const std::string& id : selection.ids) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
      file.fail("", fmt::format("there is no {}{}", quote(id), suggestion(id, ids)));
    }
  }
}

}  // namespace

DataType Shape::data_type() const {
  return std::visit([](const auto& p) { return p.input.data_type; }, params);
}

bool Shape::backward() const {
  const auto* const p = std::get_if<ConvolutionParams>(&params);
  return p != nullptr && p->direction == ConvolutionDirection::backward;
}

std::string Shape::family() const {
  const std::string_view direction = type() != OperatorType::convolution ? ""
                                     : backward()                        ? " BACKWARD"
                                                                         : " FORWARD";
  return fmt::format("{}{} {}", name(type()), direction, name(data_type()));
}

double Shape::flops() const {
  if (const auto* const fold = std::get_if<FoldParams>(&params)) return count(fold->input.sizes);
  const auto* const p = std::get_if<ConvolutionParams>(&params);
  if (p == nullptr) return 0;
  // Each element of the smaller image meets one filter of a group: window x channels.
  const double filter_uses = count(p->filter.sizes) / p->filter.sizes[0];
  return 2 * filter_uses * count(backward() ? p->input.sizes : p->output.sizes);
}

double Shape::bytes() const {
  double result = std::visit(
      [](const auto& p) { return tensor_bytes(p.input) + tensor_bytes(p.output); }, params);
  if (const auto* const p = std::get_if<ConvolutionParams>(&params)) {
    result += tensor_bytes(p->filter) + (p->bias ? tensor_bytes(*p->bias) : 0);
  }
  return result;
}

std::vector<Shape> read_shapes(const std::filesystem::path& path, const Selection& selection) {
  JsonFile file(path);
  const JsonValue document(file, file.document(), "");
  std::vector<Shape> shapes;
  if (document.is_array()) {
    for (std::size_t i = 0; i < document.size(); ++i) {
      if (auto shape = read_shape(document.element(i), selection))
        shapes.push_back(std::move(*shape));
    }
  } else {
    document.fail_value("an array of shapes");
  }
  if (file.failures() == 0) check_ids(file, shapes, selection);
  std::erase_if(shapes, [&](const Shape& shape) { return !wanted(shape, selection); });
  if (file.failures() == 0) {
    for (const Shape& shape : shapes) {
      for (const Violation& violation : validate(shape.params)) {
        file.fail(shape.pointer, violation.text());
      }
    }
  }
  if (file.failures() == 0 && shapes.empty()) file.fail("", "has no shape that was asked for");
  if (file.failures() != 0) throw BadInput(file.problems());
  return shapes;
}

}  // namespace weft::cli::bench
