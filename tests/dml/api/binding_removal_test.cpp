// Every way to remove the device with a binding table, one call each: what is done, and a part of
// the message. The reason is E_INVALIDARG.

#include "removal.h"

namespace weft::testing {
namespace {

// What a table is told while it is bound: the message begins with the method.
const Removal kBindings[] = {
    {"TooFewInputs", "IDMLBindingTable::BindInputs: bindingCount is 0, must be 1",
     [](Scene& s) { s.relu_table->BindInputs(0, nullptr); }},
    {"TooManyInputs", "bindingCount is 2, must be 1",
     [](Scene& s) {
       bind_inputs(s.relu_table.Get(), {s.part(0, 16), s.part(0, 16)});
     }},
    {"OptionalInputsCount", "bindingCount is 2, must be 3",
     [](Scene& s) {
       bind_inputs(s.convolution_table.Get(), {s.part(0, 36), {}});
     }},
    {"NoInputArray", "bindings is null", [](Scene& s) { s.relu_table->BindInputs(1, nullptr); }},
    {"AbsurdInputCount", "bindingCount is 4294967295",
     [](Scene& s) {
       const DML_BINDING_DESC none = {};
       s.relu_table->BindInputs(0xFFFFFFFF, &none);
     }},
    {"TooManyOutputs", "IDMLBindingTable::BindOutputs: bindingCount is 2, must be 1",
     [](Scene& s) {
       bind_outputs(s.relu_table.Get(), {s.part(0, 16), s.part(16, 16)});
     }},
    {"InputNotBound", "ACTIVATION_RELU.InputTensor is not bound",
     [](Scene& s) { bind_inputs(s.relu_table.Get(), {{}}); }},
    {"InputNull", "ACTIVATION_RELU.InputTensor is not bound",
     [](Scene& s) { bind_inputs(s.relu_table.Get(), {Binding(nullptr, 0, 16)}); }},
    {"OutputNotBound", "ACTIVATION_RELU.OutputTensor is not bound",
     [](Scene& s) { bind_outputs(s.relu_table.Get(), {{}}); }},
    {"OwnedInputBound", "CONVOLUTION.FilterTensor is bound, must be DML_BINDING_TYPE_NONE",
     [](Scene& s) {
       bind_inputs(s.convolution_table.Get(), {s.part(0, 36), s.part(64, 16), {}});
     }},
    {"AbsentInputBound", "CONVOLUTION.BiasTensor is bound",
     [](Scene& s) {
       bind_inputs(s.convolution_table.Get(), {s.part(0, 36), {}, s.part(64, 16)});
     }},
    {"BindingType", "ACTIVATION_RELU.InputTensor.Type is 9",
     [](Scene& s) {
       DML_BINDING_DESC desc = s.part(0, 16).desc();
       const std::uint32_t nine = 9;
       std::memcpy(&desc.Type, &nine, sizeof nine);
       s.relu_table->BindInputs(1, &desc);
     }},
    {"ArrayAtExecution", "ACTIVATION_RELU.InputTensor.Type is 2",
     [](Scene& s) {
       const DML_BUFFER_ARRAY_BINDING array = {};
       const DML_BINDING_DESC desc = {DML_BINDING_TYPE_BUFFER_ARRAY, &array};
       s.relu_table->BindInputs(1, &desc);
     }},
    {"BindingWithoutDesc", "ACTIVATION_RELU.InputTensor.Desc is null",
     [](Scene& s) {
       const DML_BINDING_DESC desc = {DML_BINDING_TYPE_BUFFER, nullptr};
       s.relu_table->BindInputs(1, &desc);
     }},
    {"OffsetAlignment", "ACTIVATION_RELU.InputTensor.Offset is 8, must be a multiple of 16",
     [](Scene& s) { bind_inputs(s.relu_table.Get(), {s.part(8, 16)}); }},
    {"SizeTooSmall", "ACTIVATION_RELU.InputTensor.SizeInBytes is 12, must be at least 16",
     [](Scene& s) { bind_inputs(s.relu_table.Get(), {s.part(0, 12)}); }},
    {"PastTheEnd", "ACTIVATION_RELU.InputTensor.SizeInBytes is 32 from byte 4080",
     [](Scene& s) { bind_inputs(s.relu_table.Get(), {s.part(4080, 32)}); }},
    {"OffsetPastTheEnd", "inside the resource",
     [](Scene& s) { bind_inputs(s.relu_table.Get(), {s.part(1ull << 63, 16)}); }},
    {"SizeOverflows", "inside the resource",
     [](Scene& s) { bind_inputs(s.relu_table.Get(), {s.part(16, UINT64_MAX)}); }},
    {"UploadAtExecution", "in an UPLOAD heap",
     [](Scene& s) {
       const auto upload = s.m.buffer(16, D3D12_HEAP_TYPE_UPLOAD);
       bind_inputs(s.relu_table.Get(), {Binding(upload)});
     }},
    {"ReadbackOutput", "in a READBACK heap",
     [](Scene& s) {
       const auto readback = s.m.buffer(16, D3D12_HEAP_TYPE_READBACK);
       bind_outputs(s.relu_table.Get(), {Binding(readback)});
     }},
    {"NoUnorderedAccess", "without ALLOW_UNORDERED_ACCESS",
     [](Scene& s) {
       const auto plain = s.m.buffer(16, D3D12_HEAP_TYPE_DEFAULT, D3D12_RESOURCE_FLAG_NONE);
       bind_outputs(s.relu_table.Get(), {Binding(plain)});
     }},
    {"ResourceOfAnotherDevice", "a resource of another D3D12 device",
     [](Scene& s) {
       ComPtr<ID3D12Resource> foreign;
       Machine other;
       foreign = other.buffer(16);
       bind_inputs(s.relu_table.Get(), {Binding(foreign)});
     }},
    {"TemporaryNotBound", "CONVOLUTION.TemporaryResource is not bound",
     [](Scene& s) { s.convolution_table->BindTemporaryResource(nullptr); }},
    {"TemporaryTooSmall", "CONVOLUTION.TemporaryResource.SizeInBytes",
     [](Scene& s) { s.bind_temporary(Binding(s.temporary.Get(), 0, s.temporary_size - 4)); }},
    {"TemporaryAlignment", "CONVOLUTION.TemporaryResource.Offset is 16, must be a multiple of 256",
     [](Scene& s) { s.bind_temporary(Binding(s.temporary.Get(), 16, 16)); }},
    {"PersistentNotBound", "CONVOLUTION.PersistentResource is not bound",
     [](Scene& s) { s.bind_persistent({}); }},
    {"TemporaryOfAnEmptyTable", "BindTemporaryResource: TemporaryResource is bound",
     [](Scene& s) {
       ASSERT_OK(s.convolution_table->Reset(nullptr));
       s.bind_temporary({});
       ASSERT_OK(s.m.dml->GetDeviceRemovedReason());
       s.bind_temporary(Binding(s.temporary));
     }},
    {"PersistentOfAnEmptyTable", "BindPersistentResource: PersistentResource is bound",
     [](Scene& s) {
       ASSERT_OK(s.convolution_table->Reset(nullptr));
       s.bind_persistent(Binding(s.persistent));
     }},
    {"PersistentAlignment", "CONVOLUTION.PersistentResource.Offset is 128",
     [](Scene& s) { s.bind_persistent(s.part(128, 1024)); }},
};

INSTANTIATE_TEST_SUITE_P(Binding, Removals, ::testing::ValuesIn(kBindings),
                         [](const auto& info) { return info.param.name; });

// Buffers in each other's way.
const Removal kHazards[] = {
    {"PartialOverlap", "ACTIVATION_RELU.OutputTensor.Buffer is overlapping",
     [](Scene& s) {
       const auto compiled = compile(s.m, ReluDesc(8).operator_desc());
       const auto table = table_for(s.m, compiled.Get());
       bind_inputs(table.Get(), {s.part(0, 32)});
       bind_outputs(table.Get(), {s.part(16, 32)});
     }},
    {"InPlaceWhereItIsNot", "CONVOLUTION does not run in place",
     [](Scene& s) {
       bind_inputs(s.convolution_table.Get(), {s.part(0, 36), {}, {}});
       bind_outputs(s.convolution_table.Get(), {s.part(0, 36)});
     }},
    {"InPlaceOfAnotherSize", "in place, both have one TotalTensorSizeInBytes",
     [](Scene& s) {
       ReluDesc desc(4);
       desc.output.buffer.TotalTensorSizeInBytes = 32;
       const auto compiled = compile(s.m, desc.operator_desc());
       const auto table = table_for(s.m, compiled.Get());
       bind_inputs(table.Get(), {s.part(0, 32)});
       bind_outputs(table.Get(), {s.part(0, 32)});
     }},
    {"PersistentIsOutput", "CONVOLUTION.PersistentResource",
     [](Scene& s) {
       bind_outputs(s.convolution_table.Get(), {Binding(s.persistent.Get(), 0, 16)});
       s.bind_persistent(Binding(s.persistent));
     }},
    {"TemporaryIsInput", "CONVOLUTION.TemporaryResource.Buffer is overlapping",
     [](Scene& s) {
       bind_inputs(s.convolution_table.Get(), {Binding(s.temporary.Get(), 0, 36), {}, {}});
       s.bind_temporary(Binding(s.temporary));
     }},
    {"StaleBindingsWhenRecording", "ACTIVATION_RELU.OutputTensor.Buffer is overlapping",
     [](Scene& s) {
       const auto compiled = compile(s.m, ReluDesc(8).operator_desc());
       const auto table = table_for(s.m, compiled.Get());
       bind_inputs(table.Get(), {s.part(0, 32)});
       bind_outputs(table.Get(), {s.part(64, 32)});
       s.record(compiled.Get(), table.Get());
       bind_outputs(table.Get(), {s.part(16, 32)});
       ASSERT_OK(s.m.dml->GetDeviceRemovedReason());
       s.record(compiled.Get(), table.Get());
     }},
    {"InitializerInputIsOutput", "initialization does not read and write one resource",
     [](Scene& s) {
       const auto compiled =
           compile(s.m, ConvolutionDesc(DML_TENSOR_FLAG_OWNED_BY_DML).operator_desc());
       ComPtr<IDMLOperatorInitializer> initializer;
       ASSERT_OK(s.m.dml->CreateOperatorInitializer(1, compiled.GetAddressOf(),
                                                    IID_PPV_ARGS(&initializer)));
       const auto table = table_for(s.m, initializer.Get());
       const DML_BUFFER_BINDING buffers[] = {{}, {s.big.Get(), 0, 16}, {}};
       const DML_BUFFER_ARRAY_BINDING array = {3, buffers};
       const DML_BINDING_DESC desc = {DML_BINDING_TYPE_BUFFER_ARRAY, &array};
       table->BindInputs(1, &desc);
       bind_outputs(table.Get(), {s.part(2048, 2048)});
     }}};

INSTANTIATE_TEST_SUITE_P(Hazard, Removals, ::testing::ValuesIn(kHazards),
                         [](const auto& info) { return info.param.name; });

// An initializer for a convolution with an owned filter, its table bound with `bind`.
Removal initializer_removal(const char* name, const char* message,
                            std::function<void(Scene&, IDMLBindingTable*)> bind) {
  return {name, message, [bind](Scene& s) {
            const auto compiled =
                compile(s.m, ConvolutionDesc(DML_TENSOR_FLAG_OWNED_BY_DML).operator_desc());
            ComPtr<IDMLOperatorInitializer> initializer;
            ASSERT_OK(s.m.dml->CreateOperatorInitializer(1, compiled.GetAddressOf(),
                                                         IID_PPV_ARGS(&initializer)));
            const auto table = table_for(s.m, initializer.Get());
            bind(s, table.Get());
            if (s.m.dml->GetDeviceRemovedReason() == S_OK) {
              s.record(initializer.Get(), table.Get());
            }
          }};
}

void bind_array(IDMLBindingTable* table, const std::vector<DML_BUFFER_BINDING>& buffers) {
  const DML_BUFFER_ARRAY_BINDING array = {static_cast<UINT>(buffers.size()), buffers.data()};
  const DML_BINDING_DESC desc = {DML_BINDING_TYPE_BUFFER_ARRAY, &array};
  table->BindInputs(1, &desc);
}

const Removal kInitializers[] = {
    initializer_removal("NothingBound", "CONVOLUTION.FilterTensor is not bound",
                        [](Scene&, IDMLBindingTable*) {}),
    initializer_removal("NoneForOwned", "CONVOLUTION.FilterTensor is not bound",
                        [](Scene&, IDMLBindingTable* table) { bind_inputs(table, {{}}); }),
    initializer_removal(
        "BufferForArray", "Type is 1, must be NONE (0) or BUFFER_ARRAY (2)",
        [](Scene& s, IDMLBindingTable* table) { bind_inputs(table, {s.part(0, 16)}); }),
    initializer_removal("ArrayLength", "BindingCount is 1, must be 3",
                        [](Scene& s, IDMLBindingTable* table) {
                          bind_array(table, {{s.big.Get(), 0, 16}});
                        }),
    initializer_removal("NotOwned", "CONVOLUTION.InputTensor is bound",
                        [](Scene& s, IDMLBindingTable* table) {
                          bind_array(table, {{s.big.Get(), 0, 36}, {s.big.Get(), 64, 16}, {}});
                        }),
    initializer_removal("NoPersistent", "CONVOLUTION.PersistentResource is not bound",
                        [](Scene& s, IDMLBindingTable* table) {
                          bind_array(table, {{}, {s.big.Get(), 0, 16}, {}});
                        }),
    initializer_removal("OutputCount", "bindingCount is 2, must be 1",
                        [](Scene& s, IDMLBindingTable* table) {
                          bind_outputs(table, {s.part(0, 256), s.part(256, 256)});
                        }),
    initializer_removal("FromReadback", "in a READBACK heap",
                        [](Scene& s, IDMLBindingTable* table) {
                          const auto readback = s.m.buffer(16, D3D12_HEAP_TYPE_READBACK);
                          bind_array(table, {{}, {readback.Get(), 0, 16}, {}});
                        })};

INSTANTIATE_TEST_SUITE_P(Initializer, Removals, ::testing::ValuesIn(kInitializers),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace weft::testing
