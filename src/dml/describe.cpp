#include "dml/describe.h"

#include <array>
#include <charconv>
#include <variant>

#include "dml/operator_tensors.h"

namespace weft::dml {

namespace {

std::string number(float value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(digits.data(), end);
}

std::string number(std::uint32_t value) { return std::to_string(value); }

template <class T>
std::string list(const std::vector<T>& values) {
  std::string text = "{";
  for (const T& value : values) {
    if (text.size() > 1) text += ", ";
    text += number(value);
  }
  return text + "}";
}

// " {InputTensor ..., Strides {1, 1}, ..." without the closing brace.
class Fields {
 public:
  explicit Fields(const OperatorParams& params) : text_(name(type_of(params))) {
    text_ += " {";
    const OperatorTensors tensors = tensors_of(params);
    for (const auto& tensor : tensors.inputs()) add(tensor);
    add(tensors.output);
  }

  void add(std::string_view field, std::string_view value) {
    if (!text_.ends_with('{')) text_ += ", ";
    text_.append(field).append(" ").append(value);
  }

  void activation(const Activation& f) {
    const auto names = activation_field_names(f.type);
    if (f.scale_bias) {
      add("ScaleBias", list(std::vector{f.scale_bias->scale, f.scale_bias->bias}));
    }
    if (!names[0].empty()) add(names[0], number(f.alpha));
    if (!names[1].empty()) add(names[1], number(f.beta));
  }

  void operator()(const ConvolutionParams& p) {
    add("Mode", p.mode == ConvolutionMode::convolution ? "CONVOLUTION" : "CROSS_CORRELATION");
    add("Direction", p.direction == ConvolutionDirection::forward ? "FORWARD" : "BACKWARD");
    add("Strides", list(p.strides));
    add("Dilations", list(p.dilations));
    add("StartPadding", list(p.start_padding));
    add("EndPadding", list(p.end_padding));
    add("OutputPadding", list(p.output_padding));
    add("GroupCount", number(p.group_count));
    if (!p.fused_activation) return;
    add("FusedActivation", name(p.fused_activation->type));
    text_ += " {";
    activation(*p.fused_activation);
    text_ += "}";
  }

  void operator()(const ResampleParams& p) {
    add("InterpolationMode",
        p.interpolation_mode == InterpolationMode::linear ? "LINEAR" : "NEAREST_NEIGHBOR");
    if (p.type == OperatorType::resample2 || p.type == OperatorType::resample3) {
      add("RoundingDirection",
          p.rounding_direction == AxisDirection::increasing ? "INCREASING" : "DECREASING");
    }
    add("Scales", list(p.scales));
    if (p.type == OperatorType::resample) return;
    add("InputPixelOffsets", list(p.input_pixel_offsets));
    add("OutputPixelOffsets", list(p.output_pixel_offsets));
    if (p.type == OperatorType::resample3) add("Antialiased", p.antialiased ? "TRUE" : "FALSE");
  }

  void operator()(const ElementWiseParams& p) { activation(p.function); }

  template <class WindowParams>  // FOLD and UNFOLD
  void operator()(const WindowParams& p) {
    add("WindowSizes", list(p.window_sizes));
    add("Strides", list(p.strides));
    add("Dilations", list(p.dilations));
    add("StartPadding", list(p.start_padding));
    add("EndPadding", list(p.end_padding));
  }

  std::string take() { return text_ + "}"; }

 private:
  void add(const OperatorTensors::Tensor& tensor) {
    add(tensor.name, tensor.desc ? describe(*tensor.desc) : "none");
  }

  std::string text_;
};

std::string describe(const Graph& graph, const Graph::Source& source) {
  switch (source.kind) {
    case Graph::Source::Kind::none:
      break;
    case Graph::Source::Kind::input:
      return "input " + number(source.index);
    case Graph::Source::Kind::node:
      return graph.nodes[source.index].name;
    case Graph::Source::Kind::constant:
      return "constant " + number(source.index);
  }
  return "none";
}

}  // namespace

std::string describe(const TensorDesc& desc) {
  std::string text(name(desc.data_type));
  text.append(" ").append(list(desc.sizes));
  if (!desc.strides.empty()) text.append(" Strides ").append(list(desc.strides));
  if (desc.owned_by_dml) text += " OWNED_BY_DML";
  return text;
}

std::string describe(const OperatorParams& params) {
  Fields fields(params);
  std::visit([&](const auto& p) { fields(p); }, params);
  return fields.take();
}

std::string describe(const Graph& graph) {
  std::string text;
  for (const Graph::Node& node : graph.nodes) {
    text += node.name + " (";
    for (const Graph::Source& source : node.inputs) {
      if (!text.ends_with('(')) text += ", ";
      text += describe(graph, source);
    }
    text += "); ";
  }
  for (std::uint32_t o = 0; o < graph.outputs.size(); ++o) {
    if (o != 0) text += ", ";
    text += "output " + number(o) + " = " + describe(graph, graph.outputs[o]);
  }
  return text;
}

}  // namespace weft::dml
