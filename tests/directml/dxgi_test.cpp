// DXGI's factories and adapters, as libdxcore.so makes them.

#include <gtest/gtest.h>

// gtest first: Windows' headers define macros.
#include <dxgi1_6.h>
#include <wrl/client.h>

#include <cstdint>
#include <cwchar>

extern "C" std::int64_t weft_dxcore_live_objects();

namespace weft::testing {
namespace {

using Microsoft::WRL::ComPtr;

class DxgiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(CreateDXGIFactory1(IID_PPV_ARGS(&factory)), S_OK);
    ASSERT_EQ(factory->EnumAdapterByGpuPreference(0, DXGI_GPU_PREFERENCE_UNSPECIFIED,
                                                  IID_PPV_ARGS(&adapter)),
              S_OK);
  }
  void TearDown() override {
    factory.Reset();
    adapter.Reset();
    EXPECT_EQ(weft_dxcore_live_objects(), 0);
  }

  ComPtr<IDXGIFactory7> factory;
  ComPtr<IDXGIAdapter4> adapter;
};

template <class T>
void expect_factory() {
  for (auto* create : {&CreateDXGIFactory, &CreateDXGIFactory1}) {
    ComPtr<T> object;
    EXPECT_EQ(create(IID_PPV_ARGS(object.GetAddressOf())), S_OK);
    ComPtr<IUnknown> unknown;
    EXPECT_EQ(object.As(&unknown), S_OK);
  }
}

TEST_F(DxgiTest, FactoriesAnswerForAllTheirVersions) {
  expect_factory<IDXGIObject>();
  expect_factory<IDXGIFactory>();
  expect_factory<IDXGIFactory1>();
  expect_factory<IDXGIFactory2>();
  expect_factory<IDXGIFactory3>();
  expect_factory<IDXGIFactory4>();
  expect_factory<IDXGIFactory5>();
  expect_factory<IDXGIFactory6>();
  expect_factory<IDXGIFactory7>();
}

TEST_F(DxgiTest, RefusesWhatFactoriesAreNot) {
  void* object = this;
  EXPECT_EQ(CreateDXGIFactory1(__uuidof(IDXGIAdapter), &object), E_NOINTERFACE);
  EXPECT_EQ(object, nullptr);
  EXPECT_EQ(CreateDXGIFactory1(__uuidof(IDXGIFactory), nullptr), E_INVALIDARG);
  object = this;
  EXPECT_EQ(CreateDXGIFactory2(2, __uuidof(IDXGIFactory), &object), E_INVALIDARG);
  EXPECT_EQ(object, nullptr);
  ComPtr<IDXGIFactory3> debug;
  EXPECT_EQ(CreateDXGIFactory2(DXGI_CREATE_FACTORY_DEBUG, IID_PPV_ARGS(&debug)), S_OK);
  EXPECT_EQ(debug->GetCreationFlags(), DXGI_CREATE_FACTORY_DEBUG);
}

TEST_F(DxgiTest, HasOneAdapter) {
  ComPtr<IDXGIAdapter> plain;
  EXPECT_EQ(factory->EnumAdapters(0, &plain), S_OK);
  ComPtr<IDXGIAdapter1> first;
  EXPECT_EQ(factory->EnumAdapters1(0, &first), S_OK);
  EXPECT_EQ(factory->EnumWarpAdapter(IID_PPV_ARGS(first.ReleaseAndGetAddressOf())), S_OK);
  DXGI_ADAPTER_DESC1 desc = {};
  EXPECT_EQ(first->GetDesc1(&desc), S_OK);
  EXPECT_EQ(
      factory->EnumAdapterByLuid(desc.AdapterLuid, IID_PPV_ARGS(first.ReleaseAndGetAddressOf())),
      S_OK);

  EXPECT_EQ(factory->EnumAdapters1(1, first.ReleaseAndGetAddressOf()), DXGI_ERROR_NOT_FOUND);
  EXPECT_EQ(first, nullptr);
  EXPECT_EQ(factory->EnumAdapterByLuid({desc.AdapterLuid.LowPart + 1, 0}, IID_PPV_ARGS(&first)),
            DXGI_ERROR_NOT_FOUND);
  EXPECT_EQ(factory->EnumAdapters(0, nullptr), E_INVALIDARG);
  EXPECT_TRUE(factory->IsCurrent());
}

