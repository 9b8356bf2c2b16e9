#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "memory.h"
#include "model.h"
#include "resources.h"
#include "weft/plan.h"

namespace weft::cli {

// The tensors of one dispatch, as memory.
struct BoundTensors {
  std::vector<ConstBuffer> inputs;
  std::vector<Buffer> outputs;
  ConstBuffer prepared = {};

  Bindings bindings() const { return {inputs, outputs, prepared}; }
};

// An operator ready to run. OWNED_BY_DML inputs have been copied (a convolution's filter packed),
// so that later changes of their resources do not matter.
struct PreparedDispatchable {
  std::optional<Plan> plan;        // none where the model is wrong
  std::vector<Memory> owned = {};  // one an input; empty for those bound at execution
  Memory prepared = {};
  double initialization_ms = 0;
};

// A model with its data in memory and its operators planned: all that can be wrong with it has
// been found. Dispatching, printing and comparing only read and fill this.
class PreparedModel {
 public:
  // Throws BadInput with everything that is wrong, the model's own problems first.
  PreparedModel(Model model, const PlanOptions& options);

  const Model& model() const { return model_; }
  const PreparedDispatchable& dispatchable(std::size_t index) const {
    return dispatchables_[index];
  }
  LoadedValues& resource(std::size_t index) { return resources_[index]; }

  // What command `index` needs: tensors of a dispatch, values of an expectation.
  const BoundTensors& tensors(std::size_t index) const {
    return std::get<BoundTensors>(commands_[index]);
  }
  const LoadedValues& expected(std::size_t index) const {
    return std::get<LoadedValues>(commands_[index]);
  }
  Buffer workspace() const { return workspace_.buffer(); }

 private:
  void load_resources();
  void plan_dispatchables(const PlanOptions& options);
  void initialize(const Dispatchable& dispatchable, PreparedDispatchable& prepared);
  void prepare(const DispatchCommand& command, const Command& place, BoundTensors& tensors);
  void prepare(const WriteFileCommand& command, const Command& place);
  void prepare(const ExpectCommand& command, const Command& place, LoadedValues& expected);

  // The memory of a tensor, or nothing, having recorded why.
  std::optional<Buffer> bind(const ResourceBinding& binding, const TensorDesc& desc);

  void fail(const std::string& pointer, std::string message);
  // Runs `action`; what it throws becomes problems at `pointer`.
  template <class Action>
  void guard(const std::string& pointer, const Action& action);

  Model model_;
  MemoryBudget budget_;
  std::vector<LoadedValues> resources_;
  std::vector<PreparedDispatchable> dispatchables_;
  std::vector<std::variant<std::monostate, BoundTensors, LoadedValues>> commands_;
  Memory workspace_;
};

}  // namespace weft::cli
