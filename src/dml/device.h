#pragma once

#include <memory>

#include "com/ptr.h"
#include "d3d12/private.h"
#include "dml/device_state.h"
#include "dml/feature_level.h"
#include "dml/interfaces.h"
#include "dml/object.h"

namespace weft::dml {

// The object behind an interface that the application gave; null where it is of another
// implementation. Valid as long as the application keeps it.
template <class T>
T* own(IUnknown* object) noexcept {
  void* found = nullptr;
  if (!object || FAILED(object->QueryInterface(T::kId, &found))) return nullptr;
  object->Release();
  return static_cast<T*>(found);
}

// IDMLDevice1, and IDMLDebugDevice where DML_CREATE_DEVICE_FLAG_DEBUG asked for it.
class Device final : public DmlObject<IDMLDevice1, IDMLDevice> {
 public:
  static const GUID kId;

  Device(ID3D12Device* d3d12_device, com::Ptr<d3d12::IDescriptors> descriptors, bool debug,
         FeatureLevel feature_level);

  DeviceState& state() const noexcept override { return *state_; }
  const std::shared_ptr<DeviceState>& shared_state() const noexcept { return state_; }
  ID3D12Device* d3d12_device() const noexcept { return d3d12_device_.get(); }
  d3d12::IDescriptors& descriptors() const noexcept { return *descriptors_; }
  UINT descriptor_size_in_bytes() const noexcept { return descriptor_size_; }
  FeatureLevel feature_level() const noexcept { return feature_level_; }

  // IDMLDevice
  HRESULT CheckFeatureSupport(DML_FEATURE feature, UINT featureQueryDataSize,
                              const void* featureQueryData, UINT featureSupportDataSize,
                              void* featureSupportData) override;
  HRESULT CreateOperator(const DML_OPERATOR_DESC* desc, REFIID riid, void** ppv) override;
  HRESULT CompileOperator(IDMLOperator* op, DML_EXECUTION_FLAGS flags, REFIID riid,
                          void** ppv) override;
  HRESULT CreateOperatorInitializer(UINT operatorCount, IDMLCompiledOperator* const* operators,
                                    REFIID riid, void** ppv) override;
  HRESULT CreateCommandRecorder(REFIID riid, void** ppv) override;
  HRESULT CreateBindingTable(const DML_BINDING_TABLE_DESC* desc, REFIID riid, void** ppv) override;
  HRESULT Evict(UINT count, IDMLPageable* const* ppObjects) override;
  HRESULT MakeResident(UINT count, IDMLPageable* const* ppObjects) override;
  HRESULT GetDeviceRemovedReason() override;
  HRESULT GetParentDevice(REFIID riid, void** ppv) override;

  // IDMLDevice1
  HRESULT CompileGraph(const DML_GRAPH_DESC* desc, DML_EXECUTION_FLAGS flags, REFIID riid,
                       void** ppv) override;

 private:
  // Part of the device: counts the device's references.
  class Debug final : public IDMLDebugDevice {
   public:
    explicit Debug(Device& device) : device_(device) {}
    HRESULT QueryInterface(REFIID riid, void** object) override;
    ULONG AddRef() override { return device_.AddRef(); }
    ULONG Release() override { return device_.Release(); }
    void SetMuteDebugOutput(BOOL mute) override { device_.state_->mute(mute != FALSE); }

   private:
    Device& device_;
  };

  ~Device() override;
  void* query(REFIID riid) noexcept override;

  com::Ptr<ID3D12Device> d3d12_device_;
  com::Ptr<d3d12::IDescriptors> descriptors_;
  std::shared_ptr<DeviceState> state_;
  const UINT descriptor_size_;
  const bool debug_asked_for_;
  const FeatureLevel feature_level_;
  Debug debug_{*this};
};

}  // namespace weft::dml
