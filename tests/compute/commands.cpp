#include "compute/commands.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::testing {

Commands::Commands(const ComputeDevice& device, ID3D12CommandQueue* queue)
    : device_(device), queue_(queue ? ComPtr<ID3D12CommandQueue>(queue) : device.make_queue()) {
  constexpr auto kType = D3D12_COMMAND_LIST_TYPE_COMPUTE;
  ID3D12Device* d3d12 = device.d3d12();
  WEFT_CHECK_HR(d3d12->CreateCommandAllocator(kType, IID_PPV_ARGS(&allocator_)));
  WEFT_CHECK_HR(
      d3d12->CreateCommandList(0, kType, allocator_.Get(), nullptr, IID_PPV_ARGS(&list_)));
  WEFT_CHECK_HR(device.dml()->CreateCommandRecorder(IID_PPV_ARGS(&recorder_)));
  fence_ = device.make_fence();
}

void Commands::upload(ID3D12Resource* target, std::span<const std::byte> bytes, UINT64 offset) {
  const ComPtr<ID3D12Resource> source = device_.make_buffer(bytes.size(), D3D12_HEAP_TYPE_UPLOAD);
  void* mapped = nullptr;
  const D3D12_RANGE nothing_read = {0, 0};
  WEFT_CHECK_HR(source->Map(0, &nothing_read, &mapped));
  std::memcpy(mapped, bytes.data(), bytes.size());
  source->Unmap(0, nullptr);
  list_->CopyBufferRegion(target, offset, source.Get(), 0, bytes.size());
  run();
}

std::vector<std::byte> Commands::download(ID3D12Resource* source) {
  const UINT64 size = source->GetDesc().Width;
  const ComPtr<ID3D12Resource> target = device_.make_buffer(size, D3D12_HEAP_TYPE_READBACK);
  list_->CopyResource(target.Get(), source);
  run();
  void* mapped = nullptr;
  WEFT_CHECK_HR(target->Map(0, nullptr, &mapped));
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), mapped, size);
  const D3D12_RANGE nothing_written = {0, 0};
  target->Unmap(0, &nothing_written);
  return bytes;
}

ComPtr<ID3D12Resource> Commands::make_buffer(std::span<const std::byte> bytes) {
  ComPtr<ID3D12Resource> buffer = device_.make_buffer(bytes.size());
  upload(buffer.Get(), bytes);
  return buffer;
}

ComPtr<ID3D12Resource> Commands::initialize(IDMLCompiledOperator* compiled,
                                            std::span<const Part> owned) {
  ComPtr<ID3D12Resource> persistent = record_initialization(compiled, owned);
  run();
  return persistent;
}

ComPtr<ID3D12Resource> Commands::record_initialization(IDMLCompiledOperator* compiled,
                                                       std::span<const Part> owned) {
  ComPtr<IDMLOperatorInitializer> initializer;
  WEFT_CHECK_HR(device_.dml()->CreateOperatorInitializer(1, &compiled, IID_PPV_ARGS(&initializer)));
  const UINT64 size = compiled->GetBindingProperties().PersistentResourceSize;
  ComPtr<ID3D12Resource> persistent = device_.make_buffer(size);

  IDMLBindingTable* table = make_table(initializer.Get());
  Bindings inputs;
  inputs.add_array(owned);
  table->BindInputs(inputs.count(), inputs.descs());
  const Part target[] = {{persistent.Get()}};
  const Bindings outputs(target);
  table->BindOutputs(outputs.count(), outputs.descs());
  bind_temporary(table, make_temporary(initializer.Get()));
  recorder_->RecordDispatch(list_.Get(), initializer.Get(), table);
  return persistent;
}

void Commands::record(const Dispatch& dispatch) {
  IDMLBindingTable* table = make_table(dispatch.compiled);
  ID3D12Resource* temporary = make_temporary(dispatch.compiled);
  if (dispatch.bind_late) recorder_->RecordDispatch(list_.Get(), dispatch.compiled, table);
  const Bindings inputs(dispatch.inputs);
  table->BindInputs(inputs.count(), inputs.descs());
  const Bindings outputs(dispatch.outputs);
  table->BindOutputs(outputs.count(), outputs.descs());
  const Part persistent_part[] = {dispatch.persistent};
  const Bindings persistent(persistent_part);
  table->BindPersistentResource(persistent.descs());
  bind_temporary(table, temporary);
  if (!dispatch.bind_late) recorder_->RecordDispatch(list_.Get(), dispatch.compiled, table);
}

