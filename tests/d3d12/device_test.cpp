// Making a device, what it says of itself, and what all its objects have in common.

#include "d3d12/rig.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr GUID kSomeId = {1, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};
constexpr GUID kStrangeInterface = {9, 9, 9, {9, 9, 9, 9, 9, 9, 9, 9}};

TEST(CreateDevice, TakesTheLevelsThatProgramsAskFor) {
  for (const int level : {0x100, 0x1000, 0x9100, 0xb000, 0xc000, 0xc100}) {
    ComPtr<ID3D12Device> device;
    EXPECT_EQ(
        D3D12CreateDevice(nullptr, static_cast<D3D_FEATURE_LEVEL>(level), IID_PPV_ARGS(&device)),
        S_OK)
        << level;
  }
  void* device = &device;
  EXPECT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_12_2, __uuidof(ID3D12Device), &device),
            E_INVALIDARG);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(weft_d3d12_live_objects(), 0);
}

TEST(CreateDevice, WithoutAnOutPointerOnlyAsks) {
  EXPECT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, __uuidof(ID3D12Device), nullptr),
            S_FALSE);
  EXPECT_EQ(weft_d3d12_live_objects(), 0);
}

TEST(CreateDevice, RefusesForeignAdaptersAndInterfaces) {
  ComPtr<ID3D12Device> device, other;
  ASSERT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&device)), S_OK);
  EXPECT_EQ(D3D12CreateDevice(device.Get(), D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&other)),
            E_INVALIDARG);
  void* object = &object;
  EXPECT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, kStrangeInterface, &object),
            E_NOINTERFACE);
  EXPECT_EQ(object, nullptr);
}

TEST(Exports, WhatNeedsShadersSaysSo) {
  void* object = &object;
  EXPECT_EQ(D3D12GetInterface(kSomeId, kSomeId, &object), E_NOTIMPL);
  EXPECT_EQ(object, nullptr);
  ID3DBlob* blob = nullptr;
  EXPECT_EQ(D3D12SerializeVersionedRootSignature(nullptr, &blob, nullptr), E_NOTIMPL);
  EXPECT_EQ(D3D12SerializeRootSignature(nullptr, D3D_ROOT_SIGNATURE_VERSION_1, &blob, nullptr),
            E_NOTIMPL);
}

class Devices : public DeviceTest {
 protected:
  template <class T>
  HRESULT ask(D3D12_FEATURE feature, T& data) {
    return device->CheckFeatureSupport(feature, &data, sizeof data);
  }
};

template <class... Interfaces>
void expect_one_object(IUnknown* object) {
  ComPtr<IUnknown> identity;
  ASSERT_EQ(object->QueryInterface(IID_PPV_ARGS(&identity)), S_OK);
  const auto check = [&](REFIID riid, const char* name) {
    IUnknown* found = nullptr;
    ASSERT_EQ(object->QueryInterface(riid, reinterpret_cast<void**>(&found)), S_OK) << name;
    ComPtr<IUnknown> its_identity;
    EXPECT_EQ(found->QueryInterface(IID_PPV_ARGS(&its_identity)), S_OK);
    EXPECT_EQ(its_identity.Get(), identity.Get()) << name;
    found->Release();
  };
  (check(__uuidof(Interfaces), typeid(Interfaces).name()), ...);
  void* nothing = &nothing;
  EXPECT_EQ(object->QueryInterface(kStrangeInterface, &nothing), E_NOINTERFACE);
  EXPECT_EQ(nothing, nullptr);
}

TEST_F(Devices, AnswerForEveryVersionOfTheirInterfaces) {
  expect_one_object<ID3D12Device, ID3D12Device1, ID3D12Device2, ID3D12Device3, ID3D12Device4,
                    ID3D12Device5, ID3D12Device6, ID3D12Device7, ID3D12Device8, ID3D12Device9,
                    ID3D12Object, ID3D12InfoQueue, ID3D12InfoQueue1>(device.Get());
  expect_one_object<ID3D12GraphicsCommandList, ID3D12GraphicsCommandList1,
                    ID3D12GraphicsCommandList4, ID3D12GraphicsCommandList8, ID3D12CommandList,
                    ID3D12DeviceChild, ID3D12Object>(list.Get());
  expect_one_object<ID3D12Fence, ID3D12Fence1, ID3D12Pageable, ID3D12DeviceChild>(fence.Get());
  expect_one_object<ID3D12CommandQueue, ID3D12Pageable>(queue.Get());
  expect_one_object<ID3D12CommandAllocator, ID3D12Pageable>(allocator.Get());
  expect_one_object<ID3D12Resource, ID3D12Resource1, ID3D12Resource2, ID3D12Pageable>(
      buffer(16).Get());
}

