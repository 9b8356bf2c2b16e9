#include <numeric>

#include "operators.h"

namespace weft::testing {
namespace {

using Execution = MachineTest;

std::vector<float> one_to_nine() {
  std::vector<float> values(9);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

const std::vector<float> kHalves(4, 0.5f);
const std::vector<float> kExpected = {6, 8, 12, 14};

TEST_F(Execution, Convolution) {
  const ConvolutionDesc desc;
  const auto compiled = compile(machine(), desc.operator_desc());
  initialize(machine(), compiled.Get());
  const auto input = machine().buffer_of(one_to_nine());
  const auto filter = machine().buffer_of(kHalves);
  const auto output = machine().buffer(16);
  const auto bound =
      bind_all(machine(), compiled.Get(), {Binding(input), Binding(filter), {}}, {Binding(output)});
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  machine().execute();
  EXPECT_EQ(machine().read(output.Get(), 4), kExpected);
  EXPECT_OK(machine().dml->GetDeviceRemovedReason());
}

TEST_F(Execution, OwnedFilterIsReadAtInitializationOnly) {
  const ConvolutionDesc desc(DML_TENSOR_FLAG_OWNED_BY_DML);
  const auto compiled = compile(machine(), desc.operator_desc());
  const auto filter = machine().buffer_of(kHalves);
  const auto persistent = persistent_for(machine(), compiled.Get());
  ASSERT_NE(persistent, nullptr);
  initialize(machine(), compiled.Get(), {{}, Binding(filter), {}}, persistent.Get());
  machine().write(filter.Get(), std::vector<float>(4, 99.0f));

  const auto input = machine().buffer_of(one_to_nine());
  const auto output = machine().buffer(16);
  const auto bound = bind_all(machine(), compiled.Get(), {Binding(input), {}, {}},
                              {Binding(output)}, persistent.Get());
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  machine().execute();
  EXPECT_EQ(machine().read(output.Get(), 4), kExpected);

  machine().write(persistent.Get(), std::vector<float>(persistent->GetDesc().Width / 4, 0.0f));
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  machine().execute();
  EXPECT_NE(machine().read(output.Get(), 4), kExpected) << "the persistent resource is what counts";
}

TEST_F(Execution, OwnedFilterMayComeFromAnUploadHeap) {
  const ConvolutionDesc desc(DML_TENSOR_FLAG_OWNED_BY_DML);
  const auto compiled = compile(machine(), desc.operator_desc());
  const auto filter = machine().buffer(16, D3D12_HEAP_TYPE_UPLOAD);
  void* memory = nullptr;
  ASSERT_OK(filter->Map(0, nullptr, &memory));
  std::memcpy(memory, kHalves.data(), 16);
  filter->Unmap(0, nullptr);
  const auto persistent = persistent_for(machine(), compiled.Get());
  initialize(machine(), compiled.Get(), {{}, Binding(filter), {}}, persistent.Get());
  const auto input = machine().buffer_of(one_to_nine());
  const auto output = machine().buffer(16);
  const auto bound = bind_all(machine(), compiled.Get(), {Binding(input), {}, {}},
                              {Binding(output)}, persistent.Get());
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  machine().execute();
  EXPECT_EQ(machine().read(output.Get(), 4), kExpected);
}

TEST_F(Execution, OneInitializerForSeveralOperatorsAndNone) {
  const ConvolutionDesc owned(DML_TENSOR_FLAG_OWNED_BY_DML);
  const ReluDesc relu(4);
  const auto first = compile(machine(), relu.operator_desc());
  const auto second = compile(machine(), owned.operator_desc());
  ComPtr<IDMLOperatorInitializer> initializer;
  ASSERT_OK(machine().dml->CreateOperatorInitializer(0, nullptr, IID_PPV_ARGS(&initializer)));
  EXPECT_EQ(initializer->GetBindingProperties().RequiredDescriptorCount, 0u);
  ComPtr<IDMLBindingTable> table;
  ASSERT_OK(machine().dml->CreateBindingTable(nullptr, IID_PPV_ARGS(&table)));
  const DML_BINDING_TABLE_DESC none = {initializer.Get(), {}, {}, 0};
  ASSERT_OK(table->Reset(&none));
  machine().recorder->RecordDispatch(machine().list.Get(), initializer.Get(), table.Get());
  machine().execute();

  IDMLCompiledOperator* targets[] = {first.Get(), second.Get()};
  ASSERT_OK(initializer->Reset(2, targets));
  EXPECT_EQ(initializer->GetBindingProperties().RequiredDescriptorCount, 2u);
  EXPECT_EQ(initializer->GetBindingProperties().PersistentResourceSize, 0u);
  const auto handles = machine().descriptors(2);
  const DML_BINDING_TABLE_DESC both = {initializer.Get(), handles.cpu, handles.gpu, 2};
  ASSERT_OK(table->Reset(&both));
  const auto filter = machine().buffer_of(kHalves);
  const auto persistent = persistent_for(machine(), second.Get());
  const DML_BUFFER_BINDING buffers[] = {{}, {filter.Get(), 0, 16}, {}};
  const DML_BUFFER_ARRAY_BINDING array = {3, buffers};
  const DML_BINDING_DESC inputs[] = {{DML_BINDING_TYPE_NONE, nullptr},
                                     {DML_BINDING_TYPE_BUFFER_ARRAY, &array}};
  table->BindInputs(2, inputs);
  bind_outputs(table.Get(), {{}, Binding(persistent)});
  machine().recorder->RecordDispatch(machine().list.Get(), initializer.Get(), table.Get());
  machine().execute();
  ASSERT_OK(machine().dml->GetDeviceRemovedReason());

  const auto input = machine().buffer_of(one_to_nine());
  const auto output = machine().buffer(16);
  const auto bound = bind_all(machine(), second.Get(), {Binding(input), {}, {}}, {Binding(output)},
                              persistent.Get());
  machine().recorder->RecordDispatch(machine().list.Get(), second.Get(), bound.table.Get());
  const auto in_place = bind_all(machine(), first.Get(), {Binding(output)}, {Binding(output)});
  machine().recorder->RecordDispatch(machine().list.Get(), first.Get(), in_place.table.Get());
  machine().execute();
  EXPECT_EQ(machine().read(output.Get(), 4), kExpected);
  EXPECT_OK(machine().dml->GetDeviceRemovedReason());
}

TEST_F(Execution, InitializedAndExecutedInOneList) {
  const ReluDesc desc(4);
  const auto compiled = compile(machine(), desc.operator_desc());
  IDMLCompiledOperator* target = compiled.Get();
  ComPtr<IDMLOperatorInitializer> initializer;
  ASSERT_OK(machine().dml->CreateOperatorInitializer(1, &target, IID_PPV_ARGS(&initializer)));
  const std::vector<float> values = {-1, 2, -3, 4};
  const auto buffer = machine().buffer_of(values);
  const auto first = table_for(machine(), initializer.Get());
  const auto second = bind_all(machine(), target, {Binding(buffer)}, {Binding(buffer)});
  machine().recorder->RecordDispatch(machine().list.Get(), initializer.Get(), first.Get());
  machine().recorder->RecordDispatch(machine().list.Get(), target, second.table.Get());
  machine().execute();
  EXPECT_EQ(machine().read(buffer.Get(), 4), (std::vector<float>{0, 2, 0, 4}));
}

// What has been recorded needs none of the objects that it was recorded from.
TEST_F(Execution, RecordedWorkHoldsWhatItNeeds) {
  const std::vector<float> values = {-1, 2, -3, 4};
  const auto input = machine().buffer_of(values);
  const auto output = machine().buffer(16);
  {
    const ReluDesc desc(4);
    const auto compiled = compile(machine(), desc.operator_desc());
    initialize(machine(), compiled.Get());
    const auto bound = bind_all(machine(), compiled.Get(), {Binding(input)}, {Binding(output)});
    machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
    ASSERT_OK(bound.table->Reset(nullptr));
  }
  machine().recorder.Reset();
  machine().dml.Reset();
  EXPECT_EQ(weft_dml_live_objects(), 0);
  machine().execute();
  EXPECT_EQ(machine().read(output.Get(), 4), (std::vector<float>{0, 2, 0, 4}));
}

// Bindings as they are at RecordDispatch, whatever the table binds later.
TEST_F(Execution, BindingsAreTakenWhenRecording) {
  const ReluDesc desc(4);
  const auto compiled = compile(machine(), desc.operator_desc());
  initialize(machine(), compiled.Get());
  const auto input = machine().buffer_of(std::vector<float>{1, 1, 1, 1});
  const auto a = machine().buffer_of(std::vector<float>(4, 9));
  const auto b = machine().buffer_of(std::vector<float>(4, 9));
  const auto bound = bind_all(machine(), compiled.Get(), {Binding(input)}, {Binding(a)});
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  bind_outputs(bound.table.Get(), {Binding(b)});
  machine().execute();
  EXPECT_EQ(machine().read(a.Get(), 1)[0], 1);
  EXPECT_EQ(machine().read(b.Get(), 1)[0], 9);
}

// Buffers that change places between dispatches of one table are no hazard.
TEST_F(Execution, BuffersMayTakeTurns) {
  const ReluDesc desc(4);
  const auto compiled = compile(machine(), desc.operator_desc());
  initialize(machine(), compiled.Get());
  const auto a = machine().buffer_of(std::vector<float>{-1, 2, -3, 4});
  const auto b = machine().buffer(16);
  const auto bound = bind_all(machine(), compiled.Get(), {Binding(a)}, {Binding(b)});
  for (int turn = 0; turn < 4; ++turn) {
    const Binding here(turn % 2 == 0 ? a : b);
    const Binding there(turn % 2 == 0 ? b : a);
    bind_inputs(bound.table.Get(), {here});
    bind_outputs(bound.table.Get(), {there});
    machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  }
  machine().execute();
  ASSERT_OK(machine().dml->GetDeviceRemovedReason());
  EXPECT_EQ(machine().read(b.Get(), 4), (std::vector<float>{0, 2, 0, 4}));
}

TEST_F(Execution, LateBindingReadsTheDescriptorsAtEachSubmission) {
  const ReluDesc desc(4);
  const auto compiled =
      compile(machine(), desc.operator_desc(), DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE);
  initialize(machine(), compiled.Get());
  const auto input = machine().buffer_of(std::vector<float>{1, 1, 1, 1});
  const auto a = machine().buffer_of(std::vector<float>(4, 9));
  const auto b = machine().buffer_of(std::vector<float>(4, 9));
  const auto table = table_for(machine(), compiled.Get());
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), table.Get());
  ASSERT_OK(machine().list->Close());
  bind_inputs(table.Get(), {Binding(input)});
  bind_outputs(table.Get(), {Binding(a)});
  machine().submit();
  machine().wait();
  bind_outputs(table.Get(), {Binding(b)});
  machine().submit();
  machine().wait();
  machine().open();
  EXPECT_EQ(machine().read(a.Get(), 1)[0], 1);
  EXPECT_EQ(machine().read(b.Get(), 1)[0], 1);
  EXPECT_OK(machine().dml->GetDeviceRemovedReason());
}

// CPU and GPU handle in different heaps: the application copies the range.
TEST_F(Execution, DescriptorsMayBeCopied) {
  const ReluDesc desc(4);
  const auto compiled = compile(machine(), desc.operator_desc());
  initialize(machine(), compiled.Get());
  const UINT count = compiled->GetBindingProperties().RequiredDescriptorCount;
  D3D12_DESCRIPTOR_HEAP_DESC heap_desc = {};
  heap_desc.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
  heap_desc.NumDescriptors = count;
  ComPtr<ID3D12DescriptorHeap> staging;
  ASSERT_OK(machine().d3d12->CreateDescriptorHeap(&heap_desc, IID_PPV_ARGS(&staging)));
  const auto cpu = staging->GetCPUDescriptorHandleForHeapStart();
  const auto visible = machine().descriptors(count);
  const DML_BINDING_TABLE_DESC table_desc = {compiled.Get(), cpu, visible.gpu, count};
  ComPtr<IDMLBindingTable> table;
  ASSERT_OK(machine().dml->CreateBindingTable(&table_desc, IID_PPV_ARGS(&table)));
  const auto buffer = machine().buffer_of(std::vector<float>{-1, 2, -3, 4});
  bind_inputs(table.Get(), {Binding(buffer)});
  bind_outputs(table.Get(), {Binding(buffer)});
  machine().d3d12->CopyDescriptorsSimple(count, visible.cpu, cpu,
                                         D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), table.Get());
  machine().execute();
  EXPECT_OK(machine().dml->GetDeviceRemovedReason());
  EXPECT_EQ(machine().read(buffer.Get(), 4), (std::vector<float>{0, 2, 0, 4}));
}