void Commands::record_barrier() {
  D3D12_RESOURCE_BARRIER barrier = {};
  barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
  list_->ResourceBarrier(1, &barrier);
}

void Commands::run() {
  submit();
  finish();
}

void Commands::submit() {
  WEFT_CHECK_HR(list_->Close());
  ID3D12CommandList* lists[] = {list_.Get()};
  queue_->ExecuteCommandLists(1, lists);
  WEFT_CHECK_HR(queue_->Signal(fence_.Get(), ++runs_));
}

void Commands::finish() {
  WEFT_CHECK_HR(fence_->SetEventOnCompletion(runs_, nullptr));
  device_.check_not_removed();
  in_use_.clear();
  WEFT_CHECK_HR(allocator_->Reset());
  WEFT_CHECK_HR(list_->Reset(allocator_.Get(), nullptr));
}

IDMLBindingTable* Commands::make_table(IDMLDispatchable* dispatchable) {
  D3D12_DESCRIPTOR_HEAP_DESC heap_desc = {};
  heap_desc.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
  heap_desc.NumDescriptors =
      std::max(1u, dispatchable->GetBindingProperties().RequiredDescriptorCount);
  heap_desc.Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
  ComPtr<ID3D12DescriptorHeap> heap;
  WEFT_CHECK_HR(device_.d3d12()->CreateDescriptorHeap(&heap_desc, IID_PPV_ARGS(&heap)));
  ID3D12DescriptorHeap* heaps[] = {heap.Get()};
  list_->SetDescriptorHeaps(1, heaps);

  DML_BINDING_TABLE_DESC desc = {};
  desc.Dispatchable = dispatchable;
  desc.CPUDescriptorHandle = heap->GetCPUDescriptorHandleForHeapStart();
  desc.GPUDescriptorHandle = heap->GetGPUDescriptorHandleForHeapStart();
  desc.SizeInDescriptors = heap_desc.NumDescriptors;
  ComPtr<IDMLBindingTable> table;
  WEFT_CHECK_HR(device_.dml()->CreateBindingTable(&desc, IID_PPV_ARGS(&table)));
  keep(heap);
  keep(table);
  keep(dispatchable);
  return table.Get();
}

ID3D12Resource* Commands::make_temporary(IDMLDispatchable* dispatchable) {
  const UINT64 size = dispatchable->GetBindingProperties().TemporaryResourceSize;
  if (size == 0) return nullptr;
  const ComPtr<ID3D12Resource> buffer = device_.make_buffer(size);
  const ComPtr<ID3D12Resource> nans = device_.make_buffer(size, D3D12_HEAP_TYPE_UPLOAD);
  keep(buffer);
  keep(nans);
  void* mapped = nullptr;
  WEFT_CHECK_HR(nans->Map(0, nullptr, &mapped));
  std::memset(mapped, 0xff, size);
  nans->Unmap(0, nullptr);
  list_->CopyBufferRegion(buffer.Get(), 0, nans.Get(), 0, size);
  D3D12_RESOURCE_BARRIER barrier = {};
  barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
  barrier.Transition.pResource = buffer.Get();
  barrier.Transition.Subresource = D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
  barrier.Transition.StateBefore = D3D12_RESOURCE_STATE_COPY_DEST;
  barrier.Transition.StateAfter = D3D12_RESOURCE_STATE_UNORDERED_ACCESS;
  list_->ResourceBarrier(1, &barrier);
  return buffer.Get();
}

void Commands::bind_temporary(IDMLBindingTable* table, ID3D12Resource* temporary) {
  const Part part[] = {{temporary}};
  const Bindings binding(part);
  table->BindTemporaryResource(binding.descs());
}

}  // namespace weft::testing
