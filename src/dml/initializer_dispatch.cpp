#include "dml/initializer_dispatch.h"

#include <algorithm>
#include <utility>

#include "dml/call.h"

namespace weft::dml {

namespace {

using Access = d3d12::BufferUse::Access;

constexpr const char* kInitialization = "initialization";

Slot input_slot(const Executable::Tensor& tensor) {
  Slot slot{tensor.name, Slot::Role::input};
  slot.access = Access::initial_read;
  slot.size_in_bytes = tensor.size_in_bytes;
  slot.alignment_in_bytes =
      std::max<std::uint64_t>(DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT, tensor.alignment_in_bytes);
  if (tensor.owned_by_dml) {
    slot.need = Slot::Need::required;
  } else {
    slot.need = Slot::Need::forbidden;
    slot.forbidden_because = "it is not OWNED_BY_DML: bound at execution, not at initialization";
  }
  return slot;
}

}  // namespace

InitializerDispatch::InitializerDispatch(
    std::vector<std::shared_ptr<const CompiledDispatch>> targets)
    : targets_(std::move(targets)) {
  name_ = "initializer";
  initializes_ = true;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const auto inputs = targets_[t]->executable().inputs();
    inputs_.push_back({"operator " + std::to_string(t) + " (" + targets_[t]->name() + ")",
                       slot_count(), static_cast<std::uint32_t>(inputs.size()), true});
    for (const Executable::Tensor& tensor : inputs) slots_.push_back(input_slot(tensor));
  }
  for (const auto& target : targets_) {
    const std::uint64_t size = target->executable().persistent_size_in_bytes();
    outputs_.push_back({target->name() + ".PersistentResource", slot_count()});
    slots_.push_back({outputs_.back().name,
                      Slot::Role::output,
                      size != 0 ? Slot::Need::required : Slot::Need::ignored,
                      {},
                      size,
                      DML_PERSISTENT_BUFFER_ALIGNMENT,
                      Access::write});
  }
  add_resources(0, 0);
}

void InitializerDispatch::run(std::span<std::byte* const> slots,
                              DeviceState& state) const noexcept {
  const auto remove = [&](HRESULT reason, std::string_view text) {
    remove_device(state, kInitialization, reason, text);
  };
  com::guard_plans(remove, [&] {
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const CompiledDispatch& target = *targets_[t];
      Trace trace(kInitialization);
      trace.detail([&] { return target.label(); });
      if (!target.begin_initialization()) {
        throw com::Failure(E_INVALIDARG, target.label() +
                                             " is initialized a second time, must be "
                                             "initialized exactly once");
      }
      std::byte* persistent = slots[outputs_[t].first_slot];
      target.executable().initialize(slots.subspan(inputs_[t].first_slot, inputs_[t].slot_count),
                                     persistent);
      target.end_initialization(persistent);
      trace.finish();
    }
  });
}

}  // namespace weft::dml
