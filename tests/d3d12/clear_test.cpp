// Descriptor heaps, unordered access views, and clearing through them.

#include <array>

#include "d3d12/rig.h"

namespace weft::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

D3D12_UNORDERED_ACCESS_VIEW_DESC view_desc(
    DXGI_FORMAT format, UINT64 first, UINT count,
    D3D12_BUFFER_UAV_FLAGS flags = D3D12_BUFFER_UAV_FLAG_NONE) {
  D3D12_UNORDERED_ACCESS_VIEW_DESC desc = {};
  desc.Format = format;
  desc.ViewDimension = D3D12_UAV_DIMENSION_BUFFER;
  desc.Buffer = {first, count, 0, 0, flags};
  return desc;
}

using Uints = std::array<UINT, 4>;
using Floats = std::array<float, 4>;

class Clears : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    for (const bool visible : {false, true}) {
      const D3D12_DESCRIPTOR_HEAP_DESC desc = {
          D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 4,
          visible ? D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE : D3D12_DESCRIPTOR_HEAP_FLAG_NONE, 0};
      ASSERT_EQ(device->CreateDescriptorHeap(
                    &desc, IID_PPV_ARGS((visible ? gpu_heap : cpu_heap).GetAddressOf())),
                S_OK);
    }
  }
  void TearDown() override {
    cpu_heap.Reset();
    gpu_heap.Reset();
    DeviceTest::TearDown();
  }

  D3D12_CPU_DESCRIPTOR_HANDLE cpu(const ComPtr<ID3D12DescriptorHeap>& heap, UINT index) {
    const UINT step =
        device->GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    return {heap->GetCPUDescriptorHandleForHeapStart().ptr + std::size_t{index} * step};
  }
  D3D12_GPU_DESCRIPTOR_HANDLE gpu(UINT index) {
    const UINT step =
        device->GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    return {gpu_heap->GetGPUDescriptorHandleForHeapStart().ptr + std::uint64_t{index} * step};
  }
  void set_heap() {
    ID3D12DescriptorHeap* heaps[] = {gpu_heap.Get()};
    list->SetDescriptorHeaps(1, heaps);
  }
  // The view in slot 0 of both heaps.
  void view(const ComPtr<ID3D12Resource>& resource, const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc) {
    device->CreateUnorderedAccessView(resource.Get(), nullptr, &desc, cpu(cpu_heap, 0));
    device->CopyDescriptorsSimple(1, cpu(gpu_heap, 0), cpu(cpu_heap, 0),
                                  D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
  }
  void clear(const ComPtr<ID3D12Resource>& resource, Uints values,
             std::vector<D3D12_RECT> rects = {}) {
    set_heap();
    list->ClearUnorderedAccessViewUint(gpu(0), cpu(cpu_heap, 0), resource.Get(), values.data(),
                                       static_cast<UINT>(rects.size()), rects.data());
  }
  void clear(const ComPtr<ID3D12Resource>& resource, Floats values) {
    set_heap();
    list->ClearUnorderedAccessViewFloat(gpu(0), cpu(cpu_heap, 0), resource.Get(), values.data(), 0,
                                        nullptr);
  }
  // Clears a buffer of four words through the view and gives what it holds.
  template <class T>
  std::vector<std::uint32_t> cleared(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc,
                                     std::array<T, 4> values) {
    const auto target = writable(16);
    view(target, desc);
    clear(target, values);
    const auto barrier =
        transition(target, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE);
    list->ResourceBarrier(1, &barrier);
    return contents(target);
  }

  ComPtr<ID3D12DescriptorHeap> cpu_heap, gpu_heap;
};

TEST_F(Clears, RawViewsTakeTheFirstValue) {
  const auto desc = view_desc(DXGI_FORMAT_R32_TYPELESS, 0, 4, D3D12_BUFFER_UAV_FLAG_RAW);
  EXPECT_THAT(cleared<UINT>(desc, {0xFFFFFFFF, 1, 2, 3}), Each(0xFFFFFFFFU));
}

