#include <cstdio>

#include "random/case.h"

namespace weft::random_cases {

namespace {

std::string text(const Dims& values) {
  std::string result = "{";
  for (const std::uint32_t value : values) {
    if (result.size() > 1) result += ", ";
    result += std::to_string(value);
  }
  return result + "}";
}

// With enough digits to read back the same float.
std::string text(float value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", double{value});
  return buffer;
}

std::string text(const std::vector<float>& values) {
  std::string result = "{";
  for (const float value : values) {
    if (result.size() > 1) result += ", ";
    result += text(value);
  }
  return result + "}";
}

std::string text(const TensorDesc& desc) {
  std::string result(name(desc.data_type));
  result += " sizes " + text(desc.sizes);
  if (!desc.strides.empty()) result += " strides " + text(desc.strides);
  if (desc.total_size_in_bytes != 0) {
    result += " total " + std::to_string(desc.total_size_in_bytes) + " bytes";
  }
  return result;
}

std::string text(const Activation& f) {
  std::string result(name(f.type));
  const auto names = activation_field_names(f.type);
  if (!names[0].empty()) result.append(" ").append(names[0]).append(" ").append(text(f.alpha));
  if (!names[1].empty()) result.append(" ").append(names[1]).append(" ").append(text(f.beta));
  if (f.scale_bias) {
    result += " scale " + text(f.scale_bias->scale) + " bias " + text(f.scale_bias->bias);
  }
  return result;
}

class Lines {
 public:
  template <class T>
  void add(const char* field, const T& value) {
    lines_ += std::string("  ") + field + ": " + value + "\n";
  }
  std::string take() { return std::move(lines_); }

  void operator()(const ConvolutionParams& p) {
    add("input", text(p.input));
    add("filter", text(p.filter));
    add("bias", p.bias ? text(*p.bias) : "none");
    add("output", text(p.output));
    add("mode", p.mode == ConvolutionMode::convolution ? "CONVOLUTION" : "CROSS_CORRELATION");
    add("direction", p.direction == ConvolutionDirection::forward ? "FORWARD" : "BACKWARD");
    add("strides", text(p.strides));
    add("dilations", text(p.dilations));
    add("start padding", text(p.start_padding));
    add("end padding", text(p.end_padding));
    add("output padding", text(p.output_padding));
    add("groups", std::to_string(p.group_count));
    add("fused activation", p.fused_activation ? text(*p.fused_activation) : "none");
  }
  void operator()(const FoldParams& p) { sliding_window(p); }
  void operator()(const UnfoldParams& p) { sliding_window(p); }
  void operator()(const ResampleParams& p) {
    add("input", text(p.input));
    add("output", text(p.output));
    const bool nearest = p.interpolation_mode == InterpolationMode::nearest_neighbor;
    add("mode", nearest ? "NEAREST_NEIGHBOR" : "LINEAR");
    add("rounding direction",
        p.rounding_direction == AxisDirection::increasing ? "INCREASING" : "DECREASING");
    add("scales", text(p.scales));
    add("input pixel offsets", text(p.input_pixel_offsets));
    add("output pixel offsets", text(p.output_pixel_offsets));
    add("antialiased", p.antialiased ? "yes" : "no");
  }
  void operator()(const ElementWiseParams& p) {
    add("input", text(p.input));
    add("output", text(p.output));
    add("function", text(p.function));
  }

 private:
  template <class Params>
  void sliding_window(const Params& p) {
    add("input", text(p.input));
    add("output", text(p.output));
    add("windows", text(p.window_sizes));
    add("strides", text(p.strides));
    add("dilations", text(p.dilations));
    add("start padding", text(p.start_padding));
    add("end padding", text(p.end_padding));
  }

  std::string lines_;
};

}  // namespace

std::string_view name(Values values) {
  switch (values) {
    case Values::special:
      return "with special ones";
    case Values::tiny:
      return "tiny";
    default:
      return "plain";
  }
}

std::string describe(const Case& c) {
  Lines lines;
  std::visit([&](const auto& p) { lines(p); }, c.params);
  lines.add("threads",
            std::to_string(c.options.threads) + ", then " + std::to_string(c.other_threads));
  lines.add("instruction set", c.options.max_isa ? std::string(name(*c.options.max_isa)) : "best");
  lines.add("strict", c.options.strict ? "yes" : "no");
  lines.add("Winograd", c.options.winograd == Winograd::never      ? "never"
                        : c.options.winograd == Winograd::accurate ? "where accurate"
                                                                   : "allowed");
  lines.add("filter", c.options.prepare_filter ? "prepared" : "as it is");
  lines.add("values", std::string(name(c.values)));
  return std::string(name(type_of(c.params))) + "\n" + lines.take();
}

}  // namespace weft::random_cases
