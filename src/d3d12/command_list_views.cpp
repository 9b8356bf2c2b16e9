// Barriers, and clearing through views.

#include "base/checked.h"
#include "d3d12/command_list.h"
#include "d3d12/refuse.h"
#include "d3d12/state_tracker.h"

namespace weft::d3d12 {

namespace {

constexpr D3D12_RESOURCE_STATES kReadStates =
    D3D12_RESOURCE_STATE_GENERIC_READ | D3D12_RESOURCE_STATE_INDIRECT_ARGUMENT;
constexpr D3D12_RESOURCE_STATES kCopyStates =
    D3D12_RESOURCE_STATE_COPY_DEST | D3D12_RESOURCE_STATE_COPY_SOURCE;

// COMMON, any union of read states, or one write state.
bool is_buffer_state(D3D12_RESOURCE_STATES state) noexcept {
  return (state & ~kReadStates) == 0 || state == D3D12_RESOURCE_STATE_UNORDERED_ACCESS ||
         state == D3D12_RESOURCE_STATE_COPY_DEST;
}

void check_state(const char* name, D3D12_RESOURCE_STATES state, D3D12_COMMAND_LIST_TYPE type) {
  require(is_buffer_state(state), name, " is ", state_name(state),
          ", which a buffer cannot be in: one write state, or read states only");
  require(type != D3D12_COMMAND_LIST_TYPE_COPY || (state & ~kCopyStates) == 0, name, " is ",
          state_name(state), ", which a COPY list cannot use");
}

void check_flags(const D3D12_RESOURCE_BARRIER& barrier) {
  const bool split = barrier.Flags == D3D12_RESOURCE_BARRIER_FLAG_BEGIN_ONLY ||
                     barrier.Flags == D3D12_RESOURCE_BARRIER_FLAG_END_ONLY;
  require(barrier.Flags == D3D12_RESOURCE_BARRIER_FLAG_NONE ||
              (split && barrier.Type == D3D12_RESOURCE_BARRIER_TYPE_TRANSITION),
          "pBarriers: Flags is ", barrier.Flags,
          ", must be NONE, or BEGIN_ONLY or END_ONLY of a transition");
}

}  // namespace

Command CommandList::checked(const D3D12_RESOURCE_BARRIER& barrier) const {
  check_flags(barrier);
  switch (barrier.Type) {
    case D3D12_RESOURCE_BARRIER_TYPE_TRANSITION: {
      const auto& [given, subresource, before, after] = barrier.Transition;
      const auto resource = buffer("pBarriers: Transition.pResource", given);
      const auto& memory = resource->memory();
      require(subresource == 0 || subresource == D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES,
              "pBarriers: Transition.Subresource is ", subresource, ", must be 0 for a buffer");
      check_state("pBarriers: Transition.StateBefore", before, type_);
      check_state("pBarriers: Transition.StateAfter", after, type_);
      require(before != after, "pBarriers: StateBefore and StateAfter are both ",
              state_name(before));
      require(memory->heap.Type != D3D12_HEAP_TYPE_UPLOAD &&
                  memory->heap.Type != D3D12_HEAP_TYPE_READBACK,
              "pBarriers: ", memory->name(),
              " lies in an UPLOAD or READBACK heap, where a buffer cannot change its state");
      require(!((before | after) & D3D12_RESOURCE_STATE_UNORDERED_ACCESS) ||
                  (memory->flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS),
              "pBarriers: ", memory->name(),
              " was created without ALLOW_UNORDERED_ACCESS, so it cannot be in UNORDERED_ACCESS");
      return Transition{memory, before, after, barrier.Flags};
    }
    case D3D12_RESOURCE_BARRIER_TYPE_UAV: {
      if (!barrier.UAV.pResource) return UavBarrier{};
      const auto resource = buffer("pBarriers: UAV.pResource", barrier.UAV.pResource);
      require((resource->memory()->flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS) != 0,
              "pBarriers: ", resource->memory()->name(),
              " was created without ALLOW_UNORDERED_ACCESS");
      return UavBarrier{resource->memory()};
    }
    case D3D12_RESOURCE_BARRIER_TYPE_ALIASING:
      // What lies over each other is read and written in order here.
      return UavBarrier{};
    default:
      refuse(E_INVALIDARG, "pBarriers: Type is ", barrier.Type,
             ", must be TRANSITION, ALIASING or UAV");
  }
}

void CommandList::ResourceBarrier(UINT count, const D3D12_RESOURCE_BARRIER* barriers) {
  add("ID3D12GraphicsCommandList::ResourceBarrier", [&] {
    require(count == 0 || barriers != nullptr, "pBarriers is null");
    for (UINT i = 0; i < count; ++i) recording_->commands.push_back(checked(barriers[i]));
  });
}

template <class Value>
void CommandList::clear_view(D3D12_GPU_DESCRIPTOR_HANDLE gpu_slot,
                             D3D12_CPU_DESCRIPTOR_HANDLE cpu_slot, ID3D12Resource* given,
                             const Value* values, std::span<const D3D12_RECT> rects) {
  require(type_ != D3D12_COMMAND_LIST_TYPE_COPY, "the list is of type COPY");
  require(values != nullptr, "Values is null");
  DescriptorTable& table = state().descriptors();
  require(table.valid(cpu_slot, 1) && !table.shader_visible(cpu_slot),
          "ViewCPUHandle must lie in a CBV_SRV_UAV heap that is not shader-visible");
  require(has_descriptor(gpu_slot) && table.valid(gpu_slot, 1),
          "ViewGPUHandleInCurrentHeap does not lie in the heap that SetDescriptorHeaps has set");
  const std::shared_ptr<const BufferView> view = table.at(cpu_slot).view;
  require(view != nullptr, "ViewCPUHandle holds no unordered access view");
  if (given || view->buffer) {
    require(buffer("pResource", given)->memory() == view->buffer,
            "pResource is not the resource of the view");
  }
  const ClearPattern pattern = clear_pattern(view->desc, values);
  const ByteRange all = viewed_bytes(view->desc);
  if (rects.empty()) recording_->commands.push_back(Clear{view, gpu_slot, all, pattern});
  for (const D3D12_RECT& rect : rects) {
    const auto elements = static_cast<std::int64_t>(view->desc.Buffer.NumElements);
    require(rect.left >= 0 && rect.left <= rect.right && rect.right <= elements && rect.top == 0 &&
                rect.bottom == 1,
            "pRects: {", rect.left, ", ", rect.top, ", ", rect.right, ", ", rect.bottom,
            "} must be {first, 0, behind the last, 1} within ", elements, " elements");
    if (rect.left == rect.right) continue;
    const auto at = [&](int element) {
      return all.begin + static_cast<std::uint64_t>(element) * pattern.size_in_bytes;
    };
    recording_->commands.push_back(Clear{view, gpu_slot, {at(rect.left), at(rect.right)}, pattern});
  }
}

void CommandList::ClearUnorderedAccessViewUint(D3D12_GPU_DESCRIPTOR_HANDLE gpu_slot,
                                               D3D12_CPU_DESCRIPTOR_HANDLE cpu_slot,
                                               ID3D12Resource* resource, const UINT values[4],
                                               UINT rect_count, const D3D12_RECT* rects) {
  add("ID3D12GraphicsCommandList::ClearUnorderedAccessViewUint", [&] {
    require(rect_count == 0 || rects, "pRects is null");
    clear_view(gpu_slot, cpu_slot, resource, values, {rects, rect_count});
  });
}

void CommandList::ClearUnorderedAccessViewFloat(D3D12_GPU_DESCRIPTOR_HANDLE gpu_slot,
                                                D3D12_CPU_DESCRIPTOR_HANDLE cpu_slot,
                                                ID3D12Resource* resource, const FLOAT values[4],
                                                UINT rect_count, const D3D12_RECT* rects) {
  add("ID3D12GraphicsCommandList::ClearUnorderedAccessViewFloat", [&] {
    require(rect_count == 0 || rects, "pRects is null");
    clear_view(gpu_slot, cpu_slot, resource, values, {rects, rect_count});
  });
}

}  // namespace weft::d3d12
