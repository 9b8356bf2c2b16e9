// Every way to remove the device by recording a dispatch or by executing it.

#include "removal.h"

namespace weft::testing {
namespace {

// Late binding of a relu.
ComPtr<IDMLCompiledOperator> late_relu(Scene& s, UINT count = 4) {
  const auto compiled =
      compile(s.m, ReluDesc(count).operator_desc(), DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE);
  initialize(s.m, compiled.Get());
  return compiled;
}

const Removal kRecordings[] = {
    {"NoList", "IDMLCommandRecorder::RecordDispatch: commandList is null",
     [](Scene& s) {
       s.bind_relu();
       s.m.recorder->RecordDispatch(nullptr, s.relu.Get(), s.relu_table.Get());
     }},
    {"ClosedList", "closed",
     [](Scene& s) {
       s.bind_relu();
       ASSERT_OK(s.m.list->Close());
       s.record(s.relu.Get(), s.relu_table.Get());
     }},
    {"CopyList", "COPY",
     [](Scene& s) {
       s.bind_relu();
       ComPtr<ID3D12CommandAllocator> allocator;
       ComPtr<ID3D12GraphicsCommandList> copies;
       ASSERT_OK(s.m.d3d12->CreateCommandAllocator(D3D12_COMMAND_LIST_TYPE_COPY,
                                                   IID_PPV_ARGS(&allocator)));
       ASSERT_OK(s.m.d3d12->CreateCommandList(0, D3D12_COMMAND_LIST_TYPE_COPY, allocator.Get(),
                                              nullptr, IID_PPV_ARGS(&copies)));
       s.m.recorder->RecordDispatch(copies.Get(), s.relu.Get(), s.relu_table.Get());
     }},
    {"ListOfAnotherDevice", "a list of another D3D12 device",
     [](Scene& s) {
       s.bind_relu();
       Machine other;
       s.m.recorder->RecordDispatch(other.list.Get(), s.relu.Get(), s.relu_table.Get());
     }},
    {"NoDispatchable", "dispatchable is null",
     [](Scene& s) { s.record(nullptr, s.relu_table.Get()); }},
    {"NoTable", "bindings is null", [](Scene& s) { s.record(s.relu.Get(), nullptr); }},
    {"EmptyTable", "bindings is a table without a dispatchable",
     [](Scene& s) {
       ASSERT_OK(s.relu_table->Reset(nullptr));
       s.record(s.relu.Get(), s.relu_table.Get());
     }},
    {"TableOfAnotherOperator", "bindings is a table for ACTIVATION_RELU, must be one for",
     [](Scene& s) { s.record(s.convolution.Get(), s.relu_table.Get()); }},
    {"TableOlderThanItsInitializer", "IDMLOperatorInitializer::Reset",
     [](Scene& s) {
       const auto compiled = compile(s.m, ReluDesc(4).operator_desc());
       ComPtr<IDMLOperatorInitializer> initializer;
       ASSERT_OK(s.m.dml->CreateOperatorInitializer(0, nullptr, IID_PPV_ARGS(&initializer)));
       const auto table = table_for(s.m, initializer.Get());
       ASSERT_OK(initializer->Reset(1, compiled.GetAddressOf()));
       s.record(initializer.Get(), table.Get());
     }},
    {"InputsNotBound", "ACTIVATION_RELU.InputTensor is not bound",
     [](Scene& s) {
       bind_outputs(s.relu_table.Get(), {s.part(0, 16)});
       s.record(s.relu.Get(), s.relu_table.Get());
     }},
    {"OutputsNotBound", "ACTIVATION_RELU.OutputTensor is not bound",
     [](Scene& s) {
       bind_inputs(s.relu_table.Get(), {s.part(0, 16)});
       s.record(s.relu.Get(), s.relu_table.Get());
     }},
    {"TemporaryNeverBound", "CONVOLUTION.TemporaryResource is not bound",
     [](Scene& s) {
       bind_inputs(s.convolution_table.Get(), {s.part(0, 36), {}, {}});
       bind_outputs(s.convolution_table.Get(), {s.elsewhere(0, 16)});
       s.bind_persistent(Binding(s.persistent));
       s.record(s.convolution.Get(), s.convolution_table.Get());
     }},
    {"ReleasedResource", "ACTIVATION_RELU.InputTensor.Buffer is released",
     [](Scene& s) {
       auto input = s.m.buffer(16);
       bind_inputs(s.relu_table.Get(), {Binding(input)});
       bind_outputs(s.relu_table.Get(), {s.part(0, 16)});
       input.Reset();
       s.record(s.relu.Get(), s.relu_table.Get());
     }},
    {"HeapNotSet", "SetDescriptorHeaps",
     [](Scene& s) {
       s.bind_relu();
       ASSERT_OK(s.m.list->Close());
       ASSERT_OK(s.m.allocator->Reset());
       ASSERT_OK(s.m.list->Reset(s.m.allocator.Get(), nullptr));
       s.record(s.relu.Get(), s.relu_table.Get());
     }},
    {"DescriptorsOverwritten", "descriptor 0 of the binding table is overwritten",
     [](Scene& s) {
       const UINT count = s.relu->GetBindingProperties().RequiredDescriptorCount;
       const auto handles = s.m.descriptors(count);
       const auto second = compile(s.m, ReluDesc(4).operator_desc());
       ComPtr<IDMLBindingTable> a;
       ComPtr<IDMLBindingTable> b;
       DML_BINDING_TABLE_DESC desc = {s.relu.Get(), handles.cpu, handles.gpu, count};
       ASSERT_OK(s.m.dml->CreateBindingTable(&desc, IID_PPV_ARGS(&a)));
       desc.Dispatchable = second.Get();
       ASSERT_OK(s.m.dml->CreateBindingTable(&desc, IID_PPV_ARGS(&b)));
       for (const auto& table : {a, b}) {
         bind_inputs(table.Get(), {s.part(0, 16)});
         bind_outputs(table.Get(), {s.elsewhere(0, 16)});
       }
       s.record(s.relu.Get(), a.Get());
     }},
    {"DescriptorsNotCopied", "descriptor 0 of the binding table is empty", [](Scene& s) {
       const UINT count = s.relu->GetBindingProperties().RequiredDescriptorCount;
       const auto written = s.m.descriptors(count);
       const auto read = s.m.descriptors(count);
       const DML_BINDING_TABLE_DESC desc = {s.relu.Get(), written.cpu, read.gpu, count};
       ASSERT_OK(s.relu_table->Reset(&desc));
       s.bind_relu();
       s.record(s.relu.Get(), s.relu_table.Get());
     }}};

INSTANTIATE_TEST_SUITE_P(Recording, Removals, ::testing::ValuesIn(kRecordings),
                         [](const auto& info) { return info.param.name; });

// What only the execution can find out.
const Removal kExecutions[] = {
    {"NeverInitialized", "ACTIVATION_RELU is executed before it was initialized",
     [](Scene& s) {
       const auto compiled = compile(s.m, ReluDesc(4).operator_desc());
       const auto bound = bind_all(s.m, compiled.Get(), {s.part(0, 16)}, {s.part(0, 16)});
       s.record(compiled.Get(), bound.table.Get());
       ASSERT_OK(s.m.dml->GetDeviceRemovedReason());
       s.m.execute();
     }},
    {"InitializedTwice", "is initialized a second time",
     [](Scene& s) {
       const auto compiled = compile(s.m, ReluDesc(4).operator_desc());
       ComPtr<IDMLOperatorInitializer> initializer;
       ASSERT_OK(s.m.dml->CreateOperatorInitializer(1, compiled.GetAddressOf(),
                                                    IID_PPV_ARGS(&initializer)));
       const auto table = table_for(s.m, initializer.Get());
       s.record(initializer.Get(), table.Get());
       s.record(initializer.Get(), table.Get());
       s.m.execute();
     }},
    {"Evicted", "is executed while it is evicted",
     [](Scene& s) {
       s.bind_relu();
       s.record(s.relu.Get(), s.relu_table.Get());
       IDMLPageable* object = s.relu.Get();
       ASSERT_OK(s.m.dml->Evict(1, &object));
       s.m.execute();
     }},
    {"NameInMessages", "ACTIVATION_RELU \"first\" is executed",
     [](Scene& s) {
       const auto compiled = compile(s.m, ReluDesc(4).operator_desc());
       ASSERT_OK(compiled->SetName(L"first"));
       const auto bound = bind_all(s.m, compiled.Get(), {s.part(0, 16)}, {s.part(0, 16)});
       s.record(compiled.Get(), bound.table.Get());
       s.m.execute();
     }},
    {"LateBindingsMissing", "descriptor 0 of the binding table is empty",
     [](Scene& s) {
       const auto compiled = late_relu(s);
       const auto table = table_for(s.m, compiled.Get());
       s.record(compiled.Get(), table.Get());
       ASSERT_OK(s.m.dml->GetDeviceRemovedReason());
       s.m.execute();
     }},
    {"LateBindingsOverlap", "ACTIVATION_RELU.OutputTensor.Buffer is overlapping",
     [](Scene& s) {
       const auto compiled = late_relu(s, 8);
       const auto table = table_for(s.m, compiled.Get());
       bind_inputs(table.Get(), {s.part(0, 32)});
       bind_outputs(table.Get(), {s.part(64, 32)});
       s.record(compiled.Get(), table.Get());
       bind_inputs(table.Get(), {s.part(48, 32)});
       ASSERT_OK(s.m.dml->GetDeviceRemovedReason());
       s.m.execute();
     }},
    {"LateBindingsIncomplete", "ACTIVATION_RELU.OutputTensor is not bound", [](Scene& s) {
       const auto compiled = late_relu(s);
       const auto table = table_for(s.m, compiled.Get());
       s.record(compiled.Get(), table.Get());
       bind_inputs(table.Get(), {s.part(0, 16)});
       s.m.execute();
     }}};

INSTANTIATE_TEST_SUITE_P(Execution, Removals, ::testing::ValuesIn(kExecutions),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace weft::testing
