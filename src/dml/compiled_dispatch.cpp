#include "dml/compiled_dispatch.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "dml/call.h"

namespace weft::dml {

namespace {

using Access = d3d12::BufferUse::Access;

constexpr std::uint64_t kTensorAlignment = DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
constexpr const char* kRun = "execution";

Slot slot_of(const Executable::Tensor& tensor, Slot::Role role) {
  Slot slot{tensor.name, role};
  slot.size_in_bytes = tensor.size_in_bytes;
  slot.alignment_in_bytes = std::max(kTensorAlignment, tensor.alignment_in_bytes);
  slot.access = role == Slot::Role::output ? Access::write : Access::read;
  if (tensor.connected) slot.need = Slot::Need::required;
  if (tensor.owned_by_dml) {
    slot.need = Slot::Need::forbidden;
    slot.forbidden_because = "it is OWNED_BY_DML: bound at initialization, not at execution";
  } else if (tensor.absent) {
    slot.need = Slot::Need::forbidden;
    slot.forbidden_because = "the operator's desc has no such tensor";
  }
  return slot;
}

}  // namespace

CompiledDispatch::CompiledDispatch(std::string name, std::shared_ptr<const Executable> executable,
                                   std::uint32_t flags)
    : executable_(std::move(executable)) {
  name_ = std::move(name);
  binds_late_ = (flags & DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE) != 0;
  in_place_ = executable_->runs_in_place();
  const auto add = [&](const Executable::Tensor& tensor, Slot::Role role,
                       std::vector<SlotGroup>& groups) {
    groups.push_back({tensor.name, slot_count()});
    slots_.push_back(slot_of(tensor, role));
  };
  for (const auto& tensor : executable_->inputs()) add(tensor, Slot::Role::input, inputs_);
  for (const auto& tensor : executable_->outputs()) add(tensor, Slot::Role::output, outputs_);
  add_resources(executable_->temporary_size_in_bytes(), executable_->persistent_size_in_bytes());
}

void CompiledDispatch::run(std::span<std::byte* const> slots, DeviceState& state) const noexcept {
  const auto remove = [&](HRESULT reason, std::string_view text) {
    remove_device(state, kRun, reason, text);
  };
  com::guard_plans(remove, [&] {
    if (!initialized()) {
      throw com::Failure(E_INVALIDARG, label() +
                                           " is executed before it was initialized: dispatch an "
                                           "IDMLOperatorInitializer for it first");
    }
    if (residency_.load() <= 0) {
      throw com::Failure(E_INVALIDARG, label() +
                                           " is executed while it is evicted, must be made "
                                           "resident before");
    }
    check_persistent(slots[persistent_slot()], state);
    Trace trace(kRun);
    trace.detail([&] {
      const std::string text = label();
      return (text == name() ? "" : text + ": ") + executable_->explain();
    });
    if (!executable_->run(slots)) {
      throw com::Failure(E_INVALIDARG, label() + ": a buffer is not as it was bound");
    }
    trace.finish();
  });
}

// Hardware may have put addresses into the persistent resource.
void CompiledDispatch::check_persistent(const std::byte* bound, DeviceState& state) const {
  if (executable_->persistent_size_in_bytes() == 0 || bound == persistent_) return;
  if (warned_.exchange(true)) return;
  state.report(com::Severity::warning,
               std::string(kRun) + ": " + label() +
                   ".PersistentResource is bound elsewhere than at initialization: a persistent "
                   "resource must not be moved");
}

void CompiledDispatch::evict() const noexcept {
  int count = residency_.load();
  while (count > 0 && !residency_.compare_exchange_weak(count, count - 1)) {
  }
}

void CompiledDispatch::set_label(std::string label) const {
  const std::lock_guard lock(mutex_);
  label_ = std::move(label);
}

std::string CompiledDispatch::label() const {
  const std::lock_guard lock(mutex_);
  return label_.empty() ? name() : name() + " \"" + label_ + "\"";
}

}  // namespace weft::dml
