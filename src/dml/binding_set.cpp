#include "dml/binding_set.h"

#include "com/ptr.h"
#include "dml/refusal.h"

namespace weft::dml {

namespace {

using Access = d3d12::BufferUse::Access;
using Bound = BindingSet::Bound;

std::string bytes(std::uint64_t count) { return std::to_string(count) + " bytes"; }

void check_device(const Slot& slot, ID3D12Resource* resource, ID3D12Device* device) {
  void* owner = nullptr;
  if (FAILED(resource->GetDevice(__uuidof(ID3D12Device), &owner))) owner = nullptr;
  const auto held = com::Ptr<ID3D12Device>::adopt(static_cast<ID3D12Device*>(owner));
  if (held.get() != device) {
    refuse(slot.name + ".Buffer", "a resource of another D3D12 device",
           "one of the DirectML device's D3D12 device");
  }
}

// CPU-visible heaps cannot be bound for unordered access. An initializer may read an UPLOAD heap.
void check_heap(const Slot& slot, const d3d12::Buffer& buffer) {
  const D3D12_HEAP_TYPE type = buffer.heap.Type;
  if (type == D3D12_HEAP_TYPE_UPLOAD && slot.access == Access::initial_read) return;
  if (type == D3D12_HEAP_TYPE_UPLOAD || type == D3D12_HEAP_TYPE_READBACK) {
    refuse(slot.name + ".Buffer",
           buffer.name() +
               (type == D3D12_HEAP_TYPE_UPLOAD ? " in an UPLOAD heap" : " in a READBACK heap"),
           slot.access == Access::initial_read ? "in a DEFAULT, CUSTOM or UPLOAD heap"
                                               : "in a DEFAULT or CUSTOM heap",
           "the device reads and writes it");
  }
  if ((buffer.flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS) == 0) {
    refuse(slot.name + ".Buffer", buffer.name() + " without ALLOW_UNORDERED_ACCESS",
           "made with D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS",
           "DirectML binds buffers for unordered access");
  }
}

void check_range(const Slot& slot, const DML_BUFFER_BINDING& binding, const d3d12::Buffer& buffer) {
  if (binding.Offset % slot.alignment_in_bytes != 0) {
    refuse(slot.name + ".Offset", std::to_string(binding.Offset),
           "a multiple of " + std::to_string(slot.alignment_in_bytes));
  }
  if (binding.Offset > buffer.size_in_bytes ||
      binding.SizeInBytes > buffer.size_in_bytes - binding.Offset) {
    refuse(slot.name + ".SizeInBytes",
           std::to_string(binding.SizeInBytes) + " from byte " + std::to_string(binding.Offset),
           "inside the resource", buffer.name() + " has " + bytes(buffer.size_in_bytes));
  }
  if (binding.SizeInBytes < slot.size_in_bytes) {
    refuse(slot.name + ".SizeInBytes", std::to_string(binding.SizeInBytes),
           "at least " + std::to_string(slot.size_in_bytes),
           slot.role == Slot::Role::input || slot.role == Slot::Role::output
               ? "the tensor's TotalTensorSizeInBytes"
               : "what GetBindingProperties asks for");
  }
}

struct Range {
  const std::byte* begin;
  std::uint64_t size;

  bool overlaps(const Range& other) const {
    if (size == 0 || other.size == 0) return false;
    return begin < other.begin ? static_cast<std::uint64_t>(other.begin - begin) < size
                               : static_cast<std::uint64_t>(begin - other.begin) < other.size;
  }
};

// Whether a slot's memory may be touched by no other slot of `other`'s role.
bool is_exclusive(Slot::Role role, Slot::Role other) {
  using Role = Slot::Role;
  if (role == Role::output || role == Role::temporary) return true;
  return role == Role::persistent && (other == Role::output || other == Role::temporary);
}

class HazardCheck {
 public:
  HazardCheck(const BindingSet& set, const std::vector<bool>& counts)
      : set_(set), slots_(set.dispatch->slots()), uses_(counts) {
    // The memory of a buffer that is gone may be another's by now.
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      uses_[i] =
          uses_[i] && slots_[i].need == Slot::Need::required && !set.slots[i].buffer.expired();
    }
  }

  // Pairs of inputs, of which there may be many, are never in each other's way.
  void run() const {
    for (std::size_t a = 0; a < slots_.size(); ++a) {
      if (slots_[a].role == Slot::Role::input || !uses_[a]) continue;
      for (std::size_t b = 0; b < slots_.size(); ++b) {
        const bool both_exclusive = slots_[b].role != Slot::Role::input;
        if (a == b || (both_exclusive && b < a) || !uses_[b]) continue;
        check(a, b);
      }
    }
  }

 private:
  Range range(std::size_t i) const { return {set_.slots[i].address, slots_[i].size_in_bytes}; }

  void check(std::size_t a, std::size_t b) const {
    const bool is_input = slots_[b].role == Slot::Role::input;
    if (set_.dispatch->initializes() && is_input &&
        set_.slots[a].identity == set_.slots[b].identity) {
      refuse(slots_[b].name + ".Buffer", "the resource of " + slots_[a].name, "another one",
             "initialization does not read and write one resource");
    }
    if (!is_exclusive(slots_[a].role, slots_[b].role) || !range(a).overlaps(range(b))) return;
    const bool same_start = set_.slots[a].address == set_.slots[b].address && is_input &&
                            slots_[a].role == Slot::Role::output;
    const bool in_place = same_start && set_.dispatch->runs_in_place();
    if (in_place && slots_[a].size_in_bytes == slots_[b].size_in_bytes) return;
    refuse(slots_[a].name + ".Buffer", "overlapping " + slots_[b].name, "memory of its own",
           in_place     ? "in place, both have one TotalTensorSizeInBytes"
           : same_start ? set_.dispatch->name() + " does not run in place"
                        : "");
  }

  const BindingSet& set_;
  std::span<const Slot> slots_;
  std::vector<bool> uses_;
};

}  // namespace

BindingSet::Bound bind_buffer(const Slot& slot, const DML_BUFFER_BINDING* binding,
                              ID3D12Device* device) {
  if (!binding || !binding->Buffer) {
    if (slot.need == Slot::Need::required) refuse(slot.name, "not bound", "bound to a buffer");
    return {};
  }
  if (slot.need == Slot::Need::forbidden) {
    refuse(slot.name, "bound", "DML_BINDING_TYPE_NONE or a null buffer",
           std::string(slot.forbidden_because));
  }
  const auto resource = com::query<d3d12::IBufferResource>(binding->Buffer);
  if (!resource) refuse(slot.name + ".Buffer", "not a buffer of this D3D12", "one");
  check_device(slot, binding->Buffer, device);
  const std::shared_ptr<d3d12::Buffer> buffer = resource->buffer();
  check_heap(slot, *buffer);
  check_range(slot, *binding, *buffer);
  return {buffer, buffer.get(), buffer->bytes + binding->Offset, binding->Offset};
}

void check_hazards(const BindingSet& set, const std::vector<bool>& counts) {
  HazardCheck(set, counts).run();
}

void check_hazards(const BindingSet& set) {
  check_hazards(set, std::vector<bool>(set.slots.size(), true));
}

void check_complete(const BindingSet& set) {
  const std::span<const Slot> slots = set.dispatch->slots();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].need != Slot::Need::required) continue;
    if (!set.slots[i].is_bound()) refuse(slots[i].name, "not bound", "bound before it is used");
  }
}

}  // namespace weft::dml
