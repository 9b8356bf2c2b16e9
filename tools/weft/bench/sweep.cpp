#include "bench/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <variant>

#include "bench/drawing.h"
#include "bench/tensors.h"
#include "json_output.h"
#include "system_memory.h"
#include "weft/operator.h"

namespace weft::cli::bench {

namespace {

constexpr std::uint64_t kSmallestBytes = 1 << 10;

// How an image of some elements is cut.
enum class Image { channels, square };

Dims image(std::uint64_t elements, Image kind) {
  std::uint64_t side = 1;
  while ((kind == Image::square || side < 64) && 4 * side * side <= elements) side *= 2;
  const std::uint64_t rest = std::max<std::uint64_t>(elements / (side * side), 1);
  const auto size = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  if (kind == Image::square) return {1, 1, size(side * rest), size(side)};
  return {1, size(rest), size(side), size(side)};
}

template <class Params>
Params window_3x3() {
  Params params;
  params.window_sizes = {3, 3};
  params.start_padding = params.end_padding = {1, 1};
  return params;
}

OperatorParams unfold_of(std::uint64_t output_elements, Image kind) {
  auto params = window_3x3<UnfoldParams>();
  params.input.sizes = image(output_elements / 9, kind);
  params.output.sizes = output_sizes(params);
  return params;
}

OperatorParams fold_of(std::uint64_t output_elements, Image kind) {
  auto params = window_3x3<FoldParams>();
  params.output.sizes = image(output_elements, kind);
  params.input.sizes = input_sizes(params);
  return params;
}

OperatorParams resample_of(std::uint64_t output_elements, Image kind, InterpolationMode mode) {
  ResampleParams params{.interpolation_mode = mode, .scales = {1, 1, 2, 2}};
  params.input.sizes = image(output_elements / 4, kind);
  params.output.sizes = output_sizes(params);
  return params;
}

OperatorParams function_of(std::uint64_t output_elements, OperatorType type) {
  ElementWiseParams params{.function = {.type = type}};
  params.input.sizes = params.output.sizes = image(output_elements, Image::channels);
  return params;
}

struct Subject {
  const char* name;
  OperatorParams (*params)(std::uint64_t output_elements);
};
using Elements = std::uint64_t;
constexpr Subject kSubjects[] = {
    {"IDENTITY", [](Elements n) { return function_of(n, OperatorType::element_wise_identity); }},
    {"TANH", [](Elements n) { return function_of(n, OperatorType::activation_tanh); }},
    {"UNFOLD 3x3, 64x64", [](Elements n) { return unfold_of(n, Image::channels); }},
    {"UNFOLD 3x3, square", [](Elements n) { return unfold_of(n, Image::square); }},
    {"FOLD 3x3, 64x64", [](Elements n) { return fold_of(n, Image::channels); }},
    {"FOLD 3x3, square", [](Elements n) { return fold_of(n, Image::square); }},
    {"nearest x2, 64x64",
     [](Elements n) {
       return resample_of(n, Image::channels, InterpolationMode::nearest_neighbor);
     }},
    {"nearest x2, square",
     [](Elements n) { return resample_of(n, Image::square, InterpolationMode::nearest_neighbor); }},
    {"linear x2, 64x64",
     [](Elements n) { return resample_of(n, Image::channels, InterpolationMode::linear); }},
    {"linear x2, square",
     [](Elements n) { return resample_of(n, Image::square, InterpolationMode::linear); }},
};
constexpr std::string_view kCurveColors[] = {"#555555", "#000000", "#1565c0", "#64b5f6", "#d84315",
                                             "#ffab91", "#2e7d32", "#81c784", "#7b1fa2", "#ce93d8"};

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Median of as many calls as the time allows, three or more; those before do not count.
double time_calls(double seconds, const auto& call) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&] {
    const auto start = Clock::now();
    call();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  constexpr std::size_t kMostCalls = 10'000;
  timed();
  for (double warm = 0; warm < seconds * 1e5;) warm += timed();
  std::vector<double> times;
  for (double all = 0; times.size() < 3 || (all < seconds * 1e6 && times.size() < kMostCalls);) {
    times.push_back(timed());
    all += times.back();
  }
  return median(times);
}

// Numbers that are neither denormal nor special.
Memory filled(const TensorDesc& desc) {
  Memory memory = huge_memory(minimum_size_in_bytes(desc).value_or(UINT64_MAX));
  std::memset(memory.bytes().data(), 0x3e, memory.bytes().size());
  return memory;
}

// Throws std::bad_alloc where memory does not suffice.
SweepPoint measure_point(const OperatorParams& params, const SweepOptions& options,
                         unsigned threads) {
  const Plan planned = plan(params, {.threads = threads, .max_isa = options.max_isa});
  const TensorDesc &in = *planned.inputs()[0], &out = *planned.outputs()[0];
  const auto bytes = [](const TensorDesc& desc) {
    return static_cast<double>(minimum_size_in_bytes(desc).value_or(0));
  };
  // The system needs some memory too.
  if (bytes(in) + bytes(out) > 0.8 * static_cast<double>(available_memory_bytes())) {
    throw std::bad_alloc();
  }
  const Memory input = filled(in), output = filled(out),
               workspace = huge_memory(planned.workspace_size_in_bytes());
  const ConstBuffer from = input.buffer();
  const Buffer to = output.buffer();
  const double us = time_calls(options.seconds, [&] {
    if (planned.run({.inputs = {&from, 1}, .outputs = {&to, 1}}, workspace.buffer()) !=
        ErrorCode::ok) {
      throw Error(ErrorCode::invalid_argument, "a run of the plan was refused");
    }
  });
  return {bytes(out), bytes(in) + bytes(out), us};
}

std::string size_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit < 3; ++unit) bytes /= 1024;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace

