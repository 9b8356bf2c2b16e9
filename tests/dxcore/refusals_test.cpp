// What is refused leaves a message that names the method. The log is chosen once, so each of these
// runs in a process of its own.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "com/windows.h"
// Windows' shapes first.
#include "directml/compat/dxgi1_6.h"
// The adapter's smart pointer, as programs use it.
#include <wrl/client.h>

extern "C" HRESULT DXCoreCreateAdapterFactory(REFIID riid, void** factory);

namespace {

using Microsoft::WRL::ComPtr;

class RefusalDeathTest : public testing::Test {
 protected:
  RefusalDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Ends the process: 0 when the call gives the code.
template <class Call>
void exit_after(HRESULT code, const Call& call) {
  setenv("WEFT_LOG", "error", 1);
  std::exit(call() == code ? 0 : 1);
}

TEST_F(RefusalDeathTest, OfAdapterLists) {
  const auto call = [] {
    ComPtr<IDXCoreAdapterFactory> factory;
    ComPtr<IDXCoreAdapterList> list;
    DXCoreCreateAdapterFactory(IID_PPV_ARGS(&factory));
    return factory->CreateAdapterList(0, nullptr, IID_PPV_ARGS(&list));
  };
  EXPECT_EXIT(exit_after(E_INVALIDARG, call), testing::ExitedWithCode(0),
              "IDXCoreAdapterFactory::CreateAdapterList: numAttributes is 0");
}

TEST_F(RefusalDeathTest, OfInterfaces) {
  const auto call = [] {
    ComPtr<ID3D12Device> device;
    return DXCoreCreateAdapterFactory(IID_PPV_ARGS(&device));
  };
  EXPECT_EXIT(exit_after(E_NOINTERFACE, call), testing::ExitedWithCode(0),
              "DXCoreCreateAdapterFactory: riid is no interface of the new object");
}

TEST_F(RefusalDeathTest, OfDisplays) {
  const auto call = [] {
    ComPtr<IDXGIFactory2> factory;
    DWORD cookie = 7;
    CreateDXGIFactory1(IID_PPV_ARGS(&factory));
    const HRESULT result = factory->RegisterStereoStatusEvent(nullptr, &cookie);
    return cookie == 0 ? result : E_FAIL;
  };
  EXPECT_EXIT(exit_after(DXGI_ERROR_UNSUPPORTED, call), testing::ExitedWithCode(0),
              "RegisterStereoStatusEvent is not offered: there is no display");
}

// The number of a virtual function in its table.
template <class Method>
std::size_t slot_of(Method method) {
  static_assert(sizeof method == 2 * sizeof(std::size_t));
  std::size_t words[2];
  std::memcpy(words, &method, sizeof words);
  return (words[0] - 1) / sizeof(void*);
}

TEST(Dxgi, StatusMethodsHaveWindowsOrder) {
#if defined(__x86_64__)
  EXPECT_EQ(slot_of(&IDXGIFactory2::RegisterStereoStatusWindow), 18U);
  EXPECT_EQ(slot_of(&IDXGIFactory2::RegisterOcclusionStatusWindow), 21U);
  EXPECT_EQ(slot_of(&IDXGIFactory2::CreateSwapChainForComposition), 24U);
#else
  GTEST_SKIP() << "this ABI has another form of pointers to members";
#endif
}

}  // namespace