TEST_F(Devices, ChildrenKnowTheirDevice) {
  ComPtr<ID3D12Device> found;
  ASSERT_EQ(list->GetDevice(IID_PPV_ARGS(&found)), S_OK);
  EXPECT_EQ(found.Get(), device.Get());
  ASSERT_EQ(buffer(4)->GetDevice(IID_PPV_ARGS(&found)), S_OK);
  EXPECT_EQ(found.Get(), device.Get());
}

TEST_F(Devices, KeepPrivateDataAndNames) {
  const int value = 5;
  for (ID3D12Object* object : std::initializer_list<ID3D12Object*>{
           device.Get(), list.Get(), fence.Get(), queue.Get(), allocator.Get()}) {
    EXPECT_EQ(object->SetPrivateData(kSomeId, sizeof value, &value), S_OK);
    int read = 0;
    UINT size = sizeof read;
    EXPECT_EQ(object->GetPrivateData(kSomeId, &size, &read), S_OK);
    EXPECT_EQ(read, 5);
    EXPECT_EQ(object->SetName(L"name"), S_OK);
  }
}

TEST_F(Devices, NamesStandInMessages) {
  const auto a = buffer(16), b = buffer(32);
  b->SetName(L"weights");
  list->CopyBufferRegion(b.Get(), 30, a.Get(), 0, 16);
  list->Close();
  EXPECT_THAT(messages(), HasSubstr("do not fit into weights"));
}

TEST_F(Devices, TellWhatTheyAre) {
  D3D12_FEATURE_DATA_ARCHITECTURE architecture = {};
  ASSERT_EQ(ask(D3D12_FEATURE_ARCHITECTURE, architecture), S_OK);
  EXPECT_TRUE(architecture.UMA);
  EXPECT_TRUE(architecture.CacheCoherentUMA);
  D3D12_FEATURE_DATA_ARCHITECTURE1 architecture1 = {};
  ASSERT_EQ(ask(D3D12_FEATURE_ARCHITECTURE1, architecture1), S_OK);
  EXPECT_TRUE(architecture1.CacheCoherentUMA);
  architecture1.NodeIndex = 1;
  EXPECT_EQ(ask(D3D12_FEATURE_ARCHITECTURE1, architecture1), E_INVALIDARG);
  D3D12_FEATURE_DATA_D3D12_OPTIONS options = {};
  ASSERT_EQ(ask(D3D12_FEATURE_D3D12_OPTIONS, options), S_OK);
  EXPECT_EQ(options.ResourceHeapTier, D3D12_RESOURCE_HEAP_TIER_2);
  D3D12_FEATURE_DATA_D3D12_OPTIONS1 options1 = {};
  ASSERT_EQ(ask(D3D12_FEATURE_D3D12_OPTIONS1, options1), S_OK);
  EXPECT_FALSE(options1.WaveOps);
  D3D12_FEATURE_DATA_SHADER_MODEL model = {D3D_SHADER_MODEL_6_5};
  ASSERT_EQ(ask(D3D12_FEATURE_SHADER_MODEL, model), S_OK);
  EXPECT_EQ(model.HighestShaderModel, D3D_SHADER_MODEL_5_1);
}

