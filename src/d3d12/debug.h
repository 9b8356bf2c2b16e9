#pragma once

#include "com/object.h"

namespace weft::d3d12 {

struct DebugInterfaces : ID3D12Debug6, ID3D12Debug1, ID3D12Debug2 {};

// The switch of the debug layer, for devices made from then on. Rules are checked either way; with
// the layer on, messages are stored (ID3D12InfoQueue) and memory that need not be zero is not.
class Debug final : public com::Object<DebugInterfaces, ID3D12Debug6, ID3D12Debug5, ID3D12Debug4,
                                       ID3D12Debug3, ID3D12Debug2, ID3D12Debug1, ID3D12Debug> {
 public:
  static bool layer_is_on() noexcept;

  void EnableDebugLayer() override;
  void DisableDebugLayer() override;
  // There are no shaders to validate, and no barriers of the newer kind.
  void SetEnableGPUBasedValidation(BOOL) override {}
  void SetEnableSynchronizedCommandQueueValidation(BOOL) override {}
  void SetGPUBasedValidationFlags(D3D12_GPU_BASED_VALIDATION_FLAGS) override {}
  void SetEnableAutoName(BOOL) override {}
  void SetForceLegacyBarrierValidation(BOOL) override {}
};

}  // namespace weft::d3d12
