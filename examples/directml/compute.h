#pragma once

// The Direct3D 12 around the DirectML programs of this folder, so that they can speak of DirectML
// alone. minimal.cpp shows the same without this help.

#include <DirectML.h>
#include <wrl/client.h>

#include <vector>

using Microsoft::WRL::ComPtr;

// Prints what failed and ends the program.
void check(HRESULT result, const char* what);
#define CHECK(call) check((call), #call)

// A packed float32 tensor's desc; it owns all that the desc points to.
class Tensor {
 public:
  explicit Tensor(std::vector<UINT> sizes, DML_TENSOR_FLAGS flags = DML_TENSOR_FLAG_NONE);
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  const DML_TENSOR_DESC* desc() const { return &desc_; }
  UINT64 size_in_bytes() const { return buffer_.TotalTensorSizeInBytes; }

 private:
  std::vector<UINT> sizes_;
  DML_BUFFER_TENSOR_DESC buffer_ = {};
  DML_TENSOR_DESC desc_ = {};
};

// Devices, a queue, and one command list that is open whenever nothing runs.
class Compute {
 public:
  Compute();

  IDMLDevice1* dml() const { return dml_.Get(); }

  // A buffer for tensors, or none for size 0.
  ComPtr<ID3D12Resource> make_buffer(UINT64 size_in_bytes) const;
  ComPtr<ID3D12Resource> make_buffer(const std::vector<float>& values);
  std::vector<float> read(ID3D12Resource* buffer);

  // Runs the initializer of all these operators. One array for each operator, with a buffer (or
  // none) for each of its inputs; an empty array where an operator owns nothing. Gives their
  // persistent resources.
  using Buffers = std::vector<ComPtr<ID3D12Resource>>;
  Buffers initialize(const std::vector<IDMLCompiledOperator*>& operators,
                     const std::vector<Buffers>& owned);

  // Puts an operator into the command list. Null inputs are not bound.
  void dispatch(IDMLCompiledOperator* compiled, const Buffers& inputs, const Buffers& outputs,
                ID3D12Resource* persistent);

  // Runs what is in the command list, to the end.
  void execute();

 private:
  ComPtr<ID3D12Resource> make_buffer(D3D12_HEAP_TYPE type, D3D12_RESOURCE_STATES state,
                                     UINT64 size_in_bytes) const;
  void copy(ID3D12Resource* destination, ID3D12Resource* source);
  ComPtr<IDMLBindingTable> make_table(IDMLDispatchable* dispatchable);
  void barrier();

  ComPtr<ID3D12Device> device_;
  ComPtr<IDMLDevice1> dml_;
  ComPtr<ID3D12CommandQueue> queue_;
  ComPtr<ID3D12CommandAllocator> allocator_;
  ComPtr<ID3D12GraphicsCommandList> list_;
  ComPtr<ID3D12Fence> fence_;
  UINT64 executions_ = 0;
  ComPtr<IDMLCommandRecorder> recorder_;
  std::vector<ComPtr<IUnknown>> in_use_;  // until execute() is over
};
