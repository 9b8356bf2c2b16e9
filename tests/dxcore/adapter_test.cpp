// The one adapter, as DXCore shows it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "com/windows.h"
// The adapter's smart pointer, as programs use it.
#include <wrl/client.h>

extern "C" HRESULT DXCoreCreateAdapterFactory(REFIID riid, void** factory);
extern "C" std::int64_t weft_dxcore_live_objects();

namespace {

using Microsoft::WRL::ComPtr;
using testing::StartsWith;

constexpr GUID kD3d12Graphics = {
    0x0c9ece4d, 0x2f6e, 0x4f01, {0x8c, 0x96, 0xe8, 0x9e, 0x33, 0x1b, 0x47, 0xb1}};
constexpr GUID kCoreCompute = {
    0x248e2800, 0xa793, 0x4724, {0xab, 0xaa, 0x23, 0xa6, 0xde, 0x1b, 0xe0, 0x90}};
constexpr GUID kGenericMl = {
    0xb71b0d41, 0x1088, 0x422f, {0xa2, 0x7c, 0x02, 0x50, 0xb7, 0xd3, 0xa9, 0x88}};

class DxCore : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(weft_dxcore_live_objects(), 0);
    ASSERT_EQ(DXCoreCreateAdapterFactory(IID_PPV_ARGS(&factory)), S_OK);
    ASSERT_EQ(factory->CreateAdapterList(1, &kGenericMl, IID_PPV_ARGS(&list)), S_OK);
    ASSERT_EQ(list->GetAdapterCount(), 1U);
    ASSERT_EQ(list->GetAdapter(0, IID_PPV_ARGS(&adapter)), S_OK);
  }
  void TearDown() override {
    adapter.Reset();
    list.Reset();
    factory.Reset();
    EXPECT_EQ(weft_dxcore_live_objects(), 0);
  }

  template <class T>
  T property(DXCoreAdapterProperty which) {
    std::size_t size = 0;
    EXPECT_TRUE(adapter->IsPropertySupported(which));
    EXPECT_EQ(adapter->GetPropertySize(which, &size), S_OK);
    EXPECT_EQ(size, sizeof(T));
    T value = {};
    EXPECT_EQ(adapter->GetProperty(which, &value), S_OK);
    return value;
  }
  std::uint32_t count(std::initializer_list<GUID> attributes) {
    ComPtr<IDXCoreAdapterList> found;
    EXPECT_EQ(factory->CreateAdapterList(static_cast<std::uint32_t>(attributes.size()),
                                         attributes.begin(), IID_PPV_ARGS(&found)),
              S_OK);
    return found->GetAdapterCount();
  }

  ComPtr<IDXCoreAdapterFactory> factory;
  ComPtr<IDXCoreAdapterList> list;
  ComPtr<IDXCoreAdapter> adapter;
};

TEST_F(DxCore, TheAdapterComputesAndDoesNotDraw) {
  EXPECT_EQ(count({kCoreCompute}), 1U);
  EXPECT_EQ(count({kCoreCompute, kGenericMl}), 1U);
  EXPECT_EQ(count({kD3d12Graphics}), 0U);
  EXPECT_EQ(count({kCoreCompute, kD3d12Graphics}), 0U);
  EXPECT_TRUE(adapter->IsAttributeSupported(kGenericMl));
  EXPECT_FALSE(adapter->IsAttributeSupported(kD3d12Graphics));
  EXPECT_TRUE(adapter->IsValid());
}

TEST_F(DxCore, ListsCheckTheirArguments) {
  ComPtr<IDXCoreAdapterList> none;
  EXPECT_EQ(factory->CreateAdapterList(0, &kGenericMl, IID_PPV_ARGS(&none)), E_INVALIDARG);
  EXPECT_EQ(factory->CreateAdapterList(1, nullptr, IID_PPV_ARGS(&none)), E_INVALIDARG);
  EXPECT_EQ(factory->CreateAdapterList(1, &kGenericMl, __uuidof(IDXCoreAdapterList), nullptr),
            E_POINTER);
  void* nothing = &nothing;
  EXPECT_EQ(list->GetAdapter(1, __uuidof(IDXCoreAdapter), &nothing), E_INVALIDARG);
  EXPECT_EQ(nothing, nullptr);
  EXPECT_EQ(list->GetAdapter(0, __uuidof(ID3D12Device), &nothing), E_NOINTERFACE);
  const DXCoreAdapterPreference preferences[] = {DXCoreAdapterPreference::Hardware,
                                                 DXCoreAdapterPreference::HighPerformance};
  EXPECT_EQ(list->Sort(2, preferences), S_OK);
  EXPECT_EQ(list->Sort(0, preferences), E_INVALIDARG);
  EXPECT_FALSE(list->IsStale());
}

