#include "d3d12/descriptor_heap.h"

#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

// Resource binding tier 1 to 3 agree on a million shader-visible views; it bounds the others too.
constexpr UINT kMostDescriptors = 1'000'000;
constexpr UINT kMostSamplers = 2048;

void check(const D3D12_DESCRIPTOR_HEAP_DESC& desc) {
  require(is_heap_type(desc.Type), "pDescriptorHeapDesc->Type is ", desc.Type,
          ", must be one of the four types");
  require((desc.Flags & ~D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE) == 0,
          "pDescriptorHeapDesc->Flags is ", desc.Flags, ", must be NONE or SHADER_VISIBLE");
  check_node_mask("pDescriptorHeapDesc->NodeMask", desc.NodeMask);
  require(desc.NumDescriptors != 0, "pDescriptorHeapDesc->NumDescriptors is 0, must be at least 1");
  const bool sampler = desc.Type == D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER;
  const bool view = desc.Type == D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
  if (desc.Flags & D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE) {
    require(sampler || view,
            "pDescriptorHeapDesc->Flags: only heaps of type CBV_SRV_UAV and SAMPLER can be "
            "SHADER_VISIBLE");
    const UINT most = sampler ? kMostSamplers : kMostDescriptors;
    require(desc.NumDescriptors <= most, "pDescriptorHeapDesc->NumDescriptors is ",
            desc.NumDescriptors, ", must be at most ", most, " in a shader-visible heap");
  }
  if (desc.NumDescriptors > kMostDescriptors * 16) {
    refuse(E_OUTOFMEMORY, "pDescriptorHeapDesc->NumDescriptors is ", desc.NumDescriptors,
           ": too many");
  }
}

D3D12_DESCRIPTOR_HEAP_DESC checked(const D3D12_DESCRIPTOR_HEAP_DESC& desc) {
  check(desc);
  return desc;
}

}  // namespace

DescriptorHeap::DescriptorHeap(Device& device, const D3D12_DESCRIPTOR_HEAP_DESC& desc)
    : DeviceChild(device),
      desc_(checked(desc)),
      slots_{desc.Type, (desc.Flags & D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE) != 0,
             std::vector<Descriptor>(desc.NumDescriptors)} {
  state().descriptors().add(slots_);
}

DescriptorHeap::~DescriptorHeap() { state().descriptors().remove(slots_); }

}  // namespace weft::d3d12