TEST_F(Clears, TypedViewsTakeTheLowBitsOfEveryValue) {
  EXPECT_THAT(cleared<UINT>(view_desc(DXGI_FORMAT_R32G32B32A32_UINT, 0, 1), {1, 2, 3, 4}),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(cleared<UINT>(view_desc(DXGI_FORMAT_R16_UINT, 2, 4), {0x12345678, 0, 0, 0}),
              ElementsAre(0, 0x56785678, 0x56785678, 0));
  EXPECT_THAT(cleared<UINT>(view_desc(DXGI_FORMAT_R8G8_UINT, 0, 2), {0x101, 0x1FF, 0, 0}),
              ElementsAre(0xFF01FF01, 0, 0, 0));
}

TEST_F(Clears, FloatsAreConverted) {
  EXPECT_THAT(cleared<float>(view_desc(DXGI_FORMAT_R32_FLOAT, 1, 2), {1.0F, 0, 0, 0}),
              ElementsAre(0, 0x3F800000, 0x3F800000, 0));
  EXPECT_THAT(cleared<float>(view_desc(DXGI_FORMAT_R16G16_FLOAT, 0, 1), {1.0F, -2.0F, 0, 0}),
              ElementsAre(0xC0003C00, 0, 0, 0));
  EXPECT_THAT(
      cleared<float>(view_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 0, 1), {1.0F, 0.5F, -3.0F, 7.0F}),
      ElementsAre(0xFF0080FF, 0, 0, 0));
  EXPECT_THAT(cleared<float>(view_desc(DXGI_FORMAT_R16_SNORM, 0, 2), {-1.0F, 0, 0, 0}),
              ElementsAre(0x80018001, 0, 0, 0));
}

TEST_F(Clears, RectanglesAreRangesOfElements) {
  const auto target = writable(16);
  view(target, view_desc(DXGI_FORMAT_R32_UINT, 0, 4));
  clear(target, Uints{9, 0, 0, 0}, {{0, 0, 1, 1}, {2, 0, 3, 1}, {1, 0, 1, 1}});
  const auto barrier =
      transition(target, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE);
  list->ResourceBarrier(1, &barrier);
  EXPECT_THAT(contents(target), ElementsAre(9, 0, 9, 0));
  for (const D3D12_RECT& wrong : {D3D12_RECT{0, 0, 5, 1}, D3D12_RECT{-1, 0, 2, 1},
                                  D3D12_RECT{2, 0, 1, 1}, D3D12_RECT{0, 1, 1, 2}}) {
    clear(target, Uints{9, 0, 0, 0}, {wrong});
    EXPECT_EQ(list->Close(), E_INVALIDARG);
    ASSERT_EQ(list->Reset(allocator.Get(), nullptr), S_OK);
  }
}

TEST_F(Clears, MistakesSurfaceAtClose) {
  const auto target = writable(16), other = writable(16);
  const auto refused = [&](auto&& record, const char* message) {
    record();
    EXPECT_EQ(list->Close(), E_INVALIDARG) << message;
    EXPECT_THAT(messages(), HasSubstr(message));
    ASSERT_EQ(list->Reset(allocator.Get(), nullptr), S_OK);
  };
  const UINT zeros[4] = {};
  refused([&] { clear(target, Uints{0, 0, 0, 0}); }, "holds no unordered access view");
  view(target, view_desc(DXGI_FORMAT_R32_UINT, 0, 4));
  refused([&] { clear(other, Uints{0, 0, 0, 0}); }, "pResource is not the resource of the view");
  refused(
      [&] {
        clear(target, Floats{0.0F, 0, 0, 0});
      },
      "which ClearUnorderedAccessViewFloat cannot");
  refused(
      [&] {  // no heap is set
        list->ClearUnorderedAccessViewUint(gpu(0), cpu(cpu_heap, 0), target.Get(), zeros, 0,
                                           nullptr);
      },
      "the heap that SetDescriptorHeaps has set");
  refused(
      [&] {
        set_heap();
        list->ClearUnorderedAccessViewUint(gpu(0), cpu(gpu_heap, 0), target.Get(), zeros, 0,
                                           nullptr);
      },
      "not shader-visible");
  refused(
      [&] {
        set_heap();
        list->ClearUnorderedAccessViewUint(gpu(4), cpu(cpu_heap, 0), target.Get(), zeros, 0,
                                           nullptr);
      },
      "the heap that SetDescriptorHeaps has set");
  auto structured = view_desc(DXGI_FORMAT_UNKNOWN, 0, 2);
  structured.Buffer.StructureByteStride = 8;
  view(target, structured);
  refused([&] { clear(target, Uints{0, 0, 0, 0}); }, "the view is structured");
}