std::vector<SweepCurve> sweep(const SweepOptions& options, unsigned threads,
                              const std::function<void(std::string_view)>& step) {
  std::vector<SweepCurve> curves;
  for (const Subject& subject : kSubjects) {
    SweepCurve curve{subject.name, threads, {}};
    for (std::uint64_t size = kSmallestBytes; size <= options.largest_bytes; size *= 2) {
      step(fmt::format("{} {}", subject.name, size_text(static_cast<double>(size))));
      try {
        const OperatorParams params = subject.params(size / sizeof(float));
        curve.points.push_back(measure_point(params, options, threads));
      } catch (const std::bad_alloc&) {
        break;
      } catch (const Error&) {  // more elements than a tensor may have
        break;
      }
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::size_t sweep_steps(const SweepOptions& options) {
  std::size_t sizes = 0;
  for (std::uint64_t size = kSmallestBytes; size <= options.largest_bytes; size *= 2) ++sizes;
  return sizes * std::size(kSubjects);
}

std::string sweep_svg(const std::vector<SweepCurve>& curves, const std::string& title) {
  constexpr double kWidth = 1200, kHeight = 620, kLeft = 70, kRight = 230, kTop = 60, kBottom = 60;
  constexpr double kLowest = 0.5, kHighest = 500;  // GB/s
  Drawing drawing;
  double top = 0;
  unsigned threads = 0;
  std::size_t index = 0;
  const LogAxis x{kSmallestBytes, double{1ull << 32}, kLeft, kWidth - kRight};
  for (const SweepCurve& curve : curves) {
    if (curve.threads != threads) {
      if (threads != 0) top += kHeight;
      threads = curve.threads;
      index = 0;
      drawing.text(kLeft, top + 28, fmt::format("{}, threads: {}", title, threads), "start", 15);
      drawing.text(kLeft, top + kTop - 8, "GB/s of input and output");
      drawing.text(x.to, top + kHeight - 22, "bytes of the output", "end");
      for (double bytes = kSmallestBytes; bytes <= x.high; bytes *= 4) {
        drawing.line(x.at(bytes), top + kTop, x.at(bytes), top + kHeight - kBottom, "#dddddd");
        drawing.text(x.at(bytes), top + kHeight - kBottom + 16, size_text(bytes), "middle");
      }
    }
    const LogAxis y{kLowest, kHighest, top + kHeight - kBottom, top + kTop};
    if (index == 0) {
      for (const double rate : {0.5, 1., 2., 5., 10., 20., 50., 100., 200., 500.}) {
        drawing.line(x.from, y.at(rate), x.to, y.at(rate), "#dddddd");
        drawing.text(x.from - 6, y.at(rate) + 4, fmt::format("{:g}", rate), "end");
      }
    }
    const std::string_view color = kCurveColors[index % std::size(kCurveColors)];
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const SweepPoint& point = curve.points[i];
      const double left = x.at(point.output_bytes), height = y.at(point.gbytes());
      if (i > 0) {
        const SweepPoint& last = curve.points[i - 1];
        drawing.line(x.at(last.output_bytes), y.at(last.gbytes()), left, height, color, 1.5);
      }
      drawing.dot(left, height, 3, color, true,
                  fmt::format("{}, {}: {:.1f} us, {:.1f} GB/s", curve.name,
                              size_text(point.output_bytes), point.us, point.gbytes()));
    }
    const double row = top + kTop + 20 + 20 * static_cast<double>(index++);
    drawing.dot(kWidth - kRight + 20, row - 4, 4, color, true, curve.name);
    drawing.text(kWidth - kRight + 32, row, curve.name);
  }
  return drawing.svg(kWidth, top + kHeight);
}

void print_sweep(const std::vector<SweepCurve>& curves) {
  for (const SweepCurve& curve : curves) {
    fmt::print("\n{}, threads: {}\n{:>12}{:>12}{:>10}\n", curve.name, curve.threads, "output", "us",
               "GB/s");
    for (const SweepPoint& point : curve.points) {
      fmt::print("{:>12}{:>12.1f}{:>10.1f}\n", size_text(point.output_bytes), point.us,
                 point.gbytes());
    }
  }
}

void print_sweep_json(const std::vector<SweepCurve>& curves) {
  JsonOutput json;
  json.key("sweep").start_array();
  for (const SweepCurve& curve : curves) {
    json.start_object();
    json.key("operator").text(curve.name);
    json.key("threads").number(std::uint64_t{curve.threads});
    json.key("points").start_array();
    for (const SweepPoint& point : curve.points) {
      json.start_object();
      json.key("output_bytes").number(point.output_bytes);
      json.key("bytes").number(point.bytes);
      json.key("median_us").number(point.us);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.print();
}

}  // namespace weft::cli::bench
