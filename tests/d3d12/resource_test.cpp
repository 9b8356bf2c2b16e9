// Buffers and heaps: descriptions, mapping, placing, sizes.

#include "d3d12/rig.h"

namespace weft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Resources : public DeviceTest {
 protected:
  HRESULT make(const D3D12_HEAP_PROPERTIES& heap, const D3D12_RESOURCE_DESC& desc,
               D3D12_RESOURCE_STATES state = D3D12_RESOURCE_STATE_COMMON,
               D3D12_HEAP_FLAGS flags = D3D12_HEAP_FLAG_NONE) {
    void* resource = &resource;
    const HRESULT result = device->CreateCommittedResource(&heap, flags, &desc, state, nullptr,
                                                           __uuidof(ID3D12Resource), &resource);
    EXPECT_TRUE(SUCCEEDED(result) || resource == nullptr);
    if (resource && SUCCEEDED(result)) static_cast<ID3D12Resource*>(resource)->Release();
    return result;
  }
  HRESULT make(const D3D12_RESOURCE_DESC& desc) {
    return make(heap_of(D3D12_HEAP_TYPE_DEFAULT), desc);
  }
};

TEST_F(Resources, EveryRuleOfTheDescriptionIsChecked) {
  const D3D12_RESOURCE_DESC good = buffer_desc(64, D3D12_RESOURCE_FLAG_NONE);
  EXPECT_EQ(make(good), S_OK);
  const auto broken = [&](auto change) {
    D3D12_RESOURCE_DESC desc = good;
    change(desc);
    return make(desc);
  };
  EXPECT_EQ(broken([](auto& d) { d.Alignment = 4096; }), E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.Width = 0; }), E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.Height = 2; }), E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.DepthOrArraySize = 0; }), E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.MipLevels = 0; }), E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.Format = DXGI_FORMAT_R32_FLOAT; }), E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.SampleDesc.Count = 0; }), E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.Layout = D3D12_TEXTURE_LAYOUT_UNKNOWN; }), E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.Flags = D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET; }),
            E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.Dimension = D3D12_RESOURCE_DIMENSION_UNKNOWN; }), E_INVALIDARG);
  EXPECT_EQ(broken([](auto& d) { d.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D; }), E_NOTIMPL);
  EXPECT_THAT(messages(), HasSubstr("pDesc->Alignment is 4096, must be 0 or 65536"));
}

TEST_F(Resources, HeapsHaveTheirRules) {
  const D3D12_RESOURCE_DESC desc = buffer_desc(64, D3D12_RESOURCE_FLAG_NONE);
  const D3D12_RESOURCE_DESC writable_desc =
      buffer_desc(64, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS);
  EXPECT_EQ(make(heap_of(D3D12_HEAP_TYPE_UPLOAD), desc, D3D12_RESOURCE_STATE_COMMON), E_INVALIDARG);
  EXPECT_EQ(make(heap_of(D3D12_HEAP_TYPE_READBACK), desc, D3D12_RESOURCE_STATE_GENERIC_READ),
            E_INVALIDARG);
  EXPECT_EQ(make(heap_of(D3D12_HEAP_TYPE_UPLOAD), writable_desc, D3D12_RESOURCE_STATE_GENERIC_READ),
            E_INVALIDARG);
  EXPECT_EQ(make(heap_of(static_cast<D3D12_HEAP_TYPE>(0)), desc), E_INVALIDARG);
  D3D12_HEAP_PROPERTIES heap = heap_of(D3D12_HEAP_TYPE_DEFAULT);
  heap.CPUPageProperty = D3D12_CPU_PAGE_PROPERTY_WRITE_BACK;
  EXPECT_EQ(make(heap, desc), E_INVALIDARG);
  heap = heap_of(D3D12_HEAP_TYPE_DEFAULT);
  heap.VisibleNodeMask = 2;
  EXPECT_EQ(make(heap, desc), E_INVALIDARG);
  EXPECT_EQ(make(heap_of(D3D12_HEAP_TYPE_CUSTOM), desc), E_INVALIDARG);
  heap = custom_heap(D3D12_CPU_PAGE_PROPERTY_WRITE_BACK);
  EXPECT_EQ(make(heap, writable_desc), S_OK);
  heap.MemoryPoolPreference = D3D12_MEMORY_POOL_L1;
  EXPECT_EQ(make(heap, desc), E_INVALIDARG);
  EXPECT_EQ(make(heap_of(D3D12_HEAP_TYPE_DEFAULT), desc, D3D12_RESOURCE_STATE_COMMON,
                 D3D12_HEAP_FLAG_SHARED),
            E_INVALIDARG);
}

