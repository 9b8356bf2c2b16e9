// A program that loads libdirectml.so with dlopen and closes it before it is done with Direct3D 12.

#include <DirectML.h>
#include <dlfcn.h>
#include <dmlguids.h>
#include <gtest/gtest.h>
#include <wrl/client.h>

namespace {

using Microsoft::WRL::ComPtr;

// Leaves bindings in the heap: the application's heap outlives the table that wrote them.
void bind_and_leave(ID3D12Device* d3d12, ID3D12DescriptorHeap* heap, ID3D12Resource* buffer,
                    ID3D12GraphicsCommandList* list, void* library) {
  const auto create =
      reinterpret_cast<decltype(&DMLCreateDevice)>(dlsym(library, "DMLCreateDevice"));
  ASSERT_NE(create, nullptr);
  ComPtr<IDMLDevice> dml;
  ASSERT_EQ(create(d3d12, DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&dml)), S_OK);
  const UINT sizes[] = {4};
  const DML_BUFFER_TENSOR_DESC tensor = {
      DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 1, sizes, nullptr, 16, 0};
  const DML_TENSOR_DESC desc = {DML_TENSOR_TYPE_BUFFER, &tensor};
  const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {&desc, &desc};
  const DML_OPERATOR_DESC op_desc = {DML_OPERATOR_ACTIVATION_RELU, &relu};
  ComPtr<IDMLOperator> op;
  ASSERT_EQ(dml->CreateOperator(&op_desc, IID_PPV_ARGS(&op)), S_OK);
  ComPtr<IDMLCompiledOperator> compiled;
  ASSERT_EQ(dml->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)), S_OK);
  const DML_BINDING_TABLE_DESC table_desc = {
      compiled.Get(), heap->GetCPUDescriptorHandleForHeapStart(),
      heap->GetGPUDescriptorHandleForHeapStart(),
      compiled->GetBindingProperties().RequiredDescriptorCount};
  ComPtr<IDMLBindingTable> table;
  ASSERT_EQ(dml->CreateBindingTable(&table_desc, IID_PPV_ARGS(&table)), S_OK);
  const DML_BUFFER_BINDING binding = {buffer, 0, 16};
  const DML_BINDING_DESC bound = {DML_BINDING_TYPE_BUFFER, &binding};
  table->BindInputs(1, &bound);
  table->BindOutputs(1, &bound);
  ComPtr<IDMLCommandRecorder> recorder;
  ASSERT_EQ(dml->CreateCommandRecorder(IID_PPV_ARGS(&recorder)), S_OK);
  recorder->RecordDispatch(list, compiled.Get(), table.Get());
  ASSERT_EQ(dml->GetDeviceRemovedReason(), S_OK);
}

TEST(Unload, BeforeTheHeapAndTheListAreReleased) {
  ComPtr<ID3D12Device> d3d12;
  ASSERT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&d3d12)), S_OK);
  D3D12_DESCRIPTOR_HEAP_DESC heap_desc = {};
  heap_desc.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
  heap_desc.NumDescriptors = 8;
  heap_desc.Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
  ComPtr<ID3D12DescriptorHeap> heap;
  ASSERT_EQ(d3d12->CreateDescriptorHeap(&heap_desc, IID_PPV_ARGS(&heap)), S_OK);
  ComPtr<ID3D12CommandAllocator> allocator;
  ASSERT_EQ(d3d12->CreateCommandAllocator(D3D12_COMMAND_LIST_TYPE_DIRECT, IID_PPV_ARGS(&allocator)),
            S_OK);
  ComPtr<ID3D12GraphicsCommandList> list;
  ASSERT_EQ(d3d12->CreateCommandList(0, D3D12_COMMAND_LIST_TYPE_DIRECT, allocator.Get(), nullptr,
                                     IID_PPV_ARGS(&list)),
            S_OK);
  ID3D12DescriptorHeap* const heaps[] = {heap.Get()};
  list->SetDescriptorHeaps(1, heaps);
  D3D12_HEAP_PROPERTIES properties = {};
  properties.Type = D3D12_HEAP_TYPE_DEFAULT;
  D3D12_RESOURCE_DESC desc = {};
  desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
  desc.Width = 16;
  desc.Height = desc.DepthOrArraySize = desc.MipLevels = 1;
  desc.SampleDesc.Count = 1;
  desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
  desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
  ComPtr<ID3D12Resource> buffer;
  ASSERT_EQ(
      d3d12->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc,
                                     D3D12_RESOURCE_STATE_COMMON, nullptr, IID_PPV_ARGS(&buffer)),
      S_OK);

  void* library = dlopen(WEFT_DIRECTML_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  bind_and_leave(d3d12.Get(), heap.Get(), buffer.Get(), list.Get(), library);
  ASSERT_EQ(dlclose(library), 0);
  list.Reset();
  allocator.Reset();
  heap.Reset();
}

}  // namespace
