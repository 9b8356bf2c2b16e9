#include <chrono>
#include <cstring>
#include <string>

#include "command_line.h"
#include "commands.h"
#include "expect.h"
#include "model_reader.h"
#include "npy.h"
#include "prepared_model.h"
#include "problem.h"
#include "report.h"
#include "value_reader.h"

namespace weft::cli {

namespace {

// What a packed tensor of the resource's own type, covering all of it, says about its shape.
void learn_shape(LoadedValues& values, const TensorDesc& desc, const ResourceBinding& binding) {
  const bool packed = desc.strides.empty() || desc.strides == packed_strides(desc.sizes);
  if (packed && desc.data_type == values.type && binding.element_offset == 0 &&
      element_count(desc.sizes) == values.element_count) {
    values.shape = desc.sizes;
  }
}

class Runner {
 public:
  Runner(PreparedModel& prepared, std::size_t iterations, Report& report)
      : prepared_(prepared), iterations_(iterations), report_(report) {}

  // Returns whether all expectations were met.
  bool run() {
    const Model& model = prepared_.model();
    for (index_ = 0; index_ < model.commands.size(); ++index_) {
      report_.command(model.commands[index_], model);
      std::visit([this](const auto& action) { perform(action); }, model.commands[index_].action);
    }
    report_.finish(passed_);
    return passed_;
  }

 private:
  const Resource& resource(std::size_t index) const { return prepared_.model().resources[index]; }

  void perform(const DispatchCommand& command) {
    const Dispatchable& dispatchable = prepared_.model().dispatchables[command.dispatchable];
    const PreparedDispatchable& ready = prepared_.dispatchable(command.dispatchable);
    const Bindings bindings = prepared_.tensors(index_).bindings();
    DispatchTimes times{ready.initialization_ms, {}};
    for (std::size_t i = 0; i < iterations_; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const ErrorCode code = ready.plan->run(bindings, prepared_.workspace());
      const auto time = std::chrono::steady_clock::now() - start;
      if (code != ErrorCode::ok) throw BadInput(dispatchable.name, "the operator refused to run");
      times.runs_ms.push_back(std::chrono::duration<double, std::milli>(time).count());
    }
    for (const TensorField& tensor : tensor_fields(*dispatchable.params)) {
      const auto binding = command.bindings.find(tensor.name);
      if (binding == command.bindings.end()) continue;
      learn_shape(prepared_.resource(binding->second.resource), *tensor.desc, binding->second);
    }
    report_.dispatched(dispatchable, *ready.plan, times);
  }

  void perform(const PrintCommand& command) {
    report_.tensor(resource(command.resource), prepared_.resource(command.resource),
                   command.verbose);
  }

  void perform(const WriteFileCommand& command) {
    const LoadedValues& values = prepared_.resource(command.resource);
    const std::span<const std::byte> elements = values.bytes();
    if (is_npy(command.path)) {
      const Dims& known = command.dimensions.empty() ? values.shape : command.dimensions;
      NpyShape shape(known.begin(), known.end());
      if (shape.empty()) shape = {values.element_count};
      write_npy(command.path, values.type, shape, elements);
    } else {
      write_file(command.path, {&elements, 1});
    }
    report_.file_written(resource(command.resource), command.path);
  }

  void perform(const ExpectCommand& command) {
    const LoadedValues& values = prepared_.resource(command.resource);
    const Tolerance tolerance{command.atol, command.rtol};
    const Comparison comparison =
        compare(values.type, values.bytes(), prepared_.expected(index_).bytes(), tolerance);
    passed_ = passed_ && comparison.passed();
    report_.compared(resource(command.resource), values, comparison, tolerance);
  }

  PreparedModel& prepared_;
  std::size_t iterations_;
  Report& report_;
  std::size_t index_ = 0;
  bool passed_ = true;
};

}  // namespace

int run(const RunOptions& options, bool json) {
  PreparedModel prepared(read_model(options.model, options.paths), {.threads = options.threads});
  ReportOptions report_options = options.report;
  report_options.json = json;
  report_options.timed = options.iterations != 0;
  const auto report = make_report(report_options);
  const std::size_t iterations = options.iterations == 0 ? 1 : options.iterations;
  return Runner(prepared, iterations, *report).run() ? kDone : kCheckFailed;
}

}  // namespace weft::cli