TEST_F(Resources, SayWhatTheyAre) {
  const auto resource = writable(100);
  const D3D12_RESOURCE_DESC desc = resource->GetDesc();
  EXPECT_EQ(desc.Width, 100U);
  EXPECT_EQ(desc.Alignment, 65536U);
  EXPECT_EQ(desc.Flags, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS);
  EXPECT_NE(resource->GetGPUVirtualAddress(), 0U);
  EXPECT_EQ(resource->GetGPUVirtualAddress() % 65536, 0U);
  D3D12_HEAP_PROPERTIES heap = {};
  D3D12_HEAP_FLAGS flags = D3D12_HEAP_FLAG_SHARED;
  EXPECT_EQ(resource->GetHeapProperties(&heap, &flags), S_OK);
  EXPECT_EQ(heap.Type, D3D12_HEAP_TYPE_DEFAULT);
  EXPECT_EQ(flags, D3D12_HEAP_FLAG_NONE);
}

TEST_F(Resources, MapOnlyWhereTheCpuReaches) {
  void* data = &data;
  EXPECT_EQ(buffer(16)->Map(0, nullptr, &data), E_INVALIDARG);
  EXPECT_EQ(data, nullptr);
  EXPECT_THAT(messages(), HasSubstr("lies in a heap of type DEFAULT"));
  EXPECT_EQ(buffer(16, D3D12_HEAP_TYPE_UPLOAD)->Map(0, nullptr, &data), S_OK);
  EXPECT_NE(data, nullptr);
  for (const auto pages :
       {D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE, D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE,
        D3D12_CPU_PAGE_PROPERTY_WRITE_BACK}) {
    const D3D12_HEAP_PROPERTIES heap = custom_heap(pages);
    const D3D12_RESOURCE_DESC desc = buffer_desc(16, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS);
    ComPtr<ID3D12Resource> resource;
    ASSERT_EQ(device->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc,
                                              D3D12_RESOURCE_STATE_UNORDERED_ACCESS, nullptr,
                                              IID_PPV_ARGS(&resource)),
              S_OK);
    EXPECT_EQ(resource->Map(0, nullptr, &data),
              pages == D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE ? E_INVALIDARG : S_OK);
  }
}

TEST_F(Resources, MappingNestsAndChecksItsRanges) {
  const auto resource = buffer(16, D3D12_HEAP_TYPE_UPLOAD);
  void *first = nullptr, *second = nullptr;
  EXPECT_EQ(resource->Map(0, nullptr, &first), S_OK);
  EXPECT_EQ(resource->Map(0, nullptr, &second), S_OK);
  EXPECT_EQ(first, second);
  EXPECT_EQ(resource->Map(0, nullptr, nullptr), S_OK);
  EXPECT_EQ(resource->Map(1, nullptr, &first), E_INVALIDARG);
  D3D12_RANGE range = {8, 4};
  EXPECT_EQ(resource->Map(0, &range, &first), E_INVALIDARG);
  range = {0, 17};
  EXPECT_EQ(resource->Map(0, &range, &first), E_INVALIDARG);
  range = {4, 16};
  EXPECT_EQ(resource->Map(0, &range, &first), S_OK);
  for (int i = 0; i < 4; ++i) resource->Unmap(0, nullptr);
  EXPECT_THAT(messages(), Not(HasSubstr("is not mapped")));
  resource->Unmap(0, nullptr);
  EXPECT_THAT(messages(), HasSubstr("is not mapped"));
}

TEST_F(Resources, HugeSizesFailAndDoNotCrash) {
  for (const std::uint64_t size :
       {std::uint64_t{1} << 40, std::uint64_t{1} << 62, UINT64_MAX - 1, UINT64_MAX}) {
    EXPECT_EQ(make(buffer_desc(size, D3D12_RESOURCE_FLAG_NONE)), E_OUTOFMEMORY) << size;
    D3D12_HEAP_DESC heap = {size, heap_of(D3D12_HEAP_TYPE_DEFAULT), 0, D3D12_HEAP_FLAG_NONE};
    ComPtr<ID3D12Heap> made;
    EXPECT_EQ(device->CreateHeap(&heap, IID_PPV_ARGS(&made)), E_OUTOFMEMORY);
  }
  EXPECT_EQ(device->GetDeviceRemovedReason(), S_OK);
}

