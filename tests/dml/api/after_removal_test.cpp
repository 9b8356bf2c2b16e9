#include <utility>

#include "removal.h"

namespace weft::testing {
namespace {

using AfterRemoval = MachineTest;

TEST_F(AfterRemoval, EveryHresultIsDeviceRemovedAndVoidDoesNothing) {
  Scene scene(machine());
  const auto op = create(machine(), ReluDesc(4).operator_desc());
  ComPtr<IDMLOperatorInitializer> initializer;
  ASSERT_OK(machine().dml->CreateOperatorInitializer(0, nullptr, IID_PPV_ARGS(&initializer)));
  scene.relu_table->BindInputs(0, nullptr);
  const std::string cause = weft_device_removed_message(machine().dml.Get());
  IDMLDevice1& dml = *machine().dml.Get();
  void* out = &scene;
  const auto removed = [&](HRESULT result) {
    EXPECT_EQ(result, DXGI_ERROR_DEVICE_REMOVED);
    EXPECT_NE(std::string(weft_last_error()).find(cause), std::string::npos) << weft_last_error();
    EXPECT_EQ(std::exchange(out, &scene), nullptr);
  };
  const auto plain = [&](HRESULT result) {
    out = nullptr;
    removed(result);
  };
  const ReluDesc desc(4);
  const DML_OPERATOR_DESC op_desc = desc.operator_desc();
  IDMLPageable* object = scene.relu.Get();
  DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT query = {DML_TENSOR_DATA_TYPE_INT8};
  BOOL support = FALSE;
  UINT size = 0;
  plain(dml.CheckFeatureSupport(DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, 4, &query, 4, &support));
  removed(dml.CreateOperator(&op_desc, __uuidof(IDMLOperator), &out));
  removed(
      dml.CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, __uuidof(IDMLCompiledOperator), &out));
  removed(dml.CompileGraph(nullptr, DML_EXECUTION_FLAG_NONE, __uuidof(IDMLCompiledOperator), &out));
  removed(dml.CreateOperatorInitializer(0, nullptr, __uuidof(IDMLOperatorInitializer), &out));
  removed(dml.CreateCommandRecorder(__uuidof(IDMLCommandRecorder), &out));
  removed(dml.CreateBindingTable(nullptr, __uuidof(IDMLBindingTable), &out));
  plain(dml.Evict(1, &object));
  plain(dml.MakeResident(1, &object));
  removed(dml.GetParentDevice(__uuidof(ID3D12Device), &out));
  removed(op->GetDevice(__uuidof(IDMLDevice), &out));
  plain(initializer->Reset(0, nullptr));
  plain(scene.relu_table->Reset(nullptr));
  plain(op->SetName(L"name"));
  plain(op->SetPrivateData(__uuidof(IDMLOperator), 0, nullptr));
  plain(op->SetPrivateDataInterface(__uuidof(IDMLOperator), nullptr));
  plain(op->GetPrivateData(__uuidof(IDMLOperator), &size, nullptr));

  scene.bind_relu();
  scene.relu_table->BindTemporaryResource(nullptr);
  scene.relu_table->BindPersistentResource(nullptr);
  scene.record(scene.relu.Get(), scene.relu_table.Get());
  EXPECT_EQ(dml.GetDeviceRemovedReason(), E_INVALIDARG);
  EXPECT_EQ(weft_device_removed_message(&dml), cause) << "the first cause stays";
  EXPECT_EQ(scene.relu->GetBindingProperties().RequiredDescriptorCount, 2u);
}

// Work that was recorded before does nothing any more; other devices are not touched.
TEST_F(AfterRemoval, RecordedWorkDoesNothingAndOtherDevicesLive) {
  Scene scene(machine());
  machine().write(scene.big.Get(), std::vector<float>{-1, 2, -3, 4});
  machine().write(scene.other.Get(), std::vector<float>{7, 7, 7, 7});
  scene.bind_relu();
  scene.record(scene.relu.Get(), scene.relu_table.Get());
  ComPtr<IDMLDevice> second;
  ASSERT_OK(
      DMLCreateDevice(machine().d3d12.Get(), DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&second)));
  scene.relu_table->BindInputs(0, nullptr);
  machine().execute();
  EXPECT_EQ(machine().read(scene.other.Get(), 1)[0], 7);
  EXPECT_OK(second->GetDeviceRemovedReason());
  EXPECT_STREQ(weft_device_removed_message(second.Get()), "");
}

// A device that stays where the D3D12 device is gone.
TEST_F(AfterRemoval, D3D12RemovalRemovesTheDirectMLDevice) {
  ComPtr<ID3D12Device5> device5;
  ASSERT_OK(machine().d3d12.As(&device5));
  device5->RemoveDevice();
  EXPECT_NE(machine().d3d12->GetDeviceRemovedReason(), S_OK);
  EXPECT_EQ(machine().dml->GetDeviceRemovedReason(), machine().d3d12->GetDeviceRemovedReason());
  EXPECT_NE(std::string(weft_device_removed_message(machine().dml.Get())).find("D3D12"),
            std::string::npos);
  ComPtr<IDMLCommandRecorder> recorder;
  EXPECT_EQ(machine().dml->CreateCommandRecorder(IID_PPV_ARGS(&recorder)),
            DXGI_ERROR_DEVICE_REMOVED);
  ComPtr<IDMLDevice> another;
  EXPECT_EQ(
      DMLCreateDevice(machine().d3d12.Get(), DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&another)),
      DXGI_ERROR_DEVICE_REMOVED);
  EXPECT_NE(std::string(weft_last_error()).find("d3d12Device is removed"), std::string::npos);
}

}  // namespace
}  // namespace weft::testing
