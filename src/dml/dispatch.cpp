#include "dml/dispatch.h"

#include <algorithm>

#include "dml/trace.h"

namespace weft::dml {

const GUID DispatchSource::kId = {
    0x3f9c51d2, 0x6a0b, 0x4c7e, {0x8d, 0x25, 0x91, 0x4e, 0x07, 0xb3, 0xc8, 0x11}};

DML_BINDING_PROPERTIES Dispatch::properties() const noexcept {
  const auto needed = std::count_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.need == Slot::Need::required;
  });
  DML_BINDING_PROPERTIES result = {};
  result.RequiredDescriptorCount = static_cast<UINT>(needed);
  if (initializes_) return result;
  result.RequiredDescriptorCount = std::max(result.RequiredDescriptorCount, 1u);
  result.TemporaryResourceSize = slots_[temporary_slot()].size_in_bytes;
  result.PersistentResourceSize = slots_[persistent_slot()].size_in_bytes;
  return result;
}

DML_BINDING_PROPERTIES Dispatch::traced_properties() const noexcept {
  Trace trace("IDMLDispatchable::GetBindingProperties");
  const DML_BINDING_PROPERTIES result = properties();
  trace.detail([&] { return name_ + ": " + describe(result); });
  trace.finish();
  return result;
}

std::string describe(const DML_BINDING_PROPERTIES& properties) {
  return std::to_string(properties.RequiredDescriptorCount) + " descriptors, temporary " +
         std::to_string(properties.TemporaryResourceSize) + " bytes, persistent " +
         std::to_string(properties.PersistentResourceSize) + " bytes";
}

void Dispatch::add_resources(std::uint64_t temporary_size, std::uint64_t persistent_size) {
  const auto need = [](std::uint64_t size) {
    return size != 0 ? Slot::Need::required : Slot::Need::ignored;
  };
  slots_.push_back({name_ + ".TemporaryResource",
                    Slot::Role::temporary,
                    need(temporary_size),
                    {},
                    temporary_size,
                    DML_TEMPORARY_BUFFER_ALIGNMENT,
                    d3d12::BufferUse::Access::write});
  slots_.push_back({name_ + ".PersistentResource",
                    Slot::Role::persistent,
                    need(persistent_size),
                    {},
                    persistent_size,
                    DML_PERSISTENT_BUFFER_ALIGNMENT,
                    d3d12::BufferUse::Access::read});
}

}  // namespace weft::dml
