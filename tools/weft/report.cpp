#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <span>

#include "json_output.h"
#include "print.h"
#include "text.h"

namespace weft::cli {

namespace {

struct Statistics {
  double average, minimum, median, maximum;
};

Statistics statistics(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {sum / static_cast<double>(n), sorted.front(), (sorted[(n - 1) / 2] + sorted[n / 2]) / 2,
          sorted.back()};
}

// The first run finds caches cold and memory untouched; it counts only where it is the only one.
constexpr std::size_t kColdRuns = 1;
std::span<const double> hot_runs(const DispatchTimes& times) {
  const std::span<const double> runs = times.runs_ms;
  return runs.size() > kColdRuns ? runs.subspan(kColdRuns) : runs;
}

class TextReport : public Report {
 public:
  explicit TextReport(const ReportOptions& options) : options_(options) {}

  void command(const Command& command, const Model& model) override {
    if (options_.print_commands) fmt::print("Command {}\n", describe(command, model));
  }

  void dispatched(const Dispatchable& dispatchable, const Plan& plan,
                  const DispatchTimes& times) override {
    const std::string& name = dispatchable.name;
    if (options_.explain_plan) fmt::print("Plan '{}': {}\n", name, plan.explain());
    if (options_.verbosity == 0) {
      fmt::print("Dispatch '{}': {} iterations, {:.4f} ms median (CPU)\n", name,
                 times.runs_ms.size(), statistics(hot_runs(times)).median);
      return;
    }
    fmt::print("Initialize '{}': {:.4f} ms\n", name, times.initialization_ms);
    fmt::print("Dispatch '{}': {} iterations\n", name, times.runs_ms.size());
    print_statistics("Cold", std::span(times.runs_ms).first(kColdRuns));
    if (times.runs_ms.size() > kColdRuns) print_statistics("Hot", hot_runs(times));
    if (options_.verbosity < 2) return;
    fmt::print("The timings of each iteration:\n");
    for (std::size_t i = 0; i < times.runs_ms.size(); ++i) {
      fmt::print("iteration {}: {:.4f} ms (CPU)\n", i, times.runs_ms[i]);
    }
  }

  void tensor(const Resource& resource, const LoadedValues& values, bool all) override {
    const std::string text = tensor_text(values.type, values.shape, values.bytes(), all);
    if (values.shape.size() < 2) {
      fmt::print("Resource '{}': {}\n", resource.name, text);
    } else {
      fmt::print("Resource '{}': {} {}\n{}\n", resource.name, name(values.type),
                 shape_text(values.shape), text);
    }
  }

  void file_written(const Resource& resource, const std::filesystem::path& path) override {
    fmt::print("Resource '{}' written to {}\n", resource.name, path.string());
  }

  void compared(const Resource& resource, const LoadedValues& values, const Comparison& comparison,
                const Tolerance& tolerance) override {
    if (comparison.passed()) {
      fmt::print("Expect '{}': {}, {} as expected (atol {}, rtol {})\n", resource.name,
                 colored("passed", Color::green), counted(comparison.element_count, "element"),
                 tolerance.atol, tolerance.rtol);
      return;
    }
    const WrongElement& first = *comparison.first_wrong;
    fmt::print(
        "Expect '{}': {}, {} of {} wrong (atol {}, rtol {}); the first at {}: got {}, "
        "expected {}, difference {}\n",
        resource.name, colored("failed", Color::red), comparison.wrong_count,
        counted(comparison.element_count, "element"), tolerance.atol, tolerance.rtol,
        coordinates_text(values.shape, first.index), first.got, first.expected, first.difference);
  }

  void finish(bool) override {}

 private:
  static void print_statistics(std::string_view what, std::span<const double> samples) {
    const Statistics s = statistics(samples);
    fmt::print(
        "CPU Timings {:<7}: {} samples, {:.4f} ms average, {:.4f} ms min, {:.4f} ms median, "
        "{:.4f} ms max\n",
        fmt::format("({})", what), samples.size(), s.average, s.minimum, s.median, s.maximum);
  }

  ReportOptions options_;
};

// {"commands": [one object a command, in their order], "passed": true}
class JsonReport : public Report {
 public:
  explicit JsonReport(const ReportOptions& options) : options_(options) {
    json_.key("commands").start_array();
  }

  void command(const Command&, const Model&) override {}

  void dispatched(const Dispatchable& dispatchable, const Plan& plan,
                  const DispatchTimes& times) override {
    start("dispatch", "dispatchable", dispatchable.name);
    json_.key("operator").text(name(plan.type()));
    json_.key("algorithm").text(plan.algorithm());
    json_.key("workspace_bytes").number(plan.workspace_size_in_bytes());
    json_.key("prepared_bytes").number(plan.prepared_size_in_bytes());
    if (options_.explain_plan) json_.key("plan").text(plan.explain());
    if (options_.timed || options_.explain_plan) {
      json_.key("iterations").number(std::uint64_t{times.runs_ms.size()});
      json_.key("median_us").number(statistics(hot_runs(times)).median * 1000);
      json_.key("initialization_us").number(times.initialization_ms * 1000);
    }
    json_.end_object();
  }

  void tensor(const Resource& resource, const LoadedValues& values, bool) override {
    start("print", "resource", resource.name);
    json_.key("data_type").text(name(values.type));
    if (values.shape.empty()) {
      json_.key("shape").start_array().number(values.element_count).end_array();
    } else {
      json_.key("shape").dims(values.shape);
    }
    json_.key("values").elements(values.type, values.bytes());
    json_.end_object();
  }

  void file_written(const Resource& resource, const std::filesystem::path& path) override {
    start("writeFile", "resource", resource.name);
    json_.key("path").path(path);
    json_.end_object();
  }

  void compared(const Resource& resource, const LoadedValues&, const Comparison& comparison,
                const Tolerance& tolerance) override {
    start("expect", "resource", resource.name);
    json_.key("passed").boolean(comparison.passed());
    json_.key("atol").number(tolerance.atol);
    json_.key("rtol").number(tolerance.rtol);
    json_.key("element_count").number(comparison.element_count);
    json_.key("wrong_count").number(comparison.wrong_count);
    if (const auto& first = comparison.first_wrong) {
      json_.key("first_wrong").start_object();
      json_.key("index").number(first->index);
      json_.key("got").text(first->got);
      json_.key("expected").text(first->expected);
      json_.key("difference").text(first->difference);
      json_.end_object();
    }
    json_.end_object();
  }

  void finish(bool passed) override {
    json_.end_array();
    json_.key("passed").boolean(passed);
    json_.print();
  }

 private:
  void start(std::string_view type, std::string_view key, std::string_view name) {
    json_.start_object();
    json_.key("type").text(type);
    json_.key(key).text(name);
  }

  ReportOptions options_;
  JsonOutput json_;
};

}  // namespace

std::unique_ptr<Report> make_report(const ReportOptions& options) {
  if (options.json) return std::make_unique<JsonReport>(options);
  return std::make_unique<TextReport>(options);
}

}  // namespace weft::cli
