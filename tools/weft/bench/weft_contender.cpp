#include "bench/weft_contender.h"

#include <array>

namespace weft::cli::bench {

namespace {

Plan make_plan(const Task& task, std::optional<Isa> max_isa) {
  PlanOptions options{.threads = task.threads, .max_isa = max_isa};
  options.prepare_filter = task.shape.type() == OperatorType::convolution;
  options.winograd = task.winograd;
  return plan(task.shape.params, options);
}

}  // namespace

WeftContender::WeftContender(const Task& task, std::optional<Isa> max_isa)
    : LocalContender(task.tensors.sets()),
      tensors_(task.tensors),
      plan_(make_plan(task, max_isa)),
      workspace_(huge_memory(plan_.workspace_size_in_bytes())),
      prepared_(huge_memory(plan_.prepared_size_in_bytes())) {
  if (prepared_.bytes().empty()) return;
  plan_.prepare(tensors_.filter(), prepared_.buffer());
}

std::string WeftContender::isa() const {
  const std::string_view algorithm = plan_.algorithm();
  const std::string_view ending = algorithm.substr(algorithm.rfind('_') + 1);
  return parse_isa(ending) ? std::string(ending) : "";
}

void WeftContender::run(std::size_t set) {
  const std::array<ConstBuffer, 3> inputs = {tensors_.input(set), tensors_.filter(),
                                             tensors_.bias()};
  const Buffer output = tensors_.output(set);
  const Bindings bindings{.inputs = {inputs.data(), plan_.inputs().size()},
                          .outputs = {&output, 1},
                          .prepared = prepared_.buffer()};
  if (plan_.run(bindings, workspace_.buffer()) != ErrorCode::ok) {
    throw Error(ErrorCode::invalid_argument, "a run of the plan was refused");
  }
}

}  // namespace weft::cli::bench
