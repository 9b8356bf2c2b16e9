#pragma once

#include <memory>
#include <span>

#include "d3d12/device_child.h"

namespace weft::d3d12 {

// An event handle as WSL has it: an eventfd descriptor in a pointer. A copy of the descriptor is
// kept, so that the program may close its own.
class Event {
 public:
  // Throws com::Failure (E_HANDLE) when it is none.
  explicit Event(HANDLE handle);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void set() const noexcept;

 private:
  int descriptor_ = -1;
};

class Fence final
    : public DeviceChild<Fence, ID3D12Fence1, ID3D12Fence1, ID3D12Fence, ID3D12Pageable> {
 public:
  Fence(Device& device, std::uint64_t value, D3D12_FENCE_FLAGS flags);

  const std::shared_ptr<FenceState>& fence() const noexcept { return fence_; }

  UINT64 GetCompletedValue() override { return fence_->value(); }
  // Works on a removed device too, where every value is reached. A null event blocks.
  HRESULT SetEventOnCompletion(UINT64 value, HANDLE event) override;
  HRESULT Signal(UINT64 value) override;
  D3D12_FENCE_FLAGS GetCreationFlags() override { return flags_; }

 private:
  std::shared_ptr<FenceState> fence_;
  D3D12_FENCE_FLAGS flags_;
};

// Blocks, or sets the event, when all (any) of the fences have reached their values.
// Throws com::Failure, std::bad_alloc.
void wait_for_fences(std::span<const std::shared_ptr<FenceState>> fences,
                     std::span<const std::uint64_t> values, bool any, HANDLE event);

}  // namespace weft::d3d12