TEST_F(Clears, AnOverwrittenDescriptorIsFound) {
  const auto target = writable(16);
  view(target, view_desc(DXGI_FORMAT_R32_UINT, 0, 4));
  clear(target, Uints{1, 0, 0, 0});
  const auto desc = view_desc(DXGI_FORMAT_R32_UINT, 0, 2);
  device->CreateUnorderedAccessView(target.Get(), nullptr, &desc, cpu(gpu_heap, 0));
  try_run();
  EXPECT_EQ(device->GetDeviceRemovedReason(), DXGI_ERROR_INVALID_CALL);
  EXPECT_THAT(messages(), HasSubstr("the descriptor was overwritten"));
}

class Views : public Clears {
 protected:
  // The removal reason after making such a view; the device is gone when it is not S_OK.
  HRESULT make(const ComPtr<ID3D12Resource>& resource,
               const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc) {
    device->CreateUnorderedAccessView(resource.Get(), nullptr, &desc, cpu(cpu_heap, 1));
    return device->GetDeviceRemovedReason();
  }
};

TEST_F(Views, OfNothingAreAllowed) {
  const auto desc = view_desc(DXGI_FORMAT_R32_TYPELESS, 0, 1, D3D12_BUFFER_UAV_FLAG_RAW);
  EXPECT_EQ(make(nullptr, desc), S_OK);
  view(nullptr, desc);
  clear(nullptr, Uints{1, 0, 0, 0});
  run();
}

TEST_F(Views, NeedABufferThatAllowsThem) {
  EXPECT_EQ(make(buffer(16), view_desc(DXGI_FORMAT_R32_UINT, 0, 4)), DXGI_ERROR_INVALID_CALL);
  EXPECT_THAT(messages(), HasSubstr("was created without ALLOW_UNORDERED_ACCESS"));
}

TEST_F(Views, LieInsideTheirBuffer) {
  EXPECT_EQ(make(writable(16), view_desc(DXGI_FORMAT_R32_UINT, 1, 3)), S_OK);
  EXPECT_EQ(make(writable(16), view_desc(DXGI_FORMAT_R32_UINT, UINT64_MAX, 3)),
            DXGI_ERROR_INVALID_CALL);
}

TEST_F(Views, RawOnesAreTypeless) {
  EXPECT_EQ(make(writable(16), view_desc(DXGI_FORMAT_R32_UINT, 0, 4, D3D12_BUFFER_UAV_FLAG_RAW)),
            DXGI_ERROR_INVALID_CALL);
}

TEST_F(Views, TypelessOnesAreRaw) {
  EXPECT_EQ(make(writable(16), view_desc(DXGI_FORMAT_R32_TYPELESS, 0, 4)), DXGI_ERROR_INVALID_CALL);
}

TEST_F(Views, UnknownFormatsNeedAStride) {
  EXPECT_EQ(make(writable(16), view_desc(DXGI_FORMAT_UNKNOWN, 0, 1)), DXGI_ERROR_INVALID_CALL);
}

TEST_F(Views, GoIntoDescriptorHeapsOnly) {
  const auto desc = view_desc(DXGI_FORMAT_R32_UINT, 0, 4);
  device->CreateUnorderedAccessView(writable(16).Get(), nullptr, &desc, {12345});
  EXPECT_EQ(device->GetDeviceRemovedReason(), DXGI_ERROR_INVALID_CALL);
  EXPECT_THAT(messages(), HasSubstr("DestDescriptor is no slot"));
}

