#include "d3d12/device.h"

#include "com/adapter.h"
#include "d3d12/command_allocator.h"
#include "d3d12/command_list.h"
#include "d3d12/command_queue.h"
#include "d3d12/fence.h"
#include "d3d12/query_heap.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

void check_list_type(const char* name, D3D12_COMMAND_LIST_TYPE type) {
  if (is_list_type(type)) return;
  if (type >= D3D12_COMMAND_LIST_TYPE_BUNDLE && type <= D3D12_COMMAND_LIST_TYPE_VIDEO_ENCODE) {
    refuse(E_NOTIMPL, name, " is ", type, ": the software device has DIRECT, COMPUTE and COPY");
  }
  refuse(E_INVALIDARG, name, " is ", type, ", must be one of DIRECT, COMPUTE, COPY");
}

}  // namespace

Device::Device(bool debug_layer)
    : state_(std::make_shared<DeviceState>(debug_layer)),
      info_queue_(*static_cast<ID3D12Device9*>(this), *state_) {}

Device::~Device() { state_->join_threads(); }

void* Device::query(REFIID riid) noexcept {
  if (riid == __uuidof(Device)) return this;
  if (state_->debug_layer() &&
      (riid == __uuidof(ID3D12InfoQueue) || riid == __uuidof(ID3D12InfoQueue1))) {
    return &info_queue_;
  }
  return Object::query(riid);
}

HRESULT Device::not_offered(std::string_view method) noexcept {
  return report_not_offered(*state_, "ID3D12Device", method);
}

HRESULT Device::GetPrivateData(REFGUID id, UINT* size, void* data) {
  return private_data_.get(id, size, data);
}
HRESULT Device::SetPrivateData(REFGUID id, UINT size, const void* data) {
  return private_data_.set(id, size, data);
}
HRESULT Device::SetPrivateDataInterface(REFGUID id, const IUnknown* object) {
  return private_data_.set_interface(id, const_cast<IUnknown*>(object));
}
HRESULT Device::SetName(LPCWSTR name) { return private_data_.set_name(name); }

LUID Device::GetAdapterLuid() { return com::kAdapterLuid; }

void Device::RemoveDevice() {
  state_->remove(DXGI_ERROR_DEVICE_REMOVED, D3D12_MESSAGE_ID_DEVICE_REMOVAL_PROCESS_AT_FAULT,
                 "ID3D12Device5::RemoveDevice: the program asked for it");
}

HRESULT Device::CreateCommandQueue(const D3D12_COMMAND_QUEUE_DESC* desc, REFIID riid,
                                   void** queue) {
  clear(queue);
  return state_->answer("ID3D12Device::CreateCommandQueue", [&] {
    require(desc != nullptr, "pDesc is null");
    check_list_type("pDesc->Type", desc->Type);
    check_node_mask("pDesc->NodeMask", desc->NodeMask);
    require(is_queue_priority(desc->Priority), "pDesc->Priority is ", desc->Priority,
            ", must be NORMAL (0) or HIGH (100)");
    require((desc->Flags & ~D3D12_COMMAND_QUEUE_FLAG_DISABLE_GPU_TIMEOUT) == 0, "pDesc->Flags is ",
            desc->Flags, ", must be NONE or DISABLE_GPU_TIMEOUT");
    return give_new<CommandQueue>(riid, queue, *this, *desc);
  });
}

HRESULT Device::CreateCommandQueue1(const D3D12_COMMAND_QUEUE_DESC* desc, REFIID, REFIID riid,
                                    void** queue) {
  return CreateCommandQueue(desc, riid, queue);
}

HRESULT Device::CreateCommandAllocator(D3D12_COMMAND_LIST_TYPE type, REFIID riid,
                                       void** allocator) {
  clear(allocator);
  return state_->answer("ID3D12Device::CreateCommandAllocator", [&] {
    check_list_type("type", type);
    return give_new<CommandAllocator>(riid, allocator, *this, type);
  });
}

HRESULT Device::CreateCommandList(UINT node_mask, D3D12_COMMAND_LIST_TYPE type,
                                  ID3D12CommandAllocator* allocator, ID3D12PipelineState* pipeline,
                                  REFIID riid, void** list) {
  clear(list);
  return state_->answer("ID3D12Device::CreateCommandList", [&] {
    check_node_mask("nodeMask", node_mask);
    check_list_type("type", type);
    if (!list) return S_FALSE;
    const auto made = com::Ptr<CommandList>::adopt(new CommandList(*this, type));
    made->open(allocator, pipeline);
    return give(*made, riid, list);
  });
}

HRESULT Device::CreateCommandList1(UINT node_mask, D3D12_COMMAND_LIST_TYPE type,
                                   D3D12_COMMAND_LIST_FLAGS flags, REFIID riid, void** list) {
  clear(list);
  return state_->answer("ID3D12Device4::CreateCommandList1", [&] {
    check_node_mask("nodeMask", node_mask);
    check_list_type("type", type);
    require(flags == D3D12_COMMAND_LIST_FLAG_NONE, "flags is ", flags, ", must be NONE");
    return give_new<CommandList>(riid, list, *this, type);
  });
}

HRESULT Device::CreateFence(UINT64 value, D3D12_FENCE_FLAGS flags, REFIID riid, void** fence) {
  clear(fence);
  return state_->answer("ID3D12Device::CreateFence", [&] {
    require(flags == D3D12_FENCE_FLAG_NONE || flags == D3D12_FENCE_FLAG_NON_MONITORED, "Flags is ",
            flags, ", must be NONE or NON_MONITORED: fences are not shared");
    return give_new<Fence>(riid, fence, *this, value, flags);
  });
}

HRESULT Device::SetEventOnMultipleFenceCompletion(ID3D12Fence* const* fences, const UINT64* values,
                                                  UINT count, D3D12_MULTIPLE_FENCE_WAIT_FLAGS flags,
                                                  HANDLE event) {
  const auto report = [this](HRESULT, std::string_view text) {
    state_->report_failure("ID3D12Device1::SetEventOnMultipleFenceCompletion", text);
  };
  return com::guard(report, [&] {
    require(fences && values && count != 0,
            "ppFences, pFenceValues and NumFences must not be null");
    require(
        flags == D3D12_MULTIPLE_FENCE_WAIT_FLAG_ALL || flags == D3D12_MULTIPLE_FENCE_WAIT_FLAG_ANY,
        "Flags is ", flags, ", must be ALL or ANY");
    std::vector<std::shared_ptr<FenceState>> states;
    for (UINT i = 0; i < count; ++i) {
      const auto fence = own<Fence>(fences[i]);
      require(fence && &fence->device() == this, "ppFences[", i, "] is not a fence of this device");
      states.push_back(fence->fence());
    }
    wait_for_fences(states, {values, count}, flags == D3D12_MULTIPLE_FENCE_WAIT_FLAG_ANY, event);
  });
}

HRESULT Device::CreateQueryHeap(const D3D12_QUERY_HEAP_DESC* desc, REFIID riid, void** heap) {
  clear(heap);
  return state_->answer("ID3D12Device::CreateQueryHeap", [&] {
    require(desc != nullptr, "pDesc is null");
    return give_new<QueryHeap>(riid, heap, *this, *desc);
  });
}

}  // namespace weft::d3d12
