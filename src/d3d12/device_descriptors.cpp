// Descriptor heaps and what lies in them.

#include "com/guard.h"
#include "d3d12/buffer_view.h"
#include "d3d12/descriptor_heap.h"
#include "d3d12/device.h"
#include "d3d12/refuse.h"
#include "d3d12/resource.h"

namespace weft::d3d12 {

namespace {

// Methods that return nothing answer a mistake with the removal of the device, as Windows does.
template <class Body>
void act(DeviceState& state, std::string_view method, const Body& body) noexcept {
  if (state.removed()) return;
  const auto remove = [&](HRESULT reason, std::string_view text) {
    const HRESULT code = reason == E_OUTOFMEMORY ? E_OUTOFMEMORY : DXGI_ERROR_INVALID_CALL;
    state.report_failure(method, text);
    state.remove(code, D3D12_MESSAGE_ID_DEVICE_REMOVAL_PROCESS_AT_FAULT,
                 "the device was removed for the call above");
  };
  com::guard(remove, body);
}

// One range of slots after the other, slot by slot. Null sizes: one slot a range.
class Slots {
 public:
  Slots(UINT count, const D3D12_CPU_DESCRIPTOR_HANDLE* starts, const UINT* sizes)
      : count_(count), starts_(starts), sizes_(sizes) {}

  // False behind the last.
  bool next(D3D12_CPU_DESCRIPTOR_HANDLE& slot) noexcept {
    while (range_ < count_ && index_ >= (sizes_ ? sizes_[range_] : 1)) {
      ++range_;
      index_ = 0;
    }
    if (range_ == count_) return false;
    slot = {starts_[range_].ptr + index_ * DescriptorTable::kIncrement};
    ++index_;
    return true;
  }

 private:
  UINT count_;
  const D3D12_CPU_DESCRIPTOR_HANDLE* starts_;
  const UINT* sizes_;
  UINT range_ = 0;
  UINT index_ = 0;
};

void check_ranges(const DescriptorTable& table, const char* name, UINT count,
                  const D3D12_CPU_DESCRIPTOR_HANDLE* starts, const UINT* sizes) {
  require(count == 0 || starts != nullptr, name, " is null");
  for (UINT i = 0; i < count; ++i) {
    require(table.valid(starts[i], sizes ? sizes[i] : 1), name, "[", i, "]: ", sizes ? sizes[i] : 1,
            " slots from there do not lie in a CBV_SRV_UAV heap");
  }
}

}  // namespace

HRESULT Device::CreateDescriptorHeap(const D3D12_DESCRIPTOR_HEAP_DESC* desc, REFIID riid,
                                     void** heap) {
  clear(heap);
  return state_->answer("ID3D12Device::CreateDescriptorHeap", [&] {
    require(desc != nullptr, "pDescriptorHeapDesc is null");
    return give_new<DescriptorHeap>(riid, heap, *this, *desc);
  });
}

void Device::CreateUnorderedAccessView(ID3D12Resource* resource, ID3D12Resource* counter,
                                       const D3D12_UNORDERED_ACCESS_VIEW_DESC* desc,
                                       D3D12_CPU_DESCRIPTOR_HANDLE slot) {
  act(*state_, "ID3D12Device::CreateUnorderedAccessView", [&] {
    require(counter == nullptr, "pCounterResource is not null: counters need shaders");
    require(desc != nullptr, "pDesc is null, which stands for textures only");
    const auto given = own<Resource>(resource);
    require(!resource || (given && &given->device() == this),
            "pResource is not a resource of this device");
    auto view = std::make_shared<BufferView>();
    view->desc = *desc;
    if (given) view->buffer = given->memory();
    check_view(*view);
    require(state_->descriptors().put(slot, {std::move(view), nullptr}),
            "DestDescriptor is no slot of a CBV_SRV_UAV heap");
  });
}

void Device::CopyDescriptors(UINT target_count, const D3D12_CPU_DESCRIPTOR_HANDLE* target_starts,
                             const UINT* target_sizes, UINT source_count,
                             const D3D12_CPU_DESCRIPTOR_HANDLE* source_starts,
                             const UINT* source_sizes, D3D12_DESCRIPTOR_HEAP_TYPE type) {
  act(*state_, "ID3D12Device::CopyDescriptors", [&] {
    require(is_heap_type(type), "DescriptorHeapsType is ", type, ", must be one of the four types");
    if (type != D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV) return;  // other heaps hold nothing
    DescriptorTable& table = state_->descriptors();
    check_ranges(table, "pDestDescriptorRangeStarts", target_count, target_starts, target_sizes);
    check_ranges(table, "pSrcDescriptorRangeStarts", source_count, source_starts, source_sizes);
    Slots targets(target_count, target_starts, target_sizes);
    Slots sources(source_count, source_starts, source_sizes);
    D3D12_CPU_DESCRIPTOR_HANDLE target = {}, source = {};
    while (targets.next(target)) {
      require(sources.next(source), "there are fewer source slots than destination slots");
      require(!table.shader_visible(source),
              "a source slot lies in a shader-visible heap, which the CPU may only write");
      table.put(target, table.at(source));
    }
    require(!sources.next(source), "there are more source slots than destination slots");
  });
}

void Device::CopyDescriptorsSimple(UINT count, D3D12_CPU_DESCRIPTOR_HANDLE target,
                                   D3D12_CPU_DESCRIPTOR_HANDLE source,
                                   D3D12_DESCRIPTOR_HEAP_TYPE type) {
  CopyDescriptors(1, &target, &count, 1, &source, &count, type);
}

bool Device::valid(D3D12_CPU_DESCRIPTOR_HANDLE first, UINT count) noexcept {
  return state_->descriptors().valid(first, count);
}

bool Device::valid(D3D12_GPU_DESCRIPTOR_HANDLE first, UINT count) noexcept {
  return state_->descriptors().valid(first, count);
}

DescriptorContent Device::content(D3D12_GPU_DESCRIPTOR_HANDLE slot) noexcept {
  return state_->descriptors().at(slot).content;
}

void Device::store(D3D12_CPU_DESCRIPTOR_HANDLE slot, DescriptorContent content) noexcept {
  state_->descriptors().put(slot, {nullptr, std::move(content)});
}

}  // namespace weft::d3d12
