#include "dml/operator_initializer.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "dml/compiled_operator.h"
#include "dml/refusal.h"

namespace weft::dml {

namespace {

// More cannot be meant: a D3D12 heap has room for this many descriptors.
constexpr UINT kMaxOperatorCount = 1'000'000;

std::shared_ptr<const InitializerDispatch> dispatch_for(Device& device, UINT count,
                                                        IDMLCompiledOperator* const* operators) {
  if (count > kMaxOperatorCount) {
    refuse("operatorCount", std::to_string(count), "at most " + std::to_string(kMaxOperatorCount));
  }
  if (count != 0 && !operators) {
    refuse("operators", "null", "an array of operatorCount compiled operators");
  }
  std::vector<std::shared_ptr<const CompiledDispatch>> targets;
  std::unordered_set<const CompiledOperator*> given;
  for (UINT i = 0; i < count; ++i) {
    const std::string where = "operators[" + std::to_string(i) + "]";
    const auto* compiled = own<CompiledOperator>(operators[i]);
    if (!compiled || &compiled->device() != &device) {
      refuse_object(where, operators[i], compiled, "a compiled operator of this device");
    }
    if (!given.insert(compiled).second) {
      refuse(where, "given twice", "given once: an operator is initialized exactly once",
             compiled->compiled()->label());
    }
    if (compiled->compiled()->initialized()) {
      refuse(where, "initialized already", "new: an operator is initialized exactly once",
             compiled->compiled()->label());
    }
    targets.push_back(compiled->compiled());
  }
  return std::make_shared<InitializerDispatch>(std::move(targets));
}

}  // namespace

OperatorInitializer::OperatorInitializer(Device& device, UINT operator_count,
                                         IDMLCompiledOperator* const* operators)
    : DeviceChild(device), dispatch_(dispatch_for(device, operator_count, operators)) {}

HRESULT OperatorInitializer::Reset(UINT operatorCount, IDMLCompiledOperator* const* operators) {
  return answer(state(), "IDMLOperatorInitializer::Reset", [&](Trace& trace) {
    trace.detail([&] { return std::to_string(operatorCount) + " operators"; });
    auto next = dispatch_for(device(), operatorCount, operators);
    const std::lock_guard lock(mutex_);
    dispatch_->set_released();
    dispatch_ = std::move(next);
    return S_OK;
  });
}

std::shared_ptr<const Dispatch> OperatorInitializer::dispatch() const noexcept {
  const std::lock_guard lock(mutex_);
  return dispatch_;
}

void* OperatorInitializer::query(REFIID riid) noexcept {
  if (riid == DispatchSource::kId) return static_cast<DispatchSource*>(this);
  return DeviceChild::query(riid);
}

}  // namespace weft::dml
