#include "d3d12/command_allocator.h"

#include "d3d12/refuse.h"

namespace weft::d3d12 {

HRESULT CommandAllocator::Reset() {
  return state().answer("ID3D12CommandAllocator::Reset", [&] {
    if (shared_->recording.load(std::memory_order_acquire)) {
      refuse(E_FAIL, "a command list that records into the allocator is open: close it first");
    }
    if (shared_->executions.load(std::memory_order_acquire) != 0) {
      refuse(E_FAIL,
             "a queue still executes what was recorded into the allocator: wait for a fence first");
    }
    shared_->generation.fetch_add(1, std::memory_order_acq_rel);
  });
}

}  // namespace weft::d3d12