TEST_F(Resources, LargeBuffersWork) {
  const auto large = buffer((std::uint64_t{5} << 20) + 4);
  const auto source = upload({11, 12});
  list->CopyBufferRegion(large.Get(), std::uint64_t{5} << 20, source.Get(), 4, 4);
  run();
  EXPECT_EQ(contents(large).back(), 12U);
}

class PlacedResources : public Resources {
 protected:
  ComPtr<ID3D12Heap> heap(std::uint64_t size, D3D12_HEAP_TYPE type = D3D12_HEAP_TYPE_DEFAULT,
                          D3D12_HEAP_FLAGS flags = D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS) {
    const D3D12_HEAP_DESC desc = {size, heap_of(type), 0, flags};
    ComPtr<ID3D12Heap> made;
    EXPECT_EQ(device->CreateHeap(&desc, IID_PPV_ARGS(&made)), S_OK);
    return made;
  }
  HRESULT place(const ComPtr<ID3D12Heap>& heap, std::uint64_t offset, std::uint64_t size,
                ComPtr<ID3D12Resource>& resource) {
    const D3D12_RESOURCE_DESC desc = buffer_desc(size, D3D12_RESOURCE_FLAG_NONE);
    return device->CreatePlacedResource(heap.Get(), offset, &desc, D3D12_RESOURCE_STATE_COMMON,
                                        nullptr, IID_PPV_ARGS(resource.ReleaseAndGetAddressOf()));
  }
};

TEST_F(PlacedResources, ShareTheMemoryOfTheirHeap) {
  auto memory = heap(3 * 65536);
  EXPECT_EQ(memory->GetDesc().Alignment, 65536U);
  ComPtr<ID3D12Resource> whole, part;
  ASSERT_EQ(place(memory, 0, 3 * 65536, whole), S_OK);
  ASSERT_EQ(place(memory, 65536, 8, part), S_OK);
  memory.Reset();  // they keep it
  EXPECT_EQ(part->GetGPUVirtualAddress(), whole->GetGPUVirtualAddress() + 65536);
  const auto source = upload({21, 22});
  list->CopyResource(part.Get(), source.Get());
  run();
  EXPECT_EQ(contents(whole)[65536 / 4 + 1], 22U);
}

TEST_F(PlacedResources, LieInsideTheirHeapAtAnAlignedOffset) {
  const auto memory = heap(2 * 65536);
  ComPtr<ID3D12Resource> resource;
  EXPECT_EQ(place(memory, 65536, 65536, resource), S_OK);
  EXPECT_EQ(place(memory, 65536, 65537, resource), E_INVALIDARG);
  EXPECT_EQ(place(memory, 256, 16, resource), E_INVALIDARG);
  EXPECT_EQ(place(memory, 3 * 65536, 16, resource), E_INVALIDARG);
  EXPECT_EQ(place(memory, UINT64_MAX - 65535, 65536, resource), E_INVALIDARG);
  EXPECT_EQ(place(nullptr, 0, 16, resource), E_INVALIDARG);
  EXPECT_EQ(resource.Get(), nullptr);
}

TEST_F(PlacedResources, HaveTheRulesOfTheirHeap) {
  const auto memory = heap(65536, D3D12_HEAP_TYPE_UPLOAD);
  ComPtr<ID3D12Resource> resource;
  EXPECT_EQ(place(memory, 0, 16, resource), E_INVALIDARG);  // state COMMON
  D3D12_HEAP_DESC desc = {65536, heap_of(D3D12_HEAP_TYPE_DEFAULT), 4096, D3D12_HEAP_FLAG_NONE};
  ComPtr<ID3D12Heap> made;
  EXPECT_EQ(device->CreateHeap(&desc, IID_PPV_ARGS(&made)), E_INVALIDARG);
  desc = {0, heap_of(D3D12_HEAP_TYPE_DEFAULT), 0, D3D12_HEAP_FLAG_NONE};
  EXPECT_EQ(device->CreateHeap(&desc, IID_PPV_ARGS(&made)), E_INVALIDARG);
  desc = {65536, heap_of(D3D12_HEAP_TYPE_DEFAULT), 0, D3D12_HEAP_FLAG_DENY_BUFFERS};
  EXPECT_EQ(device->CreateHeap(&desc, IID_PPV_ARGS(&made)), E_INVALIDARG);
}

