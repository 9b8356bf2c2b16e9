// DirectML asked for on a D3D12 device that is none of libd3d12's.

#include "foreign_device.h"

namespace weft::testing {

HRESULT ForeignDevice::QueryInterface(REFIID riid, void** object) {
  if (riid != __uuidof(IUnknown) && riid != __uuidof(ID3D12Object) &&
      riid != __uuidof(ID3D12Device)) {
    *object = nullptr;
    return E_NOINTERFACE;
  }
  *object = static_cast<ID3D12Device*>(this);
  AddRef();
  return S_OK;
}

namespace {

TEST(ForeignDevices, AreNotSupportedAndTheMessageSaysWhy) {
  ForeignDevice device;
  void* made = &device;
  EXPECT_EQ(DMLCreateDevice(&device, DML_CREATE_DEVICE_FLAG_NONE, __uuidof(IDMLDevice), &made),
            DXGI_ERROR_UNSUPPORTED);
  EXPECT_EQ(made, nullptr);
  EXPECT_STREQ(weft_last_error(),
               "DMLCreateDevice: d3d12Device is not a device of Weft's libd3d12, the only one that "
               "this DirectML works on");
  made = &device;
  EXPECT_EQ(DMLCreateDevice1(&device, DML_CREATE_DEVICE_FLAG_DEBUG, DML_FEATURE_LEVEL_6_4,
                             __uuidof(IDMLDevice), &made),
            DXGI_ERROR_UNSUPPORTED);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(device.references, 1U) << "nothing is kept";
  EXPECT_EQ(weft_dml_live_objects(), 0);
}

}  // namespace
}  // namespace weft::testing
