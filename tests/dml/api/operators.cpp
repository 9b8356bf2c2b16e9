#include "operators.h"

namespace weft::testing {

namespace {

std::uint64_t element_bytes(DML_TENSOR_DATA_TYPE type) {
  switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
    case DML_TENSOR_DATA_TYPE_INT16:
    case DML_TENSOR_DATA_TYPE_UINT16:
      return 2;
    case DML_TENSOR_DATA_TYPE_INT8:
    case DML_TENSOR_DATA_TYPE_UINT8:
      return 1;
    case DML_TENSOR_DATA_TYPE_FLOAT64:
    case DML_TENSOR_DATA_TYPE_INT64:
    case DML_TENSOR_DATA_TYPE_UINT64:
      return 8;
    default:
      return 4;
  }
}

}  // namespace

Tensor::Tensor(std::vector<UINT> tensor_sizes, DML_TENSOR_FLAGS flags, DML_TENSOR_DATA_TYPE type)
    : sizes(std::move(tensor_sizes)) {
  std::uint64_t elements = 1;
  for (const UINT size : sizes) elements *= size;
  buffer.DataType = type;
  buffer.Flags = flags;
  buffer.DimensionCount = static_cast<UINT>(sizes.size());
  buffer.Sizes = sizes.data();
  buffer.TotalTensorSizeInBytes = (elements * element_bytes(type) + 3) / 4 * 4;
  desc = {DML_TENSOR_TYPE_BUFFER, &buffer};
}

ConvolutionDesc::ConvolutionDesc(DML_TENSOR_FLAGS filter_flags)
    : filter({1, 1, 2, 2}, filter_flags) {
  desc.InputTensor = &input;
  desc.FilterTensor = &filter;
  desc.OutputTensor = &output;
  desc.Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION;
  desc.Direction = DML_CONVOLUTION_DIRECTION_FORWARD;
  desc.DimensionCount = 2;
  desc.Strides = desc.Dilations = ones;
  desc.StartPadding = desc.EndPadding = desc.OutputPadding = zeros;
  desc.GroupCount = 1;
}

ReluDesc::ReluDesc(UINT count, DML_TENSOR_FLAGS input_flags)
    : input({count}, input_flags), output({count}) {
  desc.InputTensor = &input;
  desc.OutputTensor = &output;
}

ComPtr<IDMLOperator> create(Machine& machine, const DML_OPERATOR_DESC& desc) {
  ComPtr<IDMLOperator> op;
  EXPECT_OK(machine.dml->CreateOperator(&desc, IID_PPV_ARGS(&op)));
  return op;
}

ComPtr<IDMLCompiledOperator> compile(Machine& machine, const DML_OPERATOR_DESC& desc,
                                     DML_EXECUTION_FLAGS flags) {
  ComPtr<IDMLCompiledOperator> compiled;
  EXPECT_OK(
      machine.dml->CompileOperator(create(machine, desc).Get(), flags, IID_PPV_ARGS(&compiled)));
  return compiled;
}

Binding::Binding(ID3D12Resource* resource, std::uint64_t offset, std::uint64_t size)
    : buffer{resource, offset, size}, is_bound(true) {}

Binding::Binding(const ComPtr<ID3D12Resource>& resource)
    : Binding(resource.Get(), 0, resource->GetDesc().Width) {}

DML_BINDING_DESC Binding::desc() const {
  if (!is_bound) return {DML_BINDING_TYPE_NONE, nullptr};
  return {DML_BINDING_TYPE_BUFFER, &buffer};
}

ComPtr<IDMLBindingTable> table_for(Machine& machine, IDMLDispatchable* dispatchable) {
  const UINT count = dispatchable->GetBindingProperties().RequiredDescriptorCount;
  const auto handles = machine.descriptors(count);
  const DML_BINDING_TABLE_DESC desc = {dispatchable, handles.cpu, handles.gpu, count};
  ComPtr<IDMLBindingTable> table;
  EXPECT_OK(machine.dml->CreateBindingTable(&desc, IID_PPV_ARGS(&table)));
  return table;
}

namespace {

std::vector<DML_BINDING_DESC> descs_of(const std::vector<Binding>& bindings) {
  std::vector<DML_BINDING_DESC> descs;
  for (const Binding& binding : bindings) descs.push_back(binding.desc());
  return descs;
}

}  // namespace

void bind_inputs(IDMLBindingTable* table, const std::vector<Binding>& bindings) {
  const auto descs = descs_of(bindings);
  table->BindInputs(static_cast<UINT>(descs.size()), descs.data());
}

void bind_outputs(IDMLBindingTable* table, const std::vector<Binding>& bindings) {
  const auto descs = descs_of(bindings);
  table->BindOutputs(static_cast<UINT>(descs.size()), descs.data());
}

void initialize(Machine& machine, IDMLCompiledOperator* compiled,
                const std::vector<Binding>& inputs, ID3D12Resource* persistent) {
  ComPtr<IDMLOperatorInitializer> initializer;
  ASSERT_OK(machine.dml->CreateOperatorInitializer(1, &compiled, IID_PPV_ARGS(&initializer)));
  const auto table = table_for(machine, initializer.Get());
  std::vector<DML_BUFFER_BINDING> buffers;
  for (const Binding& input : inputs) buffers.push_back(input.buffer);
  const DML_BUFFER_ARRAY_BINDING array = {static_cast<UINT>(buffers.size()), buffers.data()};
  const DML_BINDING_DESC array_desc = {DML_BINDING_TYPE_BUFFER_ARRAY, &array};
  if (!buffers.empty()) table->BindInputs(1, &array_desc);
  if (persistent) {
    const Binding binding(persistent, 0, persistent->GetDesc().Width);
    bind_outputs(table.Get(), {binding});
  }
  machine.recorder->RecordDispatch(machine.list.Get(), initializer.Get(), table.Get());
  machine.execute();
  ASSERT_OK(machine.dml->GetDeviceRemovedReason());
}

ComPtr<ID3D12Resource> persistent_for(Machine& machine, IDMLCompiledOperator* compiled) {
  const std::uint64_t size = compiled->GetBindingProperties().PersistentResourceSize;
  return size != 0 ? machine.buffer(size) : nullptr;
}

BoundTable bind_all(Machine& machine, IDMLCompiledOperator* compiled,
                    const std::vector<Binding>& inputs, const std::vector<Binding>& outputs,
                    ID3D12Resource* persistent) {
  BoundTable bound;
  bound.table = table_for(machine, compiled);
  bind_inputs(bound.table.Get(), inputs);
  bind_outputs(bound.table.Get(), outputs);
  const std::uint64_t temporary = compiled->GetBindingProperties().TemporaryResourceSize;
  if (temporary != 0) {
    bound.temporary = machine.buffer(temporary);
    const Binding binding(bound.temporary);
    const DML_BINDING_DESC desc = binding.desc();
    bound.table->BindTemporaryResource(&desc);
  }
  if (persistent) {
    const Binding binding(persistent, 0, persistent->GetDesc().Width);
    const DML_BINDING_DESC desc = binding.desc();
    bound.table->BindPersistentResource(&desc);
  }
  return bound;
}

}  // namespace weft::testing