TEST_F(Devices, RefuseFeaturesOfTheWrongSize) {
  D3D12_FEATURE_DATA_D3D12_OPTIONS1 options = {};
  EXPECT_EQ(device->CheckFeatureSupport(D3D12_FEATURE_D3D12_OPTIONS1, &options, 1), E_INVALIDARG);
  EXPECT_EQ(device->CheckFeatureSupport(D3D12_FEATURE_D3D12_OPTIONS, &options, sizeof options),
            E_INVALIDARG);
  EXPECT_EQ(device->CheckFeatureSupport(D3D12_FEATURE_D3D12_OPTIONS1, nullptr, sizeof options),
            E_INVALIDARG);
  EXPECT_EQ(device->CheckFeatureSupport(static_cast<D3D12_FEATURE>(63), &options, sizeof options),
            E_INVALIDARG);
}

TEST_F(Devices, GiveTheHighestOfTheLevelsAskedFor) {
  const D3D_FEATURE_LEVEL asked[] = {D3D_FEATURE_LEVEL_11_0, static_cast<D3D_FEATURE_LEVEL>(0x100),
                                     D3D_FEATURE_LEVEL_12_0, D3D_FEATURE_LEVEL_12_2};
  D3D12_FEATURE_DATA_FEATURE_LEVELS levels = {4, asked, {}};
  ASSERT_EQ(ask(D3D12_FEATURE_FEATURE_LEVELS, levels), S_OK);
  EXPECT_EQ(levels.MaxSupportedFeatureLevel, D3D_FEATURE_LEVEL_12_0);
  levels.NumFeatureLevels = 2;
  ASSERT_EQ(ask(D3D12_FEATURE_FEATURE_LEVELS, levels), S_OK);
  EXPECT_EQ(levels.MaxSupportedFeatureLevel, D3D_FEATURE_LEVEL_11_0);
  levels = {1, asked + 3, {}};
  EXPECT_EQ(ask(D3D12_FEATURE_FEATURE_LEVELS, levels), E_INVALIDARG);
  levels = {1, nullptr, {}};
  EXPECT_EQ(ask(D3D12_FEATURE_FEATURE_LEVELS, levels), E_INVALIDARG);
}

TEST_F(Devices, WhatIsMissingNamesItself) {
  ComPtr<ID3D12RootSignature> signature;
  EXPECT_EQ(device->CreateRootSignature(0, nullptr, 0, IID_PPV_ARGS(&signature)), E_NOTIMPL);
  EXPECT_THAT(messages(), HasSubstr("ID3D12Device::CreateRootSignature"));
  list->Dispatch(1, 1, 1);
  EXPECT_EQ(list->Close(), E_NOTIMPL);
  EXPECT_THAT(messages(), HasSubstr("ID3D12GraphicsCommandList::Dispatch"));
}

TEST_F(Devices, UnknownInterfacesOfNewObjectsAreNamed) {
  void* object = &object;
  EXPECT_EQ(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, kStrangeInterface, &object),
            E_NOINTERFACE);
  EXPECT_EQ(object, nullptr);
  EXPECT_THAT(messages(),
              HasSubstr("CreateFence: riid is {00000009-0009-0009-0909-090909090909}, which is no "
                        "interface of the new object"));
  list->Close();
  object = &object;
  EXPECT_EQ(device->CreateCommandList(0, D3D12_COMMAND_LIST_TYPE_DIRECT, allocator.Get(), nullptr,
                                      kStrangeInterface, &object),
            E_NOINTERFACE);
  EXPECT_EQ(object, nullptr);
  EXPECT_THAT(messages(), HasSubstr("CreateCommandList: riid is {"));
}

TEST_F(Devices, SayWhichPrioritiesQueuesCanHave) {
  const auto supports = [&](D3D12_COMMAND_LIST_TYPE type, UINT priority) {
    D3D12_FEATURE_DATA_COMMAND_QUEUE_PRIORITY data = {type, priority, FALSE};
    EXPECT_EQ(ask(D3D12_FEATURE_COMMAND_QUEUE_PRIORITY, data), S_OK);
    D3D12_COMMAND_QUEUE_DESC desc = {type, static_cast<INT>(priority),
                                     D3D12_COMMAND_QUEUE_FLAG_NONE, 0};
    ComPtr<ID3D12CommandQueue> made;
    const bool works = SUCCEEDED(device->CreateCommandQueue(&desc, IID_PPV_ARGS(&made)));
    EXPECT_EQ(works, data.PriorityForTypeIsSupported == TRUE) << type << " " << priority;
    return works;
  };
  EXPECT_TRUE(supports(D3D12_COMMAND_LIST_TYPE_COMPUTE, D3D12_COMMAND_QUEUE_PRIORITY_HIGH));
  EXPECT_FALSE(supports(D3D12_COMMAND_LIST_TYPE_DIRECT, 50));
  EXPECT_FALSE(
      supports(D3D12_COMMAND_LIST_TYPE_DIRECT, D3D12_COMMAND_QUEUE_PRIORITY_GLOBAL_REALTIME));
  EXPECT_FALSE(supports(D3D12_COMMAND_LIST_TYPE_BUNDLE, D3D12_COMMAND_QUEUE_PRIORITY_NORMAL));
}