TEST_F(DxCore, PropertiesAreThoseThatProgramsRead) {
  EXPECT_TRUE(property<bool>(DXCoreAdapterProperty::IsHardware));
  EXPECT_TRUE(property<bool>(DXCoreAdapterProperty::IsIntegrated));
  EXPECT_FALSE(property<bool>(DXCoreAdapterProperty::IsDetachable));
  EXPECT_GT(property<std::uint64_t>(DXCoreAdapterProperty::SharedSystemMemory), 0U);
  EXPECT_EQ(property<std::uint64_t>(DXCoreAdapterProperty::DedicatedAdapterMemory), 0U);
  EXPECT_GT(property<std::uint64_t>(DXCoreAdapterProperty::DriverVersion), 0U);
  const auto id = property<DXCoreHardwareID>(DXCoreAdapterProperty::HardwareID);
  EXPECT_NE(id.vendorID, 0x1414U);  // the vendor of WARP
  EXPECT_EQ(property<DXCoreHardwareIDParts>(DXCoreAdapterProperty::HardwareIDParts).vendorID,
            id.vendorID);
  std::size_t size = 0;
  ASSERT_EQ(adapter->GetPropertySize(DXCoreAdapterProperty::DriverDescription, &size), S_OK);
  std::string text(size, 'x');
  ASSERT_EQ(adapter->GetProperty(DXCoreAdapterProperty::DriverDescription, size, text.data()),
            S_OK);
  EXPECT_THAT(text, StartsWith("Weft"));
  EXPECT_EQ(text.find('\0'), size - 1);
}

TEST_F(DxCore, PropertiesCheckTheirArguments) {
  bool value = false;
  std::size_t size = 9;
  EXPECT_EQ(adapter->GetProperty(DXCoreAdapterProperty::IsHardware, 0, &value), E_INVALIDARG);
  EXPECT_EQ(adapter->GetProperty(DXCoreAdapterProperty::IsHardware, 1, nullptr), E_POINTER);
  EXPECT_FALSE(adapter->IsPropertySupported(DXCoreAdapterProperty::KmdModelVersion));
  EXPECT_EQ(adapter->GetPropertySize(DXCoreAdapterProperty::KmdModelVersion, &size),
            DXGI_ERROR_UNSUPPORTED);
  EXPECT_EQ(size, 0U);
  EXPECT_EQ(adapter->GetProperty(static_cast<DXCoreAdapterProperty>(99), 1, &value),
            DXGI_ERROR_INVALID_CALL);
  EXPECT_EQ(adapter->GetPropertySize(DXCoreAdapterProperty::IsHardware, nullptr), E_POINTER);
}

TEST_F(DxCore, TheBudgetIsTheMemory) {
  DXCoreAdapterMemoryBudgetNodeSegmentGroup group = {0, DXCoreSegmentGroup::Local};
  DXCoreAdapterMemoryBudget budget = {};
  ASSERT_EQ(adapter->QueryState(DXCoreAdapterState::AdapterMemoryBudget, &group, &budget), S_OK);
  EXPECT_GT(budget.budget, 0U);
  group.nodeIndex = 1;
  EXPECT_EQ(adapter->QueryState(DXCoreAdapterState::AdapterMemoryBudget, &group, &budget),
            E_INVALIDARG);
  bool updating = true;
  EXPECT_EQ(adapter->QueryState(DXCoreAdapterState::IsDriverUpdateInProgress, &updating), S_OK);
  EXPECT_FALSE(updating);
  EXPECT_FALSE(adapter->IsSetStateSupported(DXCoreAdapterState::AdapterMemoryBudget));
}

TEST_F(DxCore, AdaptersAreFoundByTheirLuid) {
  const LUID luid = property<LUID>(DXCoreAdapterProperty::InstanceLuid);
  ComPtr<IDXCoreAdapter> found;
  EXPECT_EQ(factory->GetAdapterByLuid(luid, IID_PPV_ARGS(&found)), S_OK);
  EXPECT_EQ(factory->GetAdapterByLuid({1, 2}, IID_PPV_ARGS(found.ReleaseAndGetAddressOf())),
            E_INVALIDARG);
  ComPtr<IDXCoreAdapterFactory> again;
  EXPECT_EQ(adapter->GetFactory(IID_PPV_ARGS(&again)), S_OK);
  EXPECT_EQ(list->GetFactory(IID_PPV_ARGS(again.ReleaseAndGetAddressOf())), S_OK);
}

TEST_F(DxCore, NotificationsAreTakenAndNeverCome) {
  std::uint32_t cookie = 0;
  const auto callback = [](DXCoreNotificationType, IUnknown*, void*) {};
  EXPECT_EQ(factory->RegisterEventNotification(list.Get(), DXCoreNotificationType::AdapterListStale,
                                               callback, nullptr, &cookie),
            S_OK);
  EXPECT_EQ(factory->UnregisterEventNotification(cookie), S_OK);
  EXPECT_EQ(factory->UnregisterEventNotification(cookie + 7), E_INVALIDARG);
}

TEST_F(DxCore, ADeviceIsMadeOnTheAdapter) {
  ComPtr<ID3D12Device> device;
  ASSERT_EQ(D3D12CreateDevice(adapter.Get(), D3D_FEATURE_LEVEL_1_0_CORE, IID_PPV_ARGS(&device)),
            S_OK);
  const LUID luid = property<LUID>(DXCoreAdapterProperty::InstanceLuid);
  EXPECT_EQ(device->GetAdapterLuid().LowPart, luid.LowPart);
  EXPECT_EQ(device->GetAdapterLuid().HighPart, luid.HighPart);
}

}  // namespace