TEST_F(DxgiTest, AdapterDescribesTheProcessor) {
  DXGI_ADAPTER_DESC desc = {};
  DXGI_ADAPTER_DESC1 desc1 = {};
  DXGI_ADAPTER_DESC2 desc2 = {};
  DXGI_ADAPTER_DESC3 desc3 = {};
  ASSERT_EQ(adapter->GetDesc(&desc), S_OK);
  ASSERT_EQ(adapter->GetDesc1(&desc1), S_OK);
  ASSERT_EQ(adapter->GetDesc2(&desc2), S_OK);
  ASSERT_EQ(adapter->GetDesc3(&desc3), S_OK);
  EXPECT_EQ(std::wcsncmp(desc.Description, L"Weft (", 6), 0);
  EXPECT_STREQ(desc.Description, desc3.Description);
  // Programs skip what looks like a software renderer: that flag, or this pair.
  EXPECT_EQ(desc1.Flags & DXGI_ADAPTER_FLAG_SOFTWARE, 0u);
  EXPECT_EQ(desc3.Flags & DXGI_ADAPTER_FLAG3_SOFTWARE, 0);
  EXPECT_FALSE(desc.VendorId == 0x1414 && desc.DeviceId == 0x8c);
  EXPECT_GT(desc2.SharedSystemMemory, SIZE_T{1} << 20);
  EXPECT_EQ(adapter->GetDesc(nullptr), E_INVALIDARG);
}

TEST_F(DxgiTest, MemoryIsTheSystems) {
  DXGI_QUERY_VIDEO_MEMORY_INFO info = {};
  ASSERT_EQ(adapter->QueryVideoMemoryInfo(0, DXGI_MEMORY_SEGMENT_GROUP_LOCAL, &info), S_OK);
  EXPECT_GT(info.Budget, info.CurrentUsage);
  EXPECT_GT(info.CurrentUsage, UINT64{1} << 20);
  EXPECT_EQ(adapter->SetVideoMemoryReservation(0, DXGI_MEMORY_SEGMENT_GROUP_LOCAL, 4096), S_OK);
  ASSERT_EQ(adapter->QueryVideoMemoryInfo(0, DXGI_MEMORY_SEGMENT_GROUP_LOCAL, &info), S_OK);
  EXPECT_EQ(info.CurrentReservation, 4096u);
  EXPECT_EQ(adapter->SetVideoMemoryReservation(0, DXGI_MEMORY_SEGMENT_GROUP_LOCAL, info.Budget),
            E_INVALIDARG);
  ASSERT_EQ(adapter->QueryVideoMemoryInfo(0, DXGI_MEMORY_SEGMENT_GROUP_NON_LOCAL, &info), S_OK);
  EXPECT_EQ(info.Budget, 0u);
  EXPECT_EQ(adapter->QueryVideoMemoryInfo(1, DXGI_MEMORY_SEGMENT_GROUP_LOCAL, &info), E_INVALIDARG);
}

TEST_F(DxgiTest, ParentsAndPrivateData) {
  ComPtr<IDXGIFactory7> parent;
  EXPECT_EQ(adapter->GetParent(IID_PPV_ARGS(&parent)), S_OK);
  void* nothing = this;
  EXPECT_EQ(factory->GetParent(__uuidof(IDXGIObject), &nothing), E_NOINTERFACE);
  EXPECT_EQ(nothing, nullptr);
  const GUID id = {1, 2, 3, {4}};
  EXPECT_EQ(adapter->SetPrivateData(id, 3, "ab"), S_OK);
  EXPECT_EQ(factory->SetPrivateDataInterface(id, adapter.Get()), S_OK);
  char data[3] = {};
  UINT size = sizeof data;
  EXPECT_EQ(adapter->GetPrivateData(id, &size, data), S_OK);
  EXPECT_STREQ(data, "ab");
  IUnknown* stored = nullptr;
  size = sizeof(void*);
  EXPECT_EQ(factory->GetPrivateData(id, &size, &stored), S_OK);
  ASSERT_NE(stored, nullptr);
  stored->Release();
}

TEST_F(DxgiTest, ThereIsNoDisplay) {
  IDXGIOutput* output = nullptr;
  EXPECT_EQ(adapter->EnumOutputs(0, &output), DXGI_ERROR_NOT_FOUND);
  IDXGISwapChain1* chain = nullptr;
  EXPECT_EQ(factory->CreateSwapChainForHwnd(nullptr, 0, nullptr, nullptr, nullptr, &chain),
            DXGI_ERROR_UNSUPPORTED);
  BOOL tearing = TRUE;
  EXPECT_EQ(
      factory->CheckFeatureSupport(DXGI_FEATURE_PRESENT_ALLOW_TEARING, &tearing, sizeof tearing),
      S_OK);
  EXPECT_EQ(tearing, FALSE);
  EXPECT_EQ(factory->CheckFeatureSupport(DXGI_FEATURE_PRESENT_ALLOW_TEARING, &tearing, 1),
            E_INVALIDARG);
}

}  // namespace
}  // namespace weft::testing
