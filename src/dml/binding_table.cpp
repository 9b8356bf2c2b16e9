#include "dml/binding_table.h"

#include <string>
#include <utility>

#include "dml/refusal.h"

namespace weft::dml {

namespace {

// The buffer that a desc binds, null for none; the desc may be null itself.
const DML_BUFFER_BINDING* buffer_of(const std::string& where, const DML_BINDING_DESC* binding) {
  if (!binding || raw(binding->Type) == DML_BINDING_TYPE_NONE) return nullptr;
  if (raw(binding->Type) != DML_BINDING_TYPE_BUFFER) {
    refuse(where + ".Type", std::to_string(raw(binding->Type)), "NONE (0) or BUFFER (1)");
  }
  if (!binding->Desc) refuse(where + ".Desc", "null", "a DML_BUFFER_BINDING");
  return static_cast<const DML_BUFFER_BINDING*>(binding->Desc);
}

// A table without a dispatchable takes no resource.
void check_unbound(const char* what, const DML_BINDING_DESC* binding) {
  if (!buffer_of(what, binding)) return;
  refuse(what, "bound", "DML_BINDING_TYPE_NONE", "the table has no dispatchable");
}

// The array of an initializer's input; null for none.
const DML_BUFFER_ARRAY_BINDING* array_of(const std::string& where,
                                         const DML_BINDING_DESC& binding) {
  if (raw(binding.Type) == DML_BINDING_TYPE_NONE) return nullptr;
  if (raw(binding.Type) != DML_BINDING_TYPE_BUFFER_ARRAY) {
    refuse(where + ".Type", std::to_string(raw(binding.Type)), "NONE (0) or BUFFER_ARRAY (2)",
           "an initializer takes an array of buffers for each operator");
  }
  const auto* array = static_cast<const DML_BUFFER_ARRAY_BINDING*>(binding.Desc);
  if (!array || array->BindingCount == 0) return nullptr;
  if (!array->Bindings) refuse(where + ".Bindings", "null", "BindingCount buffers");
  return array;
}

bool needs_any(std::span<const SlotGroup> groups, std::span<const Slot> slots) {
  for (const SlotGroup& group : groups) {
    for (const Slot& slot : slots.subspan(group.first_slot, group.slot_count)) {
      if (slot.need == Slot::Need::required) return true;
    }
  }
  return false;
}

// "ACTIVATION_RELU.InputTensor = buffer of 64 bytes + 16, ..." of what is bound.
std::string bound_text(const BindingTable& table, Slot::Role role) {
  if (!table.bound()) return "no dispatchable";
  const std::span<const Slot> slots = table.bound()->dispatch->slots();
  std::string text;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].role != role) continue;
    if (!text.empty()) text += ", ";
    const BindingSet::Bound& bound = table.bound()->slots[i];
    const auto buffer = bound.buffer.lock();
    text += slots[i].name + " = " + (buffer ? buffer->name() : std::string("none"));
    if (buffer && bound.offset_in_bytes != 0) text += " + " + std::to_string(bound.offset_in_bytes);
  }
  return text;
}

std::string table_text(const BindingTable& table) {
  return table.bound() ? table.bound()->dispatch->name() : "no dispatchable";
}

}  // namespace

const GUID BindingTable::kId = {
    0x3f9c51d2, 0x6a0b, 0x4c7e, {0x8d, 0x25, 0x91, 0x4e, 0x07, 0xb3, 0xc8, 0x14}};

BindingTable::BindingTable(Device& device, const DML_BINDING_TABLE_DESC* desc)
    : DeviceChild(device) {
  reset(desc);
}

HRESULT BindingTable::Reset(const DML_BINDING_TABLE_DESC* desc) {
  return answer(state(), "IDMLBindingTable::Reset", [&](Trace& trace) {
    reset(desc);
    trace.detail([&] { return table_text(*this); });
    return S_OK;
  });
}

void BindingTable::reset(const DML_BINDING_TABLE_DESC* desc) {
  if (!desc) {
    dispatchable_ = nullptr;
    bound_.reset();
    fresh_.clear();
    descriptor_count_ = 0;
    return;
  }
  const auto* source = own<DispatchSource>(desc->Dispatchable);
  if (!source || source->device_state() != &state()) {
    refuse_object("Dispatchable", desc->Dispatchable, source,
                  "a compiled operator or initializer of this device");
  }
  const auto dispatch = source->dispatch();
  const UINT needed = dispatch->properties().RequiredDescriptorCount;
  if (desc->SizeInDescriptors < needed) {
    refuse("SizeInDescriptors", std::to_string(desc->SizeInDescriptors),
           "at least " + std::to_string(needed), "RequiredDescriptorCount of " + dispatch->name());
  }
  const std::string range = " the start of " + std::to_string(desc->SizeInDescriptors) +
                            " descriptors of a CBV_SRV_UAV heap";
  if (needed != 0) {
    if (!device().descriptors().valid(desc->CPUDescriptorHandle, desc->SizeInDescriptors)) {
      refuse("CPUDescriptorHandle", "not" + range, "one");
    }
    if (!device().descriptors().valid(desc->GPUDescriptorHandle, desc->SizeInDescriptors)) {
      refuse("GPUDescriptorHandle", "not" + range + " that is SHADER_VISIBLE", "one");
    }
  }
  auto set = std::make_shared<BindingSet>();
  set->slots.resize(dispatch->slots().size());
  set->dispatch = dispatch;
  fresh_.assign(set->slots.size(), false);
  dispatchable_ = com::Ptr<IDMLDispatchable>(desc->Dispatchable);
  bound_ = std::move(set);
  cpu_ = desc->CPUDescriptorHandle;
  gpu_ = desc->GPUDescriptorHandle;
  descriptor_count_ = needed;
}

