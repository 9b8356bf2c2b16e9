#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "command.h"
#include "json_output.h"
#include "picture.h"
#include "problem.h"
#include "weft/plan.h"
#include "weft/resample.h"

namespace weft::cli {

namespace {

struct Options {
  std::string input;
  std::string output;
  std::string scale;  // "2" or "2,1.5", width first
  std::string size;   // "640x480"
  std::string mode = "linear";
  bool antialias = false;
  unsigned threads = 0;
};

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

Picture make_output(const Picture& input, const Options& options) {
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
ResampleParams describe(const Picture& input, const Picture& output, const Options& options) {
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

void print_json(const Options& options, const Picture& input, const Picture& output,
                const Plan& plan) {
  JsonOutput json;
  write_picture(json.key("input"), options.input, input);
  write_picture(json.key("output"), options.output, output);
  json.key("operator").text(name(plan.type()));
  json.key("mode").text(options.mode);
  json.key("algorithm").text(plan.algorithm());
  json.print();
}

int image(const Options& options, bool json) {
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

}  // namespace

void add_image(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("image", "Resizes a picture (PNG) through RESAMPLE2.");
  command->add_option("input", options->input, "PNG file, of any kind")
      ->required()
      ->type_name("IN.png");
  command
      ->add_option(
          "output", options->output,
          "PNG file to write: 8 bits a sample, gray or RGB, with alpha if the input has it")
      ->required()
      ->type_name("OUT.png");
  CLI::Option_group* const to = command->add_option_group("Output size", "One of these");
  to->add_option("--scale", options->scale,
                 "Factor, or one each for width and height; sizes are rounded to whole pixels")
      ->type_name("S|X,Y");
  to->add_option("--size", options->size, "Pixels")->type_name("WxH");
  to->require_option(1);
  command
      ->add_option("--mode", options->mode,
                   "nearest: the pixel under the centre; linear: between pixel centres")
      ->check(CLI::IsMember({"nearest", "linear"}))
      ->capture_default_str();
  command->add_flag("--antialias", options->antialias,
                    "Average over all pixels covered where the picture gets smaller (RESAMPLE3)");
  add_threads(*command, options->threads);
  add_json(*command, context);
  set_examples(*command, {"image examples/weave.png /tmp/large.png --scale 4 --mode nearest",
                          "image examples/weave.png /tmp/wide.png --scale 3,1.5",
                          "image examples/weave.png /tmp/small.png --size 40x30 --antialias"});
  command->callback([&context, options] {
    context.action = [&context, options] { return image(*options, context.json); };
  });
}

}  // namespace weft::cli
