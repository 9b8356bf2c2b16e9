#include "bench/python_peers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <iterator>
#include <utility>
#include <variant>

#include "bench/python_process.h"

namespace weft::cli::bench {

namespace {

// One member of the task's JSON, with the comma before it.
template <class Value>
void add(std::string& json, std::string_view name, const Value& value) {
  fmt::format_to(std::back_inserter(json), ", \"{}\": {}", name, value);
}

template <class Values>
void add_list(std::string& json, std::string_view name, const Values& values) {
  fmt::format_to(std::back_inserter(json), ", \"{}\": [{}]", name, fmt::join(values, ", "));
}

template <class Params>
void add_windows(std::string& json, const Params& p) {
  add_list(json, "strides", p.strides);
  add_list(json, "dilations", p.dilations);
  add_list(json, "start_padding", p.start_padding);
  add_list(json, "end_padding", p.end_padding);
}

void add_params(std::string& json, const ConvolutionParams& p) {
  add_windows(json, p);
  add_list(json, "output_padding", p.output_padding);
  add(json, "groups", p.group_count);
  add(json, "backward", p.direction == ConvolutionDirection::backward);
  add(json, "flipped", p.mode == ConvolutionMode::convolution);
  add(json, "relu", p.fused_activation.has_value());
}

void add_params(std::string& json, const ResampleParams& p) {
  const bool linear = p.interpolation_mode == InterpolationMode::linear;
  const bool down = p.rounding_direction == AxisDirection::decreasing;
  add(json, "mode", linear ? "\"LINEAR\"" : "\"NEAREST_NEIGHBOR\"");
  add(json, "rounding", down ? "\"DECREASING\"" : "\"INCREASING\"");
  add_list(json, "scales", p.scales);
  add_list(json, "input_offsets", p.input_pixel_offsets);
  add_list(json, "output_offsets", p.output_pixel_offsets);
}

void add_params(std::string&, const ElementWiseParams&) {}

template <class Params>
void add_params(std::string& json, const Params& p) {
  add_windows(json, p);
  add_list(json, "window", p.window_sizes);
}

const char* numpy_type(DataType type) {
  switch (type) {
    case DataType::float32:
      return "float32";
    case DataType::float16:
      return "float16";
    case DataType::int8:
      return "int8";
    case DataType::uint8:
      return "uint8";
    default:
      return nullptr;
  }
}

// Lays the tensors of a task out in the shared memory.
class Exchange {
 public:
  Exchange(PythonProcess& process, const Task& task) {
    const auto place = [&](const char* name, const Dims& sizes, std::size_t bytes) {
      constexpr std::size_t kPage = 4096;
      const std::size_t offset = end_;
      end_ += (bytes + kPage - 1) / kPage * kPage;
      fmt::format_to(std::back_inserter(tensors_), "{}\"{}\": {{\"offset\": {}, \"sizes\": [{}]}}",
                     tensors_.empty() ? "" : ", ", name, offset, fmt::join(sizes, ", "));
      return offset;
    };
    const Tensors& t = task.tensors;
    const auto& params = task.shape.params;
    const Dims& in = std::visit([](const auto& p) -> const Dims& { return p.input.sizes; }, params);
    const Dims& out =
        std::visit([](const auto& p) -> const Dims& { return p.output.sizes; }, params);
    const std::size_t input = place("input", in, t.input_elements().size());
    std::size_t filter = 0, bias = 0;
    if (const auto* const p = std::get_if<ConvolutionParams>(&params)) {
      filter = place("filter", p->filter.sizes, t.filter_elements().size());
      if (p->bias) bias = place("bias", p->bias->sizes, t.bias_elements().size());
    }
    output_ = place("output", out, t.output_elements(0).size());
    process.resize_exchange(end_);
    process.write_exchange(input, t.input_elements());
    process.write_exchange(filter, t.filter_elements());
    process.write_exchange(bias, t.bias_elements());
  }

  const std::string& tensors() const { return tensors_; }
  std::size_t output() const { return output_; }

 private:
  std::size_t end_ = 0, output_ = 0;
  std::string tensors_;
};

class PythonContender : public Contender {
 public:
  PythonContender(PythonProcess& process, const Tensors& tensors, std::size_t output,
                  std::string way)
      : process_(process), tensors_(tensors), output_(output), way_(std::move(way)) {}

  std::vector<double> time(std::size_t calls) override {
    std::vector<double> result;
    for (const auto& word : process_.ask(fmt::format("time {} {}", way_, calls), "times")) {
      result.push_back(std::strtod(word.c_str(), nullptr));
    }
    if (result.size() != calls) throw Unavailable("it did not measure what it was asked for");
    return result;
  }

  void compute() override {
    process_.ask("compute " + way_, "done");
    process_.read_exchange(output_, tensors_.output_elements(0));
  }

 private:
  PythonProcess& process_;
  const Tensors& tensors_;
  std::size_t output_;
  std::string way_;  // "torch plain"
};

class PythonPeer : public Peer {
 public:
  PythonPeer(std::shared_ptr<PythonProcess> process, std::string name)
      : process_(std::move(process)), name_(std::move(name)) {}

  std::string name() const override { return name_; }
  std::string version() const override { return process_->version(name_); }

  std::vector<Way> ways(const Task& task) override {
    const char* const type = numpy_type(task.shape.data_type());
    if (type == nullptr) return {};
    const Exchange exchange(*process_, task);
    std::string json =
        fmt::format("{{\"op\": \"{}\", \"type\": \"{}\", \"threads\": {}, \"tensors\": {{{}}}",
                    weft::name(task.shape.type()), type, task.threads, exchange.tensors());
    std::visit([&](const auto& p) { add_params(json, p); }, task.shape.params);
    std::vector<Way> result;
    for (const std::string& way : process_->ask(fmt::format("load {} {}}}", name_, json), "ways")) {
      result.push_back({way, true,
                        std::make_unique<PythonContender>(*process_, task.tensors,
                                                          exchange.output(), name_ + " " + way)});
    }
    return result;
  }

 private:
  std::shared_ptr<PythonProcess> process_;
  std::string name_;
};

}  // namespace

std::shared_ptr<PythonProcess> start_python(const std::filesystem::path& script) {
  return std::make_shared<PythonProcess>(script);
}

std::unique_ptr<Peer> python_peer(std::shared_ptr<PythonProcess> process, const std::string& name) {
  if (process->version(name).empty()) throw Unavailable("not installed");
  return std::make_unique<PythonPeer>(std::move(process), name);
}

}  // namespace weft::cli::bench
