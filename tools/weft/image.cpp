#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "command_line.h"
#include "commands.h"
#include "json_output.h"
#include "picture.h"
#include "problem.h"
#include "weft/plan.h"
#include "weft/resample.h"

namespace weft::cli {

namespace {

// "<first><separator><second>"; nothing unless both are numbers of type T and nothing else is left.
template <class T>
std::optional<std::pair<T, T>> parse_pair(const std::string& text, char separator) {
  const std::size_t middle = text.find(separator);
  if (middle == std::string::npos) return std::nullopt;
  const char* const end = text.data() + text.size();
  std::pair<T, T> result;
  const auto first = std::from_chars(text.data(), text.data() + middle, result.first);
  const auto second = std::from_chars(text.data() + middle + 1, end, result.second);
  if (first.ec != std::errc() || first.ptr != text.data() + middle) return std::nullopt;
  if (second.ec != std::errc() || second.ptr != end) return std::nullopt;
  return result;
}

// The side of the output: rounded to whole pixels, at least one.
std::uint32_t scaled(std::uint32_t side, double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) {
    throw BadInput("--scale", fmt::format("{} is no scale, must be > 0", scale));
  }
  const double result = std::round(side * scale);
  if (result > kMaxPictureSide) {
    throw BadInput("--scale", fmt::format("{} pixels times {} are {:.0f}, must be <= {}", side,
                                          scale, result, kMaxPictureSide));
  }
  return static_cast<std::uint32_t>(std::max(result, 1.0));
}

Picture make_output(const Picture& input, const ImageOptions& options) {
  if (!options.size.empty()) {
    const auto size = parse_pair<std::uint32_t>(options.size, 'x');
    if (!size) throw BadInput("--size", fmt::format("'{}' is not WIDTHxHEIGHT", options.size));
    return make_picture(size->first, size->second, input.channels, "--size");
  }
  const bool pair = options.scale.find(',') != std::string::npos;
  const auto scale =
      parse_pair<double>(pair ? options.scale : options.scale + ',' + options.scale, ',');
  if (!scale) {
    throw BadInput("--scale", fmt::format("'{}' is neither a number nor X,Y", options.scale));
  }
  return make_picture(scaled(input.width, scale->first), scaled(input.height, scale->second),
                      input.channels, "--scale");
}

// A picture as DirectML sees it: sizes N, C, H, W, the order in memory told by the strides.
TensorDesc describe(const Picture& picture) {
  const std::uint32_t row = picture.width * picture.channels;
  return {.data_type = DataType::uint8,
          .sizes = {1, picture.channels, picture.height, picture.width},
          .strides = {row * picture.height, 1, row, picture.channels}};
}

// The scale is the ratio of the sizes, so that the edges of both pictures meet.
ResampleParams describe(const Picture& input, const Picture& output, const ImageOptions& options) {
  ResampleParams params;
  params.type = options.antialias ? OperatorType::resample3 : OperatorType::resample2;
  params.input = describe(input);
  params.output = describe(output);
  params.antialiased = options.antialias;
  params.scales = {1, 1, static_cast<float>(output.height) / static_cast<float>(input.height),
                   static_cast<float>(output.width) / static_cast<float>(input.width)};
  params.input_pixel_offsets.assign(4, 0.5f);
  params.output_pixel_offsets.assign(4, -0.5f);
  if (options.mode == "linear") {
    params.interpolation_mode = InterpolationMode::linear;
  } else {
    // The pixel that holds the centre: floor((o + 0.5) / scale). RESAMPLE2 rounds down from the
    // start of the first pixel, so the input offset is 0, not the 0.5 of a centre.
    params.interpolation_mode = InterpolationMode::nearest_neighbor;
    params.rounding_direction = AxisDirection::decreasing;
    params.input_pixel_offsets.assign(4, 0.0f);
  }
  return params;
}

void write_picture(JsonOutput& json, const std::string& path, const Picture& picture) {
  json.start_object();
  json.key("path").path(path);
  json.key("width").number(std::uint64_t{picture.width});
  json.key("height").number(std::uint64_t{picture.height});
  json.key("channels").number(std::uint64_t{picture.channels});
  json.end_object();
}

void print_json(const ImageOptions& options, const Picture& input, const Picture& output,
                const Plan& plan) {
  JsonOutput json;
  write_picture(json.key("input"), options.input, input);
  write_picture(json.key("output"), options.output, output);
  json.key("operator").text(name(plan.type()));
  json.key("mode").text(options.mode);
  json.key("algorithm").text(plan.algorithm());
  json.print();
}

}  // namespace

int image(const ImageOptions& options, bool json) {
  if (options.antialias && options.mode != "linear") {
    throw BadInput("--antialias", "works with --mode linear only");
  }
  const Picture input = read_png(options.input);
  const Picture output = make_output(input, options);
  const Plan plan = weft::plan(describe(input, output, options), {.threads = options.threads});
  const ConstBuffer inputs[] = {input.samples.buffer()};
  const Buffer outputs[] = {output.samples.buffer()};
  plan.run({.inputs = inputs, .outputs = outputs});
  write_png(options.output, output);
  if (json) {
    print_json(options, input, output, plan);
  } else {
    fmt::print("{}: {}x{} -> {}: {}x{} ({}, {})\n", options.input, input.width, input.height,
               options.output, output.width, output.height, name(plan.type()), options.mode);
  }
  return kDone;
}

}  // namespace weft::cli
