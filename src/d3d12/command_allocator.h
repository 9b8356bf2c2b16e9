#pragma once

#include <atomic>
#include <memory>

#include "d3d12/device_child.h"

namespace weft::d3d12 {

// What an allocator, the lists that record into it and the queues that execute them share.
struct AllocatorState {
  std::atomic<bool> recording{false};        // a list that records into it is open
  std::atomic<std::uint64_t> executions{0};  // submitted, not yet done
  std::atomic<std::uint64_t> generation{0};  // counts Resets: what was recorded before is gone
};

class CommandAllocator final : public DeviceChild<CommandAllocator, ID3D12CommandAllocator,
                                                  ID3D12CommandAllocator, ID3D12Pageable> {
 public:
  CommandAllocator(Device& device, D3D12_COMMAND_LIST_TYPE type)
      : DeviceChild(device), type_(type), shared_(std::make_shared<AllocatorState>()) {}

  D3D12_COMMAND_LIST_TYPE type() const noexcept { return type_; }
  const std::shared_ptr<AllocatorState>& shared() const noexcept { return shared_; }

  // E_FAIL while a list records, or while what was recorded is executed.
  HRESULT Reset() override;

 private:
  D3D12_COMMAND_LIST_TYPE type_;
  std::shared_ptr<AllocatorState> shared_;
};

}  // namespace weft::d3d12
