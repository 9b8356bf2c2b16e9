#pragma once

#include <memory>
#include <vector>

#include "dml/binding_set.h"
#include "dml/device_child.h"

namespace weft::dml {

// IDMLBindingTable. What is bound is written into every descriptor of the table's range, where
// RecordDispatch (or, bound late, the submission) finds it: it comes along when an application
// copies the range, and a range that something else was written into is noticed.
//
// Used by one thread at a time, as documented.
class BindingTable final : public DeviceChild<IDMLBindingTable> {
 public:
  static const GUID kId;

  // Throws com::Failure.
  BindingTable(Device& device, const DML_BINDING_TABLE_DESC* desc);

  void BindInputs(UINT bindingCount, const DML_BINDING_DESC* bindings) override;
  void BindOutputs(UINT bindingCount, const DML_BINDING_DESC* bindings) override;
  void BindTemporaryResource(const DML_BINDING_DESC* binding) override;
  void BindPersistentResource(const DML_BINDING_DESC* binding) override;
  HRESULT Reset(const DML_BINDING_TABLE_DESC* desc) override;

  // What RecordDispatch needs. The set is null for a table without a dispatchable.
  const std::shared_ptr<const BindingSet>& bound() const noexcept { return bound_; }
  D3D12_GPU_DESCRIPTOR_HANDLE gpu_descriptors() const noexcept { return gpu_; }
  UINT descriptor_count() const noexcept { return descriptor_count_; }

  // Checks what is bound as a whole; what the binding methods did not compare with each other yet.
  // Throws com::Failure.
  void check() const;
  // What is bound has been used: rebinding starts a new round, in which buffers may change places.
  void recorded() { fresh_.assign(fresh_.size(), false); }

 private:
  void* query(REFIID riid) noexcept override {
    return riid == kId ? this : DeviceChild::query(riid);
  }

  void reset(const DML_BINDING_TABLE_DESC* desc);
  void bind_groups(std::span<const SlotGroup> groups, UINT count, const DML_BINDING_DESC* bindings);
  void bind_group(BindingSet& set, const SlotGroup& group, const DML_BINDING_DESC& binding);
  void bind_resource(std::uint32_t slot, const DML_BINDING_DESC* binding);
  void bind(BindingSet& set, std::uint32_t slot, const DML_BUFFER_BINDING* binding);
  void publish(std::shared_ptr<BindingSet> next);

  com::Ptr<IDMLDispatchable> dispatchable_;
  std::shared_ptr<const BindingSet> bound_;
  std::vector<bool> fresh_;  // slots bound since the last RecordDispatch
  D3D12_CPU_DESCRIPTOR_HANDLE cpu_ = {};
  D3D12_GPU_DESCRIPTOR_HANDLE gpu_ = {};
  UINT descriptor_count_ = 0;
};

}  // namespace weft::dml
