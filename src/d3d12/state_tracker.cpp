#include "d3d12/state_tracker.h"

#include <algorithm>
#include <utility>

#include "d3d12/buffer_rules.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

// So many accesses of one buffer without a barrier are remembered, to bound the search.
constexpr std::size_t kMostAccesses = 256;

// UPLOAD and READBACK buffers never leave their state.
bool is_fixed(const Buffer& buffer) noexcept {
  return buffer.heap.Type == D3D12_HEAP_TYPE_UPLOAD || buffer.heap.Type == D3D12_HEAP_TYPE_READBACK;
}

D3D12_RESOURCE_STATES fixed_state(const Buffer& buffer) noexcept {
  return buffer.heap.Type == D3D12_HEAP_TYPE_UPLOAD ? D3D12_RESOURCE_STATE_GENERIC_READ
                                                    : D3D12_RESOURCE_STATE_COPY_DEST;
}

std::string wrong_state(const Buffer& buffer, D3D12_RESOURCE_STATES state,
                        D3D12_RESOURCE_STATES needed) {
  return join(buffer.name(), " is in state ", state_name(state), ", must be in ",
              state_name(needed), ": a barrier is missing");
}

std::string wrong_heap(const Buffer& buffer, D3D12_RESOURCE_STATES needed) {
  return join(buffer.name(), " lies in an ", heap_name(buffer.heap.Type),
              " heap, where it cannot be in state ", state_name(needed));
}

}  // namespace

std::string StateTracker::transition(const Buffer& buffer, D3D12_RESOURCE_STATES before,
                                     D3D12_RESOURCE_STATES after) {
  if (is_fixed(buffer)) return wrong_heap(buffer, after);
  Tracked& tracked = buffers_[&buffer];
  if (tracked.state != before && tracked.state != D3D12_RESOURCE_STATE_COMMON) {
    return join("a barrier says that ", buffer.name(), " is in state ", state_name(before),
                ", but it is in ", state_name(tracked.state));
  }
  tracked.state = after;
  tracked.accesses.clear();
  return {};
}

std::string StateTracker::access(const Buffer& buffer, D3D12_RESOURCE_STATES needed) {
  if (is_fixed(buffer)) {
    return (fixed_state(buffer) & needed) == needed ? "" : wrong_heap(buffer, needed);
  }
  Tracked& tracked = buffers_[&buffer];
  if (tracked.state == D3D12_RESOURCE_STATE_COMMON) tracked.state = needed;
  return (tracked.state & needed) == needed ? "" : wrong_state(buffer, tracked.state, needed);
}

std::string StateTracker::use(const BufferUse& use) {
  const Buffer& buffer = *use.buffer;
  if (use.access == BufferUse::Access::initial_read && buffer.heap.Type == D3D12_HEAP_TYPE_UPLOAD) {
    return {};
  }
  if (!is_fixed(buffer) && !(buffer.flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS)) {
    return join(buffer.name(), " was created without ALLOW_UNORDERED_ACCESS");
  }
  return access(buffer, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
}

void StateTracker::uav_barrier(const Buffer* buffer) noexcept {
  for (auto& [tracked_buffer, tracked] : buffers_) {
    if (!buffer || buffer == tracked_buffer) tracked.accesses.clear();
  }
}

std::string StateTracker::hazard(const BufferUse& use) const {
  const auto found = buffers_.find(use.buffer.get());
  if (found == buffers_.end()) return {};
  const bool write = use.access == BufferUse::Access::write;
  for (const Access& earlier : found->second.accesses) {
    const bool overlap = use.offset_in_bytes < earlier.end &&
                         earlier.begin < use.offset_in_bytes + use.size_in_bytes;
    if (!overlap || !(write || earlier.write)) continue;
    return join(use.what, write ? " writes" : " reads", " what ", earlier.what,
                earlier.write ? " wrote" : " reads", " in ", use.buffer->name(),
                ": a UAV barrier between the two is missing");
  }
  return {};
}

void StateTracker::note(const BufferUse& use) {
  std::vector<Access>& accesses = buffers_[use.buffer.get()].accesses;
  if (accesses.size() >= kMostAccesses) return;
  accesses.push_back({use.offset_in_bytes, use.offset_in_bytes + use.size_in_bytes,
                      use.access == BufferUse::Access::write, use.what});
}

std::string state_name(D3D12_RESOURCE_STATES state) {
  constexpr std::pair<D3D12_RESOURCE_STATES, const char*> names[] = {
      {D3D12_RESOURCE_STATE_VERTEX_AND_CONSTANT_BUFFER, "VERTEX_AND_CONSTANT_BUFFER"},
      {D3D12_RESOURCE_STATE_INDEX_BUFFER, "INDEX_BUFFER"},
      {D3D12_RESOURCE_STATE_UNORDERED_ACCESS, "UNORDERED_ACCESS"},
      {D3D12_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE, "NON_PIXEL_SHADER_RESOURCE"},
      {D3D12_RESOURCE_STATE_PIXEL_SHADER_RESOURCE, "PIXEL_SHADER_RESOURCE"},
      {D3D12_RESOURCE_STATE_INDIRECT_ARGUMENT, "INDIRECT_ARGUMENT"},
      {D3D12_RESOURCE_STATE_COPY_DEST, "COPY_DEST"},
      {D3D12_RESOURCE_STATE_COPY_SOURCE, "COPY_SOURCE"},
  };
  if (state == D3D12_RESOURCE_STATE_COMMON) return "COMMON";
  if (state == D3D12_RESOURCE_STATE_GENERIC_READ) return "GENERIC_READ";
  std::string text;
  for (const auto& [bit, name] : names) {
    if (!(state & bit)) continue;
    if (!text.empty()) text += '|';
    text += name;
  }
  return text.empty() ? std::to_string(state) : text;
}

}  // namespace weft::d3d12