// Offsets, and two tensors in one resource.
TEST_F(Execution, TensorsMayLieInOneResource) {
  const ReluDesc desc(4);
  const auto compiled = compile(machine(), desc.operator_desc());
  initialize(machine(), compiled.Get());
  const auto buffer = machine().buffer_of(std::vector<float>{-1, 2, -3, 4, 9, 9, 9, 9});
  const auto bound = bind_all(machine(), compiled.Get(), {Binding(buffer.Get(), 0, 16)},
                              {Binding(buffer.Get(), 16, 16)});
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  machine().execute();
  EXPECT_EQ(machine().read(buffer.Get(), 8), (std::vector<float>{-1, 2, -3, 4, 0, 2, 0, 4}));
}

TEST_F(Execution, EvictedOperatorsComeBack) {
  const ReluDesc desc(4);
  const auto compiled = compile(machine(), desc.operator_desc());
  IDMLPageable* object = compiled.Get();
  ASSERT_OK(machine().dml->Evict(1, &object));
  ASSERT_OK(machine().dml->MakeResident(1, &object));
  initialize(machine(), compiled.Get());
  const auto buffer = machine().buffer_of(std::vector<float>{-1, 2, -3, 4});
  const auto bound = bind_all(machine(), compiled.Get(), {Binding(buffer)}, {Binding(buffer)});
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  machine().execute();
  EXPECT_OK(machine().dml->GetDeviceRemovedReason());
  EXPECT_OK(machine().dml->Evict(0, nullptr));
}

class ComputeQueue : public MachineTest {
  MachineOptions options() const override { return {.list_type = D3D12_COMMAND_LIST_TYPE_COMPUTE}; }
};

TEST_F(ComputeQueue, Executes) {
  const ReluDesc desc(4);
  const auto compiled = compile(machine(), desc.operator_desc());
  initialize(machine(), compiled.Get());
  const auto buffer = machine().buffer_of(std::vector<float>{-1, 2, -3, 4});
  const auto bound = bind_all(machine(), compiled.Get(), {Binding(buffer)}, {Binding(buffer)});
  machine().recorder->RecordDispatch(machine().list.Get(), compiled.Get(), bound.table.Get());
  machine().execute();
  EXPECT_EQ(machine().read(buffer.Get(), 4), (std::vector<float>{0, 2, 0, 4}));
}

}  // namespace
}  // namespace weft::testing
