#include "d3d12/query_heap.h"

#include <chrono>

#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

std::shared_ptr<Timestamps> make_timestamps(const D3D12_QUERY_HEAP_DESC& desc) {
  if (desc.Type != D3D12_QUERY_HEAP_TYPE_TIMESTAMP &&
      desc.Type != D3D12_QUERY_HEAP_TYPE_COPY_QUEUE_TIMESTAMP) {
    refuse(E_NOTIMPL, "pDesc->Type is ", desc.Type, ": the software device has timestamps only");
  }
  require(desc.Count != 0, "pDesc->Count is 0, must be at least 1");
  if (desc.Count > 1U << 24) refuse(E_OUTOFMEMORY, "pDesc->Count is ", desc.Count, ": too many");
  check_node_mask("pDesc->NodeMask", desc.NodeMask);
  return std::make_shared<Timestamps>(desc.Count);
}

}  // namespace

std::uint64_t now_in_ticks() noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

QueryHeap::QueryHeap(Device& device, const D3D12_QUERY_HEAP_DESC& desc)
    : DeviceChild(device), type_(desc.Type), timestamps_(make_timestamps(desc)) {}

}  // namespace weft::d3d12
