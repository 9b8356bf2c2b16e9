#pragma once

#include <DirectML.h>

#include <cstddef>
#include <span>
#include <vector>

#include "compute/bindings.h"
#include "compute/device.h"

namespace weft::testing {

// How an operator is bound for one dispatch.
struct Dispatch {
  IDMLCompiledOperator* compiled = nullptr;
  std::vector<Part> inputs;
  std::vector<Part> outputs;
  Part persistent;
  // Binds after RecordDispatch; `compiled` must have been compiled with DESCRIPTORS_VOLATILE.
  bool bind_late = false;
};

// A command list on a queue, open whenever nothing runs. One thread at a time.
//
// Every method that runs something waits until it has run.
class Commands {
 public:
  // Null: a queue of its own.
  explicit Commands(const ComputeDevice& device, ID3D12CommandQueue* queue = nullptr);

  // Copies through an UPLOAD heap; through a READBACK heap.
  void upload(ID3D12Resource* target, std::span<const std::byte> bytes, UINT64 offset = 0);
  std::vector<std::byte> download(ID3D12Resource* source);
  // A DEFAULT buffer that holds the bytes.
  ComPtr<ID3D12Resource> make_buffer(std::span<const std::byte> bytes);

  // Initializes one operator and gives its persistent resource (null where it needs none). `owned`:
  // one part an input, none where it is not owned by DirectML; empty when none is.
  ComPtr<ID3D12Resource> initialize(IDMLCompiledOperator* compiled,
                                    std::span<const Part> owned = {});

  // The same without running it.
  ComPtr<ID3D12Resource> record_initialization(IDMLCompiledOperator* compiled,
                                               std::span<const Part> owned = {});
  // Records one dispatch, with a temporary resource full of NaNs.
  void record(const Dispatch& dispatch);
  void record_barrier();

  // Runs what has been recorded: both of the next two.
  void run();
  // Hands it to the queue; fence() gets value() when it has run.
  void submit();
  // Waits until it has run and opens the list again.
  void finish();
  ID3D12Fence* fence() const { return fence_.Get(); }
  UINT64 value() const { return runs_; }

  ID3D12GraphicsCommandList* list() const { return list_.Get(); }
  ID3D12CommandQueue* queue() const { return queue_.Get(); }

 private:
  // A table over descriptors of its own, and a temporary resource full of NaNs, null where none is
  // needed. Both live until run() is over.
  IDMLBindingTable* make_table(IDMLDispatchable* dispatchable);
  ID3D12Resource* make_temporary(IDMLDispatchable* dispatchable);
  void bind_temporary(IDMLBindingTable* table, ID3D12Resource* temporary);
  void keep(ComPtr<IUnknown> object) { in_use_.push_back(std::move(object)); }

  const ComputeDevice& device_;
  ComPtr<ID3D12CommandQueue> queue_;
  ComPtr<ID3D12CommandAllocator> allocator_;
  ComPtr<ID3D12GraphicsCommandList> list_;
  ComPtr<ID3D12Fence> fence_;
  ComPtr<IDMLCommandRecorder> recorder_;
  UINT64 runs_ = 0;
  std::vector<ComPtr<IUnknown>> in_use_;
};

}  // namespace weft::testing
