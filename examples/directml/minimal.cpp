// The smallest whole DirectML program: one operator, from nothing to a printed result.
//
// Cuts a 5x5 image, padded by a row above and below, into its 3x3 windows (UNFOLD). The lines that
// any DirectML program has, in order: device, operator, compile, initialize, bind, dispatch, read.

#include <DirectML.h>
#include <wrl/client.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

using Microsoft::WRL::ComPtr;

namespace {

void check(HRESULT result, const char* what) {
  if (SUCCEEDED(result)) return;
  std::fprintf(stderr, "%s failed: 0x%08X\n", what, static_cast<unsigned>(result));
  std::exit(1);
}
#define CHECK(call) check((call), #call)

ComPtr<ID3D12Resource> make_buffer(ID3D12Device* device, D3D12_HEAP_TYPE type,
                                   D3D12_RESOURCE_STATES state, UINT64 size_in_bytes) {
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
  CHECK(device->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc, state, nullptr,
                                        IID_PPV_ARGS(&buffer)));
  return buffer;
}

// The tensor desc points to the other two: they must outlive it.
struct Tensor {
  std::vector<UINT> sizes;
  DML_BUFFER_TENSOR_DESC buffer = {};
  DML_TENSOR_DESC desc = {};

  explicit Tensor(std::vector<UINT> of_sizes) : sizes(std::move(of_sizes)) {
    buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    buffer.DimensionCount = static_cast<UINT>(sizes.size());
    buffer.Sizes = sizes.data();
    buffer.TotalTensorSizeInBytes =
        std::accumulate(sizes.begin(), sizes.end(), UINT64{sizeof(float)}, std::multiplies<>());
    desc = {DML_TENSOR_TYPE_BUFFER, &buffer};
  }
  Tensor(const Tensor&) = delete;
};

}  // namespace