TEST_F(Views, CopyBetweenHeapsInRanges) {
  const auto target = writable(16);
  for (UINT i = 0; i < 4; ++i) {
    const auto desc = view_desc(DXGI_FORMAT_R32_UINT, i, 1);
    device->CreateUnorderedAccessView(target.Get(), nullptr, &desc, cpu(cpu_heap, i));
  }
  // Slots 2, 3 and 0 of the source become 0, 1 and 3 of the target.
  const D3D12_CPU_DESCRIPTOR_HANDLE sources[] = {cpu(cpu_heap, 2), cpu(cpu_heap, 0)};
  const UINT source_sizes[] = {2, 1};
  const D3D12_CPU_DESCRIPTOR_HANDLE targets[] = {cpu(gpu_heap, 0), cpu(gpu_heap, 1),
                                                 cpu(gpu_heap, 3)};
  device->CopyDescriptors(3, targets, nullptr, 2, sources, source_sizes,
                          D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
  set_heap();
  const UINT values[4] = {5, 0, 0, 0};
  list->ClearUnorderedAccessViewUint(gpu(0), cpu(cpu_heap, 2), target.Get(), values, 0, nullptr);
  list->ClearUnorderedAccessViewUint(gpu(3), cpu(cpu_heap, 0), target.Get(), values, 0, nullptr);
  const auto barrier =
      transition(target, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE);
  list->ResourceBarrier(1, &barrier);
  EXPECT_THAT(contents(target), ElementsAre(5, 0, 5, 0));
}

TEST_F(Views, CopiesCheckTheirHeaps) {
  device->CopyDescriptorsSimple(2, cpu(cpu_heap, 3), cpu(cpu_heap, 0),
                                D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
  EXPECT_EQ(device->GetDeviceRemovedReason(), DXGI_ERROR_INVALID_CALL);
}

TEST_F(Views, CopiesHaveAsManySourcesAsDestinations) {
  const D3D12_CPU_DESCRIPTOR_HANDLE target = cpu(gpu_heap, 0), source = cpu(cpu_heap, 0);
  const UINT two = 2, three = 3;
  device->CopyDescriptors(1, &target, &two, 1, &source, &three,
                          D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
  EXPECT_EQ(device->GetDeviceRemovedReason(), DXGI_ERROR_INVALID_CALL);
  EXPECT_THAT(messages(), HasSubstr("there are more source slots than destination slots"));
}

TEST_F(Views, CopiesKnowTheirHeapType) {
  device->CopyDescriptorsSimple(1, cpu(gpu_heap, 0), cpu(cpu_heap, 0),
                                static_cast<D3D12_DESCRIPTOR_HEAP_TYPE>(3));
  EXPECT_EQ(device->GetDeviceRemovedReason(), S_OK);
  device->CopyDescriptorsSimple(1, cpu(gpu_heap, 0), cpu(cpu_heap, 0),
                                static_cast<D3D12_DESCRIPTOR_HEAP_TYPE>(4));
  EXPECT_EQ(device->GetDeviceRemovedReason(), DXGI_ERROR_INVALID_CALL);
  EXPECT_THAT(messages(), HasSubstr("DescriptorHeapsType is 4, must be one of the four types"));
}

TEST_F(Views, ShaderVisibleHeapsAreNoSource) {
  device->CopyDescriptorsSimple(1, cpu(cpu_heap, 0), cpu(gpu_heap, 0),
                                D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
  EXPECT_EQ(device->GetDeviceRemovedReason(), DXGI_ERROR_INVALID_CALL);
}

TEST_F(Views, DescriptorHeapsHaveTheirRules) {
  const auto make_heap = [&](D3D12_DESCRIPTOR_HEAP_TYPE type, UINT count, bool visible) {
    const D3D12_DESCRIPTOR_HEAP_DESC desc = {
        type, count,
        visible ? D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE : D3D12_DESCRIPTOR_HEAP_FLAG_NONE, 0};
    ComPtr<ID3D12DescriptorHeap> heap;
    return device->CreateDescriptorHeap(&desc, IID_PPV_ARGS(&heap));
  };
  EXPECT_EQ(make_heap(D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER, 4, true), S_OK);
  EXPECT_EQ(make_heap(D3D12_DESCRIPTOR_HEAP_TYPE_RTV, 4, false), S_OK);
  EXPECT_EQ(make_heap(D3D12_DESCRIPTOR_HEAP_TYPE_RTV, 4, true), E_INVALIDARG);
  EXPECT_EQ(make_heap(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 0, true), E_INVALIDARG);
  EXPECT_EQ(make_heap(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 1'000'001, true), E_INVALIDARG);
  EXPECT_EQ(make_heap(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, UINT_MAX, false), E_OUTOFMEMORY);
  EXPECT_EQ(cpu_heap->GetGPUDescriptorHandleForHeapStart().ptr, 0U);
  EXPECT_EQ(gpu_heap->GetDesc().NumDescriptors, 4U);
}

}  // namespace
}  // namespace weft::test
