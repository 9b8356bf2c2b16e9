#include "d3d12/command_list.h"

#include <cstdint>

#include "base/checked.h"
#include "d3d12/descriptor_heap.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

// ---- Opening and closing.

void CommandList::open(ID3D12CommandAllocator* given, ID3D12PipelineState* pipeline) {
  require(pipeline == nullptr, "the pipeline state must be null: the software device has none");
  const auto allocator = own<CommandAllocator>(given);
  require(allocator && &allocator->device() == &device(),
          "pCommandAllocator is not an allocator of this device");
  require(allocator->type() == type_, "pCommandAllocator is of type ", allocator->type(),
          ", must be of the list's type ", type_);
  auto recording = std::make_shared<Recording>();
  recording->allocator = allocator->shared();
  recording->generation = allocator->shared()->generation.load(std::memory_order_acquire);
  require(!allocator->shared()->recording.exchange(true, std::memory_order_acq_rel),
          "another open list records into pCommandAllocator");
  recording_ = std::move(recording);
  open_ = true;
  failure_ = S_OK;
  descriptors_begin_ = descriptors_end_ = 0;
}

void CommandList::stop_recording() noexcept {
  if (open_) recording_->allocator->recording.store(false, std::memory_order_release);
  open_ = false;
}

HRESULT CommandList::Close() {
  return state().answer("ID3D12GraphicsCommandList::Close", [&] {
    if (!open_) refuse(E_FAIL, "the list is closed already");
    stop_recording();
    if (FAILED(failure_)) {
      refuse(failure_, "a command that was recorded is wrong; an earlier message says which");
    }
  });
}

HRESULT CommandList::Reset(ID3D12CommandAllocator* allocator, ID3D12PipelineState* pipeline) {
  return state().answer("ID3D12GraphicsCommandList::Reset", [&] {
    if (open_) refuse(E_FAIL, "the list is open: close it first");
    open(allocator, pipeline);
  });
}

Submission CommandList::submission() {
  if (open_) refuse(DXGI_ERROR_INVALID_CALL, "is open: close it first");
  if (!recording_) refuse(DXGI_ERROR_INVALID_CALL, "has never been recorded");
  if (FAILED(failure_)) refuse(DXGI_ERROR_INVALID_CALL, "did not close well");
  if (recording_->generation != recording_->allocator->generation.load(std::memory_order_acquire)) {
    refuse(DXGI_ERROR_INVALID_CALL, "was recorded into an allocator that has been reset since");
  }
  Submission made{recording_, {}, AllocatorUse(recording_->allocator)};
  const auto& recorded = recording_->works;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    std::shared_ptr<const Work> bound = recorded[i]->at_submission(recorded[i]);
    if (bound == recorded[i]) continue;
    if (made.works.empty()) made.works = recorded;
    made.works[i] = std::move(bound);
  }
  return made;
}

// ---- Recording.

void CommandList::fail(HRESULT code, std::string_view method, std::string_view text) noexcept {
  if (SUCCEEDED(failure_)) failure_ = code;
  state().report_failure(method, text);
}

HRESULT CommandList::not_offered(std::string_view method) noexcept {
  if (open_ && SUCCEEDED(failure_)) failure_ = E_NOTIMPL;
  return report_not_offered(state(), "ID3D12GraphicsCommandList", method);
}

com::Ptr<Resource> CommandList::buffer(const char* parameter, ID3D12Resource* given) const {
  auto resource = own<Resource>(given);
  require(resource && &resource->device() == &device(), parameter,
          given ? " is not a resource of this device" : " is null");
  return resource;
}

com::Ptr<Resource> CommandList::copy_source(const char* parameter, ID3D12Resource* given) const {
  auto resource = buffer(parameter, given);
  require(resource->memory()->heap.Type != D3D12_HEAP_TYPE_READBACK, parameter, ": ",
          resource->memory()->name(), " lies in a READBACK heap, which is a copy's target only");
  return resource;
}

com::Ptr<Resource> CommandList::copy_target(const char* parameter, ID3D12Resource* given) const {
  auto resource = buffer(parameter, given);
  require(resource->memory()->heap.Type != D3D12_HEAP_TYPE_UPLOAD, parameter, ": ",
          resource->memory()->name(), " lies in an UPLOAD heap, which is a copy's source only");
  return resource;
}

void CommandList::ClearState(ID3D12PipelineState* pipeline) {
  add("ID3D12GraphicsCommandList::ClearState", [&] {
    require(pipeline == nullptr, "pPipelineState must be null: the software device has none");
    descriptors_begin_ = descriptors_end_ = 0;
  });
}

void CommandList::SetDescriptorHeaps(UINT count, ID3D12DescriptorHeap* const* heaps) {
  add("ID3D12GraphicsCommandList::SetDescriptorHeaps", [&] {
    require(count == 0 || heaps != nullptr, "ppDescriptorHeaps is null");
    std::uint64_t begin = 0, end = 0;
    bool samplers = false;
    for (UINT i = 0; i < count; ++i) {
      const auto heap = own<DescriptorHeap>(heaps[i]);
      require(heap && &heap->device() == &device(), "ppDescriptorHeaps[", i,
              "] is not a descriptor heap of this device");
      const DescriptorSlots& slots = heap->slots();
      require(slots.shader_visible, "ppDescriptorHeaps[", i, "] is not shader-visible");
      const bool views = slots.type == D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
      require(views ? begin == 0 : !samplers, "ppDescriptorHeaps[", i,
              "]: one heap of each type can be set");
      if (views) {
        begin = DescriptorTable::gpu_start(slots).ptr;
        end = begin + slots.slots.size() * DescriptorTable::kIncrement;
      } else {
        samplers = true;
      }
    }
    descriptors_begin_ = begin;
    descriptors_end_ = end;
  });
}

