#include "machine.h"

#include <stdexcept>

namespace weft::testing {

namespace {

constexpr UINT kDescriptorCount = 4096;

void check(HRESULT result, const char* what) {
  if (SUCCEEDED(result)) return;
  throw std::runtime_error(std::string(what) + " failed: " + std::to_string(result) + " " +
                           weft_last_error());
}

D3D12_RESOURCE_STATES first_state(D3D12_HEAP_TYPE heap) {
  if (heap == D3D12_HEAP_TYPE_UPLOAD) return D3D12_RESOURCE_STATE_GENERIC_READ;
  if (heap == D3D12_HEAP_TYPE_READBACK) return D3D12_RESOURCE_STATE_COPY_DEST;
  return D3D12_RESOURCE_STATE_COMMON;
}

}  // namespace

#define CHECK(call) check((call), #call)

Machine::Machine(const MachineOptions& options) {
  if (options.d3d12_debug_layer) {
    ComPtr<ID3D12Debug> debug;
    CHECK(D3D12GetDebugInterface(IID_PPV_ARGS(&debug)));
    debug->EnableDebugLayer();
  }
  CHECK(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&d3d12)));
  D3D12_COMMAND_QUEUE_DESC queue_desc = {};
  queue_desc.Type = options.list_type;
  CHECK(d3d12->CreateCommandQueue(&queue_desc, IID_PPV_ARGS(&queue)));
  CHECK(d3d12->CreateCommandAllocator(options.list_type, IID_PPV_ARGS(&allocator)));
  CHECK(d3d12->CreateCommandList(0, options.list_type, allocator.Get(), nullptr,
                                 IID_PPV_ARGS(&list)));
  CHECK(d3d12->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence)));
  D3D12_DESCRIPTOR_HEAP_DESC heap_desc = {};
  heap_desc.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
  heap_desc.NumDescriptors = kDescriptorCount;
  heap_desc.Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
  CHECK(d3d12->CreateDescriptorHeap(&heap_desc, IID_PPV_ARGS(&heap)));
  descriptor_size_ =
      d3d12->GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
  CHECK(DMLCreateDevice1(d3d12.Get(), options.flags, DML_FEATURE_LEVEL_1_0, IID_PPV_ARGS(&dml)));
  CHECK(dml->CreateCommandRecorder(IID_PPV_ARGS(&recorder)));
  ID3D12DescriptorHeap* heaps[] = {heap.Get()};
  if (options.list_type != D3D12_COMMAND_LIST_TYPE_COPY) list->SetDescriptorHeaps(1, heaps);
}

Machine::~Machine() = default;

ComPtr<ID3D12Resource> Machine::buffer(std::uint64_t size_in_bytes, D3D12_HEAP_TYPE heap_type,
                                       D3D12_RESOURCE_FLAGS flags) {
  D3D12_HEAP_PROPERTIES properties = {};
  properties.Type = heap_type;
  properties.CreationNodeMask = properties.VisibleNodeMask = 1;
  D3D12_RESOURCE_DESC desc = {};
  desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
  desc.Width = size_in_bytes;
  desc.Height = desc.DepthOrArraySize = desc.MipLevels = 1;
  desc.SampleDesc.Count = 1;
  desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
  const bool is_default = heap_type == D3D12_HEAP_TYPE_DEFAULT;
  desc.Flags = is_default ? flags : D3D12_RESOURCE_FLAG_NONE;
  ComPtr<ID3D12Resource> result;
  CHECK(d3d12->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc,
                                       first_state(heap_type), nullptr, IID_PPV_ARGS(&result)));
  return result;
}

ComPtr<ID3D12Resource> Machine::buffer_of(std::span<const float> values) {
  auto result = buffer(values.size_bytes());
  write(result.Get(), values);
  return result;
}

void Machine::write(ID3D12Resource* resource, std::span<const std::byte> bytes) {
  const auto upload = buffer(bytes.size(), D3D12_HEAP_TYPE_UPLOAD);
  void* memory = nullptr;
  CHECK(upload->Map(0, nullptr, &memory));
  std::memcpy(memory, bytes.data(), bytes.size());
  upload->Unmap(0, nullptr);
  list->CopyBufferRegion(resource, 0, upload.Get(), 0, bytes.size());
  execute();
}

std::vector<float> Machine::read(ID3D12Resource* resource, std::size_t count) {
  const auto readback = buffer(count * sizeof(float), D3D12_HEAP_TYPE_READBACK);
  list->CopyBufferRegion(readback.Get(), 0, resource, 0, count * sizeof(float));
  execute();
  std::vector<float> values(count);
  void* memory = nullptr;
  CHECK(readback->Map(0, nullptr, &memory));
  std::memcpy(values.data(), memory, count * sizeof(float));
  readback->Unmap(0, nullptr);
  return values;
}

void Machine::submit() {
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
}

void Machine::wait() {
  CHECK(queue->Signal(fence.Get(), ++fence_value_));
  CHECK(fence->SetEventOnCompletion(fence_value_, nullptr));
}

void Machine::open() {
  CHECK(allocator->Reset());
  CHECK(list->Reset(allocator.Get(), nullptr));
  ID3D12DescriptorHeap* heaps[] = {heap.Get()};
  list->SetDescriptorHeaps(1, heaps);
}

void Machine::execute() {
  CHECK(list->Close());
  submit();
  wait();
  open();
}

Machine::Descriptors Machine::descriptors(UINT count) {
  Descriptors result = {heap->GetCPUDescriptorHandleForHeapStart(),
                        heap->GetGPUDescriptorHandleForHeapStart()};
  const std::uint64_t offset = std::uint64_t{used_descriptors_} * descriptor_size_;
  result.cpu.ptr += offset;
  result.gpu.ptr += offset;
  used_descriptors_ += count;
  return result;
}

}  // namespace weft::testing