int main() {
  // A device of each kind, a queue, and a list of commands for it.
  ComPtr<ID3D12Device> device;
  CHECK(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_1_0_CORE, IID_PPV_ARGS(&device)));
  ComPtr<IDMLDevice> dml;
  CHECK(DMLCreateDevice(device.Get(), DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&dml)));

  D3D12_COMMAND_QUEUE_DESC queue_desc = {};
  queue_desc.Type = D3D12_COMMAND_LIST_TYPE_COMPUTE;
  ComPtr<ID3D12CommandQueue> queue;
  CHECK(device->CreateCommandQueue(&queue_desc, IID_PPV_ARGS(&queue)));
  ComPtr<ID3D12CommandAllocator> allocator;
  CHECK(device->CreateCommandAllocator(queue_desc.Type, IID_PPV_ARGS(&allocator)));
  ComPtr<ID3D12GraphicsCommandList> list;
  CHECK(
      device->CreateCommandList(0, queue_desc.Type, allocator.Get(), nullptr, IID_PPV_ARGS(&list)));

  // The operator: what to compute.
  Tensor input({1, 1, 5, 5});
  Tensor output({1, 9, 15});  // 9 elements a window, 5 x 3 windows
  const UINT window[] = {3, 3};
  const UINT ones[] = {1, 1};
  const UINT padding[] = {1, 0};
  DML_UNFOLD_OPERATOR_DESC unfold = {};
  unfold.InputTensor = &input.desc;
  unfold.OutputTensor = &output.desc;
  unfold.DimensionCount = 2;
  unfold.WindowSizes = window;
  unfold.Strides = unfold.Dilations = ones;
  unfold.StartPadding = unfold.EndPadding = padding;
  const DML_OPERATOR_DESC operator_desc = {DML_OPERATOR_UNFOLD, &unfold};
  ComPtr<IDMLOperator> op;
  CHECK(dml->CreateOperator(&operator_desc, IID_PPV_ARGS(&op)));

  // Compiled, it can be dispatched; but first it wants to be initialized.
  ComPtr<IDMLCompiledOperator> compiled;
  CHECK(dml->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));
  IDMLCompiledOperator* const all[] = {compiled.Get()};
  ComPtr<IDMLOperatorInitializer> initializer;
  CHECK(dml->CreateOperatorInitializer(1, all, IID_PPV_ARGS(&initializer)));

  // Memory: descriptors for the bindings, scratch memory, and what the operator keeps.
  const DML_BINDING_PROPERTIES before = initializer->GetBindingProperties();
  const DML_BINDING_PROPERTIES needs = compiled->GetBindingProperties();
  D3D12_DESCRIPTOR_HEAP_DESC heap_desc = {};
  heap_desc.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
  heap_desc.NumDescriptors = before.RequiredDescriptorCount + needs.RequiredDescriptorCount;
  heap_desc.Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
  ComPtr<ID3D12DescriptorHeap> heap;
  CHECK(device->CreateDescriptorHeap(&heap_desc, IID_PPV_ARGS(&heap)));
  const auto default_buffer = [&](UINT64 size_in_bytes) {
    ComPtr<ID3D12Resource> buffer;
    if (size_in_bytes == 0) return buffer;
    return make_buffer(device.Get(), D3D12_HEAP_TYPE_DEFAULT, D3D12_RESOURCE_STATE_COMMON,
                       size_in_bytes);
  };
  const UINT64 input_size = input.buffer.TotalTensorSizeInBytes;
  const UINT64 output_size = output.buffer.TotalTensorSizeInBytes;
  const ComPtr<ID3D12Resource> input_buffer = default_buffer(input_size);
  const ComPtr<ID3D12Resource> output_buffer = default_buffer(output_size);
  const ComPtr<ID3D12Resource> initializer_temporary = default_buffer(before.TemporaryResourceSize);
  const ComPtr<ID3D12Resource> temporary = default_buffer(needs.TemporaryResourceSize);
  const ComPtr<ID3D12Resource> persistent = default_buffer(needs.PersistentResourceSize);

  // The image: 0 to 24.
  const ComPtr<ID3D12Resource> upload = make_buffer(device.Get(), D3D12_HEAP_TYPE_UPLOAD,
                                                    D3D12_RESOURCE_STATE_GENERIC_READ, input_size);
  void* memory = nullptr;
  CHECK(upload->Map(0, nullptr, &memory));
  std::iota(static_cast<float*>(memory), static_cast<float*>(memory) + 25, 0.0f);
  upload->Unmap(0, nullptr);
  list->CopyResource(input_buffer.Get(), upload.Get());
  D3D12_RESOURCE_BARRIER barrier = {};
  barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
  barrier.Transition = {input_buffer.Get(), D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES,
                        D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_UNORDERED_ACCESS};
  list->ResourceBarrier(1, &barrier);

  // Initialize, then execute: a binding table for each, over its own part of the descriptor heap.
  ComPtr<IDMLCommandRecorder> recorder;
  CHECK(dml->CreateCommandRecorder(IID_PPV_ARGS(&recorder)));
  ID3D12DescriptorHeap* const heaps[] = {heap.Get()};
  list->SetDescriptorHeaps(1, heaps);
  DML_BINDING_TABLE_DESC table_desc = {};
  table_desc.Dispatchable = initializer.Get();
  table_desc.CPUDescriptorHandle = heap->GetCPUDescriptorHandleForHeapStart();
  table_desc.GPUDescriptorHandle = heap->GetGPUDescriptorHandleForHeapStart();
  table_desc.SizeInDescriptors = before.RequiredDescriptorCount;
  ComPtr<IDMLBindingTable> table;
  CHECK(dml->CreateBindingTable(&table_desc, IID_PPV_ARGS(&table)));
  const DML_BUFFER_BINDING persistent_binding = {persistent.Get(), 0, needs.PersistentResourceSize};
  const DML_BINDING_DESC persistent_desc = {
      persistent ? DML_BINDING_TYPE_BUFFER : DML_BINDING_TYPE_NONE,
      persistent ? &persistent_binding : nullptr};
  if (initializer_temporary) {
    const DML_BUFFER_BINDING binding = {initializer_temporary.Get(), 0,
                                        before.TemporaryResourceSize};
    const DML_BINDING_DESC desc = {DML_BINDING_TYPE_BUFFER, &binding};
    table->BindTemporaryResource(&desc);
  }
  if (persistent) table->BindOutputs(1, &persistent_desc);
  recorder->RecordDispatch(list.Get(), initializer.Get(), table.Get());
  barrier = {};
  barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;  // what comes now waits for what came before
  list->ResourceBarrier(1, &barrier);

  const SIZE_T step = device->GetDescriptorHandleIncrementSize(heap_desc.Type);
  table_desc.Dispatchable = compiled.Get();
  table_desc.CPUDescriptorHandle.ptr += step * before.RequiredDescriptorCount;
  table_desc.GPUDescriptorHandle.ptr += step * before.RequiredDescriptorCount;
  table_desc.SizeInDescriptors = needs.RequiredDescriptorCount;
  CHECK(table->Reset(&table_desc));
  const DML_BUFFER_BINDING input_binding = {input_buffer.Get(), 0, input_size};
  const DML_BUFFER_BINDING output_binding = {output_buffer.Get(), 0, output_size};
  const DML_BINDING_DESC input_desc = {DML_BINDING_TYPE_BUFFER, &input_binding};
  const DML_BINDING_DESC output_desc = {DML_BINDING_TYPE_BUFFER, &output_binding};
  table->BindInputs(1, &input_desc);
  table->BindOutputs(1, &output_desc);
  if (persistent) table->BindPersistentResource(&persistent_desc);
  if (temporary) {
    const DML_BUFFER_BINDING binding = {temporary.Get(), 0, needs.TemporaryResourceSize};
    const DML_BINDING_DESC desc = {DML_BINDING_TYPE_BUFFER, &binding};
    table->BindTemporaryResource(&desc);
  }
  recorder->RecordDispatch(list.Get(), compiled.Get(), table.Get());

  // Back to where the processor can read it.
  const ComPtr<ID3D12Resource> readback = make_buffer(device.Get(), D3D12_HEAP_TYPE_READBACK,
                                                      D3D12_RESOURCE_STATE_COPY_DEST, output_size);
  barrier = {};
  barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
  barrier.Transition = {output_buffer.Get(), D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES,
                        D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE};
  list->ResourceBarrier(1, &barrier);
  list->CopyResource(readback.Get(), output_buffer.Get());

  // Nothing has run yet. Now it does.
  CHECK(list->Close());
  ID3D12CommandList* const lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  ComPtr<ID3D12Fence> fence;
  CHECK(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence)));
  CHECK(queue->Signal(fence.Get(), 1));
  CHECK(fence->SetEventOnCompletion(1, nullptr));  // blocks
  CHECK(dml->GetDeviceRemovedReason());

  CHECK(readback->Map(0, nullptr, &memory));
  for (int row = 0; row < 9; ++row) {
    for (int column = 0; column < 15; ++column) {
      std::printf("%4g", static_cast<double>(static_cast<float*>(memory)[row * 15 + column]));
    }
    std::printf("\n");
  }
  readback->Unmap(0, nullptr);
}