void CommandList::CopyResource(ID3D12Resource* given_target, ID3D12Resource* given_source) {
  add("ID3D12GraphicsCommandList::CopyResource", [&] {
    const auto target = copy_target("pDstResource", given_target);
    const auto source = copy_source("pSrcResource", given_source);
    require(target.get() != source.get(), "pDstResource and pSrcResource are the same resource");
    const std::uint64_t size = source->memory()->size_in_bytes;
    require(target->memory()->size_in_bytes == size, "pDstResource has ",
            target->memory()->size_in_bytes, " bytes, must have the ", size,
            " bytes of pSrcResource: CopyBufferRegion copies parts");
    recording_->commands.push_back(Copy{target->memory(), 0, source->memory(), 0, size});
  });
}

void CommandList::CopyBufferRegion(ID3D12Resource* given_target, UINT64 target_offset,
                                   ID3D12Resource* given_source, UINT64 source_offset,
                                   UINT64 size) {
  add("ID3D12GraphicsCommandList::CopyBufferRegion", [&] {
    const auto target = copy_target("pDstBuffer", given_target);
    const auto source = copy_source("pSrcBuffer", given_source);
    require(target.get() != source.get(),
            "pDstBuffer and pSrcBuffer are the same resource, which cannot be COPY_DEST and "
            "COPY_SOURCE at once");
    const auto check = [&](const char* name, std::uint64_t offset, const Resource& resource) {
      const auto end = base::add(offset, size);
      require(end && *end <= resource.memory()->size_in_bytes, name, ": ", size,
              " bytes from byte ", offset, " on do not fit into ", resource.memory()->name());
    };
    check("DstOffset", target_offset, *target);
    check("SrcOffset", source_offset, *source);
    if (size == 0) return;
    recording_->commands.push_back(
        Copy{target->memory(), target_offset, source->memory(), source_offset, size});
  });
}

std::shared_ptr<Timestamps> CommandList::timestamps(ID3D12QueryHeap* given, D3D12_QUERY_TYPE type,
                                                    UINT first, UINT count) const {
  const auto heap = own<QueryHeap>(given);
  require(heap && &heap->device() == &device(), "pQueryHeap is not a query heap of this device");
  require(type == D3D12_QUERY_TYPE_TIMESTAMP, "Type is ", type, ", must be TIMESTAMP");
  const std::size_t size = heap->timestamps()->ticks.size();
  require(first <= size && count <= size - first, "queries ", first, " to ",
          std::uint64_t{first} + count, " do not lie in the heap of ", size);
  return heap->timestamps();
}

void CommandList::EndQuery(ID3D12QueryHeap* heap, D3D12_QUERY_TYPE type, UINT index) {
  add("ID3D12GraphicsCommandList::EndQuery", [&] {
    auto queries = timestamps(heap, type, index, 1);
    const bool of_copies =
        own<QueryHeap>(heap)->type() == D3D12_QUERY_HEAP_TYPE_COPY_QUEUE_TIMESTAMP;
    require(of_copies == (type_ == D3D12_COMMAND_LIST_TYPE_COPY),
            "pQueryHeap: COPY lists, and no others, write into heaps of type COPY_QUEUE_TIMESTAMP");
    recording_->commands.push_back(WriteTimestamp{std::move(queries), index});
  });
}

void CommandList::ResolveQueryData(ID3D12QueryHeap* heap, D3D12_QUERY_TYPE type, UINT first,
                                   UINT count, ID3D12Resource* given_target, UINT64 target_offset) {
  add("ID3D12GraphicsCommandList::ResolveQueryData", [&] {
    auto queries = timestamps(heap, type, first, count);
    const auto target = copy_target("pDestinationBuffer", given_target);
    require(target_offset % 8 == 0, "AlignedDestinationBufferOffset is ", target_offset,
            ", must be a multiple of 8");
    const auto end = base::add(target_offset, std::uint64_t{count} * sizeof(std::uint64_t));
    require(end && *end <= target->memory()->size_in_bytes, count, " timestamps from byte ",
            target_offset, " on do not fit into ", target->memory()->name());
    recording_->commands.push_back(
        ResolveTimestamps{std::move(queries), first, count, target->memory(), target_offset});
  });
}

// ---- Work of libdirectml.

std::string_view CommandList::recording_fault() noexcept {
  if (!open_) return "the command list is closed";
  if (type_ == D3D12_COMMAND_LIST_TYPE_COPY) {
    return "the command list is of type COPY, must be DIRECT or COMPUTE";
  }
  return {};
}

bool CommandList::has_descriptor(D3D12_GPU_DESCRIPTOR_HANDLE slot) noexcept {
  return slot.ptr >= descriptors_begin_ && slot.ptr < descriptors_end_;
}

void CommandList::record(std::shared_ptr<const Work> work) {
  recording_->works.push_back(std::move(work));
  recording_->commands.push_back(RunWork{recording_->works.size() - 1});
}

}  // namespace weft::d3d12
