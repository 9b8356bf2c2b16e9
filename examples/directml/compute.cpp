#include "compute.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

namespace {

// A binding and the desc that points to it. A desc of nothing where there is no buffer.
struct Binding {
  DML_BUFFER_BINDING buffer;

  explicit Binding(ID3D12Resource* resource)
      : buffer{resource, 0, resource ? resource->GetDesc().Width : 0} {}
  DML_BINDING_DESC desc() const {
    if (!buffer.Buffer) return {DML_BINDING_TYPE_NONE, nullptr};
    return {DML_BINDING_TYPE_BUFFER, &buffer};
  }
};

// Bindings of a list of buffers, and descs that point to them.
class Bindings {
 public:
  explicit Bindings(const Compute::Buffers& buffers) {
    for (const auto& buffer : buffers) bindings_.emplace_back(buffer.Get());
    for (const Binding& binding : bindings_) descs_.push_back(binding.desc());
  }
  UINT count() const { return static_cast<UINT>(descs_.size()); }
  const DML_BINDING_DESC* descs() const { return descs_.data(); }

 private:
  std::vector<Binding> bindings_;
  std::vector<DML_BINDING_DESC> descs_;
};

}  // namespace

void check(HRESULT result, const char* what) {
  if (SUCCEEDED(result)) return;
  std::fprintf(stderr, "%s failed: 0x%08X\n", what, static_cast<unsigned>(result));
  std::exit(1);
}

Tensor::Tensor(std::vector<UINT> sizes, DML_TENSOR_FLAGS flags) : sizes_(std::move(sizes)) {
  buffer_.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
  buffer_.Flags = flags;
  buffer_.DimensionCount = static_cast<UINT>(sizes_.size());
  buffer_.Sizes = sizes_.data();
  buffer_.TotalTensorSizeInBytes =
      std::accumulate(sizes_.begin(), sizes_.end(), UINT64{sizeof(float)}, std::multiplies<>());
  desc_ = {DML_TENSOR_TYPE_BUFFER, &buffer_};
}

Compute::Compute() {
  CHECK(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_1_0_CORE, IID_PPV_ARGS(&device_)));
  CHECK(DMLCreateDevice1(device_.Get(), DML_CREATE_DEVICE_FLAG_NONE, DML_FEATURE_LEVEL_6_2,
                         IID_PPV_ARGS(&dml_)));
  D3D12_COMMAND_QUEUE_DESC desc = {};
  desc.Type = D3D12_COMMAND_LIST_TYPE_COMPUTE;
  CHECK(device_->CreateCommandQueue(&desc, IID_PPV_ARGS(&queue_)));
  CHECK(device_->CreateCommandAllocator(desc.Type, IID_PPV_ARGS(&allocator_)));
  CHECK(device_->CreateCommandList(0, desc.Type, allocator_.Get(), nullptr, IID_PPV_ARGS(&list_)));
  CHECK(device_->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence_)));
  CHECK(dml_->CreateCommandRecorder(IID_PPV_ARGS(&recorder_)));
}

ComPtr<ID3D12Resource> Compute::make_buffer(D3D12_HEAP_TYPE type, D3D12_RESOURCE_STATES state,
                                            UINT64 size_in_bytes) const {
  D3D12_HEAP_PROPERTIES heap = {};
  heap.Type = type;
  D3D12_RESOURCE_DESC desc = {};
  desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
  desc.Width = size_in_bytes;
  desc.Height = desc.DepthOrArraySize = desc.MipLevels = 1;
  desc.SampleDesc.Count = 1;
  desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
  if (type == D3D12_HEAP_TYPE_DEFAULT) desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
  ComPtr<ID3D12Resource> buffer;
  CHECK(device_->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc, state, nullptr,
                                         IID_PPV_ARGS(&buffer)));
  return buffer;
}

ComPtr<ID3D12Resource> Compute::make_buffer(UINT64 size_in_bytes) const {
  if (size_in_bytes == 0) return nullptr;
  return make_buffer(D3D12_HEAP_TYPE_DEFAULT, D3D12_RESOURCE_STATE_COMMON, size_in_bytes);
}

// Outside of command lists a buffer is in the state COMMON, from which its first use in a list
// takes it elsewhere. A copy thus gets a list of its own.
void Compute::copy(ID3D12Resource* destination, ID3D12Resource* source) {
  list_->CopyResource(destination, source);
  execute();
}

ComPtr<ID3D12Resource> Compute::make_buffer(const std::vector<float>& values) {
  const UINT64 size = values.size() * sizeof(float);
  const ComPtr<ID3D12Resource> upload =
      make_buffer(D3D12_HEAP_TYPE_UPLOAD, D3D12_RESOURCE_STATE_GENERIC_READ, size);
  void* memory = nullptr;
  CHECK(upload->Map(0, nullptr, &memory));
  std::memcpy(memory, values.data(), size);
  upload->Unmap(0, nullptr);
  ComPtr<ID3D12Resource> buffer = make_buffer(size);
  copy(buffer.Get(), upload.Get());
  return buffer;
}

