#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "d3d12/command_list_stubs.h"
#include "d3d12/commands.h"
#include "d3d12/device_child.h"
#include "d3d12/resource.h"

namespace weft::d3d12 {

// Records commands. A wrong argument is reported at once and makes Close() fail; commands on a
// closed list are reported and dropped. One thread at a time, as in D3D12.
class CommandList final
    : public DeviceChild<
          CommandList, CommandListStubs, ID3D12GraphicsCommandList8, ID3D12GraphicsCommandList7,
          ID3D12GraphicsCommandList6, ID3D12GraphicsCommandList5, ID3D12GraphicsCommandList4,
          ID3D12GraphicsCommandList3, ID3D12GraphicsCommandList2, ID3D12GraphicsCommandList1,
          ID3D12GraphicsCommandList, ID3D12CommandList, IWorkList> {
 public:
  // Closed, with nothing recorded.
  CommandList(Device& device, D3D12_COMMAND_LIST_TYPE type) : DeviceChild(device), type_(type) {}
  ~CommandList() override { stop_recording(); }

  // Begins recording. Throws com::Failure.
  void open(ID3D12CommandAllocator* allocator, ID3D12PipelineState* pipeline);

  // What a queue executes. Throws com::Failure when the list is open, did not close well, or its
  // allocator was reset since.
  Submission submission();

  D3D12_COMMAND_LIST_TYPE GetType() override { return type_; }
  HRESULT Close() override;
  HRESULT Reset(ID3D12CommandAllocator* allocator, ID3D12PipelineState* pipeline) override;

  void ClearState(ID3D12PipelineState* pipeline) override;
  void SetDescriptorHeaps(UINT count, ID3D12DescriptorHeap* const* heaps) override;
  void ResourceBarrier(UINT count, const D3D12_RESOURCE_BARRIER* barriers) override;
  void CopyResource(ID3D12Resource* target, ID3D12Resource* source) override;
  void CopyBufferRegion(ID3D12Resource* target, UINT64 target_offset, ID3D12Resource* source,
                        UINT64 source_offset, UINT64 size) override;
  void ClearUnorderedAccessViewUint(D3D12_GPU_DESCRIPTOR_HANDLE gpu_slot,
                                    D3D12_CPU_DESCRIPTOR_HANDLE cpu_slot, ID3D12Resource* resource,
                                    const UINT values[4], UINT rect_count,
                                    const D3D12_RECT* rects) override;
  void ClearUnorderedAccessViewFloat(D3D12_GPU_DESCRIPTOR_HANDLE gpu_slot,
                                     D3D12_CPU_DESCRIPTOR_HANDLE cpu_slot, ID3D12Resource* resource,
                                     const FLOAT values[4], UINT rect_count,
                                     const D3D12_RECT* rects) override;
  void EndQuery(ID3D12QueryHeap* heap, D3D12_QUERY_TYPE type, UINT index) override;
  void ResolveQueryData(ID3D12QueryHeap* heap, D3D12_QUERY_TYPE type, UINT first, UINT count,
                        ID3D12Resource* target, UINT64 target_offset) override;
  // Nothing has to be done for these.
  void DiscardResource(ID3D12Resource*, const D3D12_DISCARD_REGION*) override {}
  void SetMarker(UINT, const void*, UINT) override {}
  void BeginEvent(UINT, const void*, UINT) override {}
  void EndEvent() override {}

  // IWorkList
  std::string_view recording_fault() noexcept override;
  bool has_descriptor(D3D12_GPU_DESCRIPTOR_HANDLE slot) noexcept override;
  void record(std::shared_ptr<const Work> work) override;

 private:
  HRESULT not_offered(std::string_view method) noexcept override;

  // Runs the body of a recording method, which throws com::Failure at a mistake.
  template <class Body>
  void add(std::string_view method, const Body& body) noexcept;
  void fail(HRESULT code, std::string_view method, std::string_view text) noexcept;

  void stop_recording() noexcept;

  // The resource as one of this device. Throws com::Failure that names the parameter.
  com::Ptr<Resource> buffer(const char* parameter, ID3D12Resource* resource) const;
  com::Ptr<Resource> copy_source(const char* parameter, ID3D12Resource* resource) const;
  com::Ptr<Resource> copy_target(const char* parameter, ID3D12Resource* resource) const;
  std::shared_ptr<Timestamps> timestamps(ID3D12QueryHeap* heap, D3D12_QUERY_TYPE type, UINT first,
                                         UINT count) const;
  Command checked(const D3D12_RESOURCE_BARRIER& barrier) const;
  template <class Value>
  void clear_view(D3D12_GPU_DESCRIPTOR_HANDLE gpu_slot, D3D12_CPU_DESCRIPTOR_HANDLE cpu_slot,
                  ID3D12Resource* resource, const Value* values, std::span<const D3D12_RECT> rects);

  D3D12_COMMAND_LIST_TYPE type_;
  bool open_ = false;
  HRESULT failure_ = S_OK;  // of the first mistake
  std::shared_ptr<Recording> recording_;
  // The handles of the descriptors in the heap that SetDescriptorHeaps has set.
  std::uint64_t descriptors_begin_ = 0;
  std::uint64_t descriptors_end_ = 0;
};

template <class Body>
void CommandList::add(std::string_view method, const Body& body) noexcept {
  if (!open_) {
    state().report_failure(method, "the list is closed; the command is dropped");
    return;
  }
  com::guard([&](HRESULT code, std::string_view text) { fail(code, method, text); }, body);
}

}  // namespace weft::d3d12