void BindingTable::BindInputs(UINT bindingCount, const DML_BINDING_DESC* bindings) {
  act(state(), "IDMLBindingTable::BindInputs", [&](Trace& trace) {
    bind_groups(bound_ ? bound_->dispatch->inputs() : std::span<const SlotGroup>(), bindingCount,
                bindings);
    trace.detail([&] { return bound_text(*this, Slot::Role::input); });
  });
}

void BindingTable::BindOutputs(UINT bindingCount, const DML_BINDING_DESC* bindings) {
  act(state(), "IDMLBindingTable::BindOutputs", [&](Trace& trace) {
    bind_groups(bound_ ? bound_->dispatch->outputs() : std::span<const SlotGroup>(), bindingCount,
                bindings);
    trace.detail([&] { return bound_text(*this, Slot::Role::output); });
  });
}

void BindingTable::BindTemporaryResource(const DML_BINDING_DESC* binding) {
  act(state(), "IDMLBindingTable::BindTemporaryResource", [&](Trace& trace) {
    if (!bound_) return check_unbound("TemporaryResource", binding);
    bind_resource(bound_->dispatch->temporary_slot(), binding);
    trace.detail([&] { return bound_text(*this, Slot::Role::temporary); });
  });
}

void BindingTable::BindPersistentResource(const DML_BINDING_DESC* binding) {
  act(state(), "IDMLBindingTable::BindPersistentResource", [&](Trace& trace) {
    if (!bound_) return check_unbound("PersistentResource", binding);
    bind_resource(bound_->dispatch->persistent_slot(), binding);
    trace.detail([&] { return bound_text(*this, Slot::Role::persistent); });
  });
}

void BindingTable::check() const {
  check_complete(*bound_);
  const std::span<const Slot> slots = bound_->dispatch->slots();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].need != Slot::Need::required || fresh_[i]) continue;
    return check_hazards(*bound_);
  }
}

void BindingTable::bind_groups(std::span<const SlotGroup> groups, UINT count,
                               const DML_BINDING_DESC* bindings) {
  // An initializer whose targets need nothing may be bound nothing.
  if (count == 0 && bound_ && bound_->dispatch->initializes() &&
      !needs_any(groups, bound_->dispatch->slots())) {
    return;
  }
  if (count != groups.size()) {
    refuse("bindingCount", std::to_string(count), std::to_string(groups.size()),
           "one for each tensor of " + table_text(*this) + ", absent ones too");
  }
  if (count == 0) return;
  if (!bindings) refuse("bindings", "null", "bindingCount bindings");
  auto next = std::make_shared<BindingSet>(*bound_);
  for (UINT i = 0; i < count; ++i) bind_group(*next, groups[i], bindings[i]);
  publish(std::move(next));
}

void BindingTable::bind_group(BindingSet& set, const SlotGroup& group,
                              const DML_BINDING_DESC& binding) {
  if (!group.is_array) {
    return bind(set, group.first_slot, buffer_of(group.name, &binding));
  }
  const DML_BUFFER_ARRAY_BINDING* array = array_of(group.name, binding);
  if (array && array->BindingCount != group.slot_count) {
    refuse(group.name + ".BindingCount", std::to_string(array->BindingCount),
           std::to_string(group.slot_count), "one for each input of the operator");
  }
  for (std::uint32_t i = 0; i < group.slot_count; ++i) {
    bind(set, group.first_slot + i, array ? &array->Bindings[i] : nullptr);
  }
}

void BindingTable::bind_resource(std::uint32_t slot, const DML_BINDING_DESC* binding) {
  auto next = std::make_shared<BindingSet>(*bound_);
  bind(*next, slot, buffer_of(bound_->dispatch->slots()[slot].name, binding));
  publish(std::move(next));
}

void BindingTable::bind(BindingSet& set, std::uint32_t slot, const DML_BUFFER_BINDING* binding) {
  set.slots[slot] = bind_buffer(set.dispatch->slots()[slot], binding, device().d3d12_device());
  fresh_[slot] = true;
}

void BindingTable::publish(std::shared_ptr<BindingSet> next) {
  check_hazards(*next, fresh_);
  bound_ = std::move(next);
  D3D12_CPU_DESCRIPTOR_HANDLE descriptor = cpu_;
  for (UINT i = 0; i < descriptor_count_; ++i) {
    device().descriptors().store(descriptor, bound_);
    descriptor.ptr += device().descriptor_size_in_bytes();
  }
}

}  // namespace weft::dml