TEST_F(Devices, MemoryIsAlwaysResident) {
  const auto resource = buffer(16);
  ID3D12Pageable* objects[] = {resource.Get(), nullptr};
  EXPECT_EQ(device->MakeResident(1, objects), S_OK);
  EXPECT_EQ(device->Evict(1, objects), S_OK);
  EXPECT_EQ(device->Evict(2, objects), E_INVALIDARG);
  EXPECT_EQ(device->EnqueueMakeResident(D3D12_RESIDENCY_FLAG_NONE, 1, objects, fence.Get(), 5),
            S_OK);
  EXPECT_EQ(fence->GetCompletedValue(), 5U);
}

TEST_F(Devices, WrongQueuesListsAndHeapsAreRefused) {
  ComPtr<ID3D12CommandQueue> made_queue;
  D3D12_COMMAND_QUEUE_DESC queue_desc = {};
  queue_desc.Type = static_cast<D3D12_COMMAND_LIST_TYPE>(7);
  EXPECT_EQ(device->CreateCommandQueue(&queue_desc, IID_PPV_ARGS(&made_queue)), E_INVALIDARG);
  queue_desc.Type = D3D12_COMMAND_LIST_TYPE_VIDEO_DECODE;
  EXPECT_EQ(device->CreateCommandQueue(&queue_desc, IID_PPV_ARGS(&made_queue)), E_NOTIMPL);
  EXPECT_EQ(device->CreateCommandQueue(nullptr, IID_PPV_ARGS(&made_queue)), E_INVALIDARG);
  queue_desc = {};
  EXPECT_EQ(device->CreateCommandQueue(&queue_desc, __uuidof(ID3D12CommandQueue), nullptr),
            S_FALSE);
  ComPtr<ID3D12GraphicsCommandList> made_list;
  EXPECT_EQ(device->CreateCommandList(0, D3D12_COMMAND_LIST_TYPE_DIRECT, nullptr, nullptr,
                                      IID_PPV_ARGS(&made_list)),
            E_INVALIDARG);
  EXPECT_EQ(device->CreateCommandList(0, D3D12_COMMAND_LIST_TYPE_COMPUTE, allocator.Get(), nullptr,
                                      IID_PPV_ARGS(&made_list)),
            E_INVALIDARG);  // another type
  EXPECT_EQ(device->CreateCommandList(0, D3D12_COMMAND_LIST_TYPE_DIRECT, allocator.Get(), nullptr,
                                      IID_PPV_ARGS(&made_list)),
            E_INVALIDARG);  // an open list records into it
  D3D12_QUERY_HEAP_DESC query_desc = {D3D12_QUERY_HEAP_TYPE_OCCLUSION, 4, 0};
  ComPtr<ID3D12QueryHeap> query_heap;
  EXPECT_EQ(device->CreateQueryHeap(&query_desc, IID_PPV_ARGS(&query_heap)), E_NOTIMPL);
  query_desc = {D3D12_QUERY_HEAP_TYPE_TIMESTAMP, 0, 0};
  EXPECT_EQ(device->CreateQueryHeap(&query_desc, IID_PPV_ARGS(&query_heap)), E_INVALIDARG);
  query_desc.Count = UINT_MAX;
  EXPECT_EQ(device->CreateQueryHeap(&query_desc, IID_PPV_ARGS(&query_heap)), E_OUTOFMEMORY);
}

}  // namespace
}  // namespace weft::test