std::vector<float> Compute::read(ID3D12Resource* buffer) {
  const UINT64 size = buffer->GetDesc().Width;
  const ComPtr<ID3D12Resource> readback =
      make_buffer(D3D12_HEAP_TYPE_READBACK, D3D12_RESOURCE_STATE_COPY_DEST, size);
  copy(readback.Get(), buffer);
  std::vector<float> values(size / sizeof(float));
  void* memory = nullptr;
  CHECK(readback->Map(0, nullptr, &memory));
  std::memcpy(values.data(), memory, size);
  const D3D12_RANGE nothing = {0, 0};
  readback->Unmap(0, &nothing);
  return values;
}

// A table over descriptors of its own, with scratch memory of its own.
ComPtr<IDMLBindingTable> Compute::make_table(IDMLDispatchable* dispatchable) {
  const DML_BINDING_PROPERTIES needs = dispatchable->GetBindingProperties();
  D3D12_DESCRIPTOR_HEAP_DESC heap_desc = {};
  heap_desc.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
  heap_desc.NumDescriptors = std::max(needs.RequiredDescriptorCount, 1u);
  heap_desc.Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
  ComPtr<ID3D12DescriptorHeap> heap;
  CHECK(device_->CreateDescriptorHeap(&heap_desc, IID_PPV_ARGS(&heap)));
  ID3D12DescriptorHeap* const heaps[] = {heap.Get()};
  list_->SetDescriptorHeaps(1, heaps);

  DML_BINDING_TABLE_DESC desc = {};
  desc.Dispatchable = dispatchable;
  desc.CPUDescriptorHandle = heap->GetCPUDescriptorHandleForHeapStart();
  desc.GPUDescriptorHandle = heap->GetGPUDescriptorHandleForHeapStart();
  desc.SizeInDescriptors = needs.RequiredDescriptorCount;
  ComPtr<IDMLBindingTable> table;
  CHECK(dml_->CreateBindingTable(&desc, IID_PPV_ARGS(&table)));
  const ComPtr<ID3D12Resource> temporary = make_buffer(needs.TemporaryResourceSize);
  if (temporary) {
    const Binding binding(temporary.Get());
    const DML_BINDING_DESC binding_desc = binding.desc();
    table->BindTemporaryResource(&binding_desc);
  }
  in_use_.insert(in_use_.end(), {heap, temporary});
  return table;
}

Compute::Buffers Compute::initialize(const std::vector<IDMLCompiledOperator*>& operators,
                                     const std::vector<Buffers>& owned) {
  const UINT count = static_cast<UINT>(operators.size());
  ComPtr<IDMLOperatorInitializer> initializer;
  CHECK(dml_->CreateOperatorInitializer(count, operators.data(), IID_PPV_ARGS(&initializer)));
  const ComPtr<IDMLBindingTable> table = make_table(initializer.Get());

  std::vector<std::vector<DML_BUFFER_BINDING>> bindings(count);
  std::vector<DML_BUFFER_ARRAY_BINDING> arrays(count);
  std::vector<DML_BINDING_DESC> inputs(count);
  for (UINT i = 0; i < count; ++i) {
    for (const auto& buffer : owned[i]) bindings[i].push_back(Binding(buffer.Get()).buffer);
    arrays[i] = {static_cast<UINT>(bindings[i].size()), bindings[i].data()};
    inputs[i] = {DML_BINDING_TYPE_NONE, nullptr};
    if (!bindings[i].empty()) inputs[i] = {DML_BINDING_TYPE_BUFFER_ARRAY, &arrays[i]};
  }
  table->BindInputs(count, inputs.data());

  Buffers persistent;
  for (IDMLCompiledOperator* compiled : operators) {
    persistent.push_back(make_buffer(compiled->GetBindingProperties().PersistentResourceSize));
  }
  const Bindings outputs(persistent);
  table->BindOutputs(outputs.count(), outputs.descs());
  recorder_->RecordDispatch(list_.Get(), initializer.Get(), table.Get());
  in_use_.push_back(initializer);
  execute();
  return persistent;
}

void Compute::dispatch(IDMLCompiledOperator* compiled, const Buffers& inputs,
                       const Buffers& outputs, ID3D12Resource* persistent) {
  const ComPtr<IDMLBindingTable> table = make_table(compiled);
  const Bindings input_bindings(inputs);
  const Bindings output_bindings(outputs);
  table->BindInputs(input_bindings.count(), input_bindings.descs());
  table->BindOutputs(output_bindings.count(), output_bindings.descs());
  if (persistent) {
    const Binding binding(persistent);
    const DML_BINDING_DESC desc = binding.desc();
    table->BindPersistentResource(&desc);
  }
  recorder_->RecordDispatch(list_.Get(), compiled, table.Get());
  barrier();
}

// What comes after waits for the results of what came before.
void Compute::barrier() {
  D3D12_RESOURCE_BARRIER barrier = {};
  barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
  list_->ResourceBarrier(1, &barrier);
}

void Compute::execute() {
  CHECK(list_->Close());
  ID3D12CommandList* const lists[] = {list_.Get()};
  queue_->ExecuteCommandLists(1, lists);
  CHECK(queue_->Signal(fence_.Get(), ++executions_));
  CHECK(fence_->SetEventOnCompletion(executions_, nullptr));  // blocks
  CHECK(dml_->GetDeviceRemovedReason());
  CHECK(allocator_->Reset());
  CHECK(list_->Reset(allocator_.Get(), nullptr));
  in_use_.clear();
}
