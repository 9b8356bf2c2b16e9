#pragma once

#include "d3d12/command_queue_stubs.h"
#include "d3d12/device_child.h"
#include "d3d12/queue_thread.h"

namespace weft::d3d12 {

// Of lists, allocators and queues.
constexpr bool is_list_type(D3D12_COMMAND_LIST_TYPE type) noexcept {
  return type == D3D12_COMMAND_LIST_TYPE_DIRECT || type == D3D12_COMMAND_LIST_TYPE_COMPUTE ||
         type == D3D12_COMMAND_LIST_TYPE_COPY;
}

constexpr bool is_queue_priority(INT priority) noexcept {
  return priority == D3D12_COMMAND_QUEUE_PRIORITY_NORMAL ||
         priority == D3D12_COMMAND_QUEUE_PRIORITY_HIGH;
}

// A queue with a thread of its own, which does all its work in order.
class CommandQueue final
    : public DeviceChild<CommandQueue, CommandQueueStubs, ID3D12CommandQueue, ID3D12Pageable> {
 public:
  CommandQueue(Device& device, const D3D12_COMMAND_QUEUE_DESC& desc)
      : DeviceChild(device), desc_(desc), thread_(device.state()) {
    desc_.NodeMask = 1;
  }

  // A list that cannot be executed removes the device, and none of the lists is executed.
  void ExecuteCommandLists(UINT count, ID3D12CommandList* const* lists) override;
  HRESULT Signal(ID3D12Fence* fence, UINT64 value) override;
  HRESULT Wait(ID3D12Fence* fence, UINT64 value) override;
  HRESULT GetTimestampFrequency(UINT64* frequency) override;
  // Both are the monotonic clock in nanoseconds.
  HRESULT GetClockCalibration(UINT64* gpu_ticks, UINT64* cpu_ticks) override;
  D3D12_COMMAND_QUEUE_DESC GetDesc() override { return desc_; }
  void SetMarker(UINT, const void*, UINT) override {}
  void BeginEvent(UINT, const void*, UINT) override {}
  void EndEvent() override {}

 private:
  HRESULT not_offered(std::string_view method) noexcept override;

  D3D12_COMMAND_QUEUE_DESC desc_;
  QueueThread thread_;
};

}  // namespace weft::d3d12