TEST_F(Resources, AllocationInfoIsInWholeUnits) {
  const D3D12_RESOURCE_DESC descs[] = {buffer_desc(1, D3D12_RESOURCE_FLAG_NONE),
                                       buffer_desc(65537, D3D12_RESOURCE_FLAG_NONE)};
  D3D12_RESOURCE_ALLOCATION_INFO1 each[2] = {};
  const auto info = device->GetResourceAllocationInfo1(0, 2, descs, each);
  EXPECT_EQ(info.SizeInBytes, 3U * 65536);
  EXPECT_EQ(info.Alignment, 65536U);
  EXPECT_EQ(each[1].Offset, 65536U);
  EXPECT_EQ(each[1].SizeInBytes, 2U * 65536);
  D3D12_RESOURCE_DESC wrong = descs[0];
  wrong.Height = 5;
  EXPECT_EQ(device->GetResourceAllocationInfo(0, 1, &wrong).SizeInBytes, UINT64_MAX);
  wrong = buffer_desc(UINT64_MAX, D3D12_RESOURCE_FLAG_NONE);
  EXPECT_EQ(device->GetResourceAllocationInfo(0, 1, &wrong).SizeInBytes, UINT64_MAX);
}

TEST_F(Resources, AllocationInfoOfNothingIsRefused) {
  EXPECT_EQ(device->GetResourceAllocationInfo(0, 2, nullptr).SizeInBytes, UINT64_MAX);
  EXPECT_THAT(messages(), HasSubstr("GetResourceAllocationInfo: pResourceDescs is null"));
}

TEST_F(Resources, NoMemoryIsProtected) {
  struct Session final : IUnknown {
    HRESULT QueryInterface(REFIID, void**) override { return E_NOINTERFACE; }
    ULONG AddRef() override { return 1; }
    ULONG Release() override { return 1; }
  } unknown;
  auto* session = reinterpret_cast<ID3D12ProtectedResourceSession*>(&unknown);
  const D3D12_HEAP_PROPERTIES properties = heap_of(D3D12_HEAP_TYPE_DEFAULT);
  const D3D12_RESOURCE_DESC desc = buffer_desc(16, D3D12_RESOURCE_FLAG_NONE);
  ComPtr<ID3D12Resource> resource;
  EXPECT_EQ(device->CreateCommittedResource1(&properties, D3D12_HEAP_FLAG_NONE, &desc,
                                             D3D12_RESOURCE_STATE_COMMON, nullptr, session,
                                             IID_PPV_ARGS(&resource)),
            E_INVALIDARG);
  EXPECT_THAT(messages(), HasSubstr("pProtectedSession must be null"));
  const D3D12_HEAP_DESC heap_desc = {65536, properties, 0, D3D12_HEAP_FLAG_NONE};
  ComPtr<ID3D12Heap> heap;
  EXPECT_EQ(device->CreateHeap1(&heap_desc, session, IID_PPV_ARGS(&heap)), E_INVALIDARG);
}

TEST_F(Resources, FootprintsOfBuffersAreOneRow) {
  D3D12_RESOURCE_DESC desc = buffer_desc(1000, D3D12_RESOURCE_FLAG_NONE);
  D3D12_PLACED_SUBRESOURCE_FOOTPRINT layout = {};
  UINT rows = 0;
  UINT64 row_size = 0, total = 0;
  device->GetCopyableFootprints(&desc, 0, 1, 512, &layout, &rows, &row_size, &total);
  EXPECT_EQ(layout.Offset, 512U);
  EXPECT_EQ(layout.Footprint.Width, 1000U);
  EXPECT_EQ(layout.Footprint.Height, 1U);
  EXPECT_EQ(layout.Footprint.RowPitch, 1024U);
  EXPECT_EQ(rows, 1U);
  EXPECT_EQ(row_size, 1000U);
  EXPECT_EQ(total, 1000U);
  device->GetCopyableFootprints(&desc, 1, 1, 0, nullptr, nullptr, nullptr, &total);
  EXPECT_EQ(total, UINT64_MAX);
}

TEST_F(Resources, CustomEquivalentsCanBeUsed) {
  for (const auto type :
       {D3D12_HEAP_TYPE_DEFAULT, D3D12_HEAP_TYPE_UPLOAD, D3D12_HEAP_TYPE_READBACK}) {
    EXPECT_EQ(
        make(device->GetCustomHeapProperties(0, type), buffer_desc(16, D3D12_RESOURCE_FLAG_NONE)),
        S_OK);
  }
}

}  // namespace
}  // namespace weft::test
