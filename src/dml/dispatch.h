#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "d3d12/private.h"
#include "dml/device_state.h"
#include "dml/interfaces.h"

namespace weft::dml {

// One buffer that a dispatch works on.
struct Slot {
  enum class Role : std::uint8_t { input, output, temporary, persistent };
  enum class Need : std::uint8_t {
    required,
    forbidden,  // an absent tensor, or one that is bound at another time
    ignored     // may be bound; nothing is read or written there
  };
  std::string name;  // "CONVOLUTION.FilterTensor"
  Role role = Role::input;
  Need need = Need::ignored;
  std::string_view forbidden_because = {};
  std::uint64_t size_in_bytes = 0;
  std::uint64_t alignment_in_bytes = 1;
  d3d12::BufferUse::Access access = d3d12::BufferUse::Access::read;
};

// What one DML_BINDING_DESC of BindInputs or BindOutputs stands for: a buffer, or (inputs of an
// initializer) an array of the buffers of one operator.
struct SlotGroup {
  std::string name;  // "CONVOLUTION.FilterTensor", "operator 2"
  std::uint32_t first_slot = 0;
  std::uint32_t slot_count = 1;
  bool is_array = false;
};

// Something that can be dispatched: what a binding table has to bind for it, and what it does. Made
// by a compiled operator or by an initializer for its present targets; binding tables and recorded
// work share it. Immutable but for atomics.
//
// Slots: inputs, outputs, then temporary and persistent resource.
class Dispatch {
 public:
  virtual ~Dispatch() = default;

  const std::string& name() const noexcept { return name_; }
  std::span<const Slot> slots() const noexcept { return slots_; }
  std::span<const SlotGroup> inputs() const noexcept { return inputs_; }
  std::span<const SlotGroup> outputs() const noexcept { return outputs_; }
  std::uint32_t temporary_slot() const noexcept { return slot_count() - 2; }
  std::uint32_t persistent_slot() const noexcept { return slot_count() - 1; }

  // DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE: bindings are read when the list is submitted.
  bool binds_late() const noexcept { return binds_late_; }
  // Whether input and output may be one range of memory.
  bool runs_in_place() const noexcept { return in_place_; }
  // Initialization: inputs may not share a resource with outputs, whatever the ranges.
  bool initializes() const noexcept { return initializes_; }

  // One descriptor for each buffer; never 0 for a compiled operator, since clients create heaps of
  // exactly that size.
  DML_BINDING_PROPERTIES properties() const noexcept;
  // The same as IDMLDispatchable::GetBindingProperties, which WEFT_TRACE tells.
  DML_BINDING_PROPERTIES traced_properties() const noexcept;

  // The object of the application's that this was made for is gone. Recorded work does not need it
  // here; elsewhere it may.
  void set_released() const noexcept { released_.store(true, std::memory_order_relaxed); }
  // True once after that.
  bool take_released() const noexcept {
    return released_.load(std::memory_order_relaxed) && released_.exchange(false);
  }

  // On the queue's thread; one pointer a slot. What goes wrong removes the device.
  virtual void run(std::span<std::byte* const> slots, DeviceState& state) const noexcept = 0;

 protected:
  Dispatch() = default;

  std::uint32_t slot_count() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }
  // The last two slots; a resource of size 0 need not be bound.
  void add_resources(std::uint64_t temporary_size, std::uint64_t persistent_size);

  std::string name_;
  std::vector<Slot> slots_;
  std::vector<SlotGroup> inputs_;
  std::vector<SlotGroup> outputs_;
  bool binds_late_ = false;
  bool in_place_ = false;
  bool initializes_ = false;

 private:
  mutable std::atomic<bool> released_{false};
};

// "4 descriptors, temporary 1792 bytes, persistent 256 bytes".
std::string describe(const DML_BINDING_PROPERTIES& properties);

// Offered by the objects that can be dispatched, beside their COM interfaces.
class DispatchSource {
 public:
  static const GUID kId;
  // What it does now: an initializer's Reset makes another one.
  virtual std::shared_ptr<const Dispatch> dispatch() const noexcept = 0;
  virtual const DeviceState* device_state() const noexcept = 0;

 protected:
  ~DispatchSource() = default;
};

}  // namespace weft::dml
