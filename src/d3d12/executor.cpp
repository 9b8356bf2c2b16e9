#include "d3d12/executor.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "com/fault.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

bool same_view(const BufferView& a, const BufferView& b) noexcept {
  return a.buffer == b.buffer && a.desc.Format == b.desc.Format &&
         a.desc.Buffer.FirstElement == b.desc.Buffer.FirstElement &&
         a.desc.Buffer.NumElements == b.desc.Buffer.NumElements;
}

// size > 0. What is filled is copied behind itself, so that the copies get long.
void fill(std::byte* start, std::uint64_t size, const ClearPattern& pattern) noexcept {
  std::uint64_t filled = pattern.size_in_bytes;
  std::memcpy(start, pattern.bytes.data(), filled);
  while (filled < size) {
    const std::uint64_t part = std::min({filled, size - filled, std::uint64_t{1} << 16});
    std::memcpy(start + filled, start, part);
    filled += part;
  }
}

std::string released(const Buffer& buffer) {
  return buffer.name() + " was released before the queue got to work that uses it";
}

}  // namespace

void Executor::execute(std::span<const Submission> submissions) noexcept {
  tracker_.clear();
  const auto remove_device = [&](HRESULT reason, std::string_view text) {
    state_.remove(reason, D3D12_MESSAGE_ID_DEVICE_REMOVAL_PROCESS_AT_FAULT, text);
  };
  com::guard(remove_device, [&] {
    for (const Submission& submission : submissions) run(submission);
  });
}

void Executor::run(const Submission& submission) {
  const Recording& recording = *submission.recording;
  const auto& works = submission.works.empty() ? recording.works : submission.works;
  for (const Command& command : recording.commands) {
    if (state_.removed()) return;
    if (const RunWork* recorded = std::get_if<RunWork>(&command)) {
      dispatch(*works[recorded->work]);
      continue;
    }
    std::visit(
        [this](const auto& alternative) {
          if constexpr (!std::is_same_v<decltype(alternative), const RunWork&>) run(alternative);
        },
        command);
  }
}

void Executor::run(const Transition& transition) {
  // The first half of a split barrier announces; the second one brings the new state.
  if (transition.flags & D3D12_RESOURCE_BARRIER_FLAG_BEGIN_ONLY) return;
  accept(*transition.buffer, "ResourceBarrier",
         tracker_.transition(*transition.buffer, transition.before, transition.after));
}

void Executor::run(const UavBarrier& barrier) { tracker_.uav_barrier(barrier.buffer.get()); }

void Executor::run(const Copy& copy) {
  if (!accept(*copy.source, "copy",
              tracker_.access(*copy.source, D3D12_RESOURCE_STATE_COPY_SOURCE)) ||
      !accept(*copy.target, "copy",
              tracker_.access(*copy.target, D3D12_RESOURCE_STATE_COPY_DEST))) {
    return;
  }
  // Placed buffers may lie over each other.
  std::memmove(copy.target->bytes + copy.target_offset, copy.source->bytes + copy.source_offset,
               copy.size_in_bytes);
}

void Executor::run(const Clear& clear) {
  const std::shared_ptr<const BufferView> bound = state_.descriptors().at(clear.slot).view;
  if (!bound || !same_view(*bound, *clear.view)) {
    remove(D3D12_MESSAGE_ID_DEVICE_REMOVAL_PROCESS_AT_FAULT,
           "ClearUnorderedAccessView: the descriptor was overwritten before the queue got there");
    return;
  }
  if (!clear.view->buffer) return;
  const BufferUse use = {clear.view->buffer, clear.bytes.begin, clear.bytes.end - clear.bytes.begin,
                         BufferUse::Access::write, "ClearUnorderedAccessView"};
  if (!accept(*use.buffer, use.what, tracker_.use(use))) return;
  if (state_.wants_warnings()) warn_of_hazards({&use, 1});
  fill(use.buffer->bytes + clear.bytes.begin, use.size_in_bytes, clear.pattern);
}

void Executor::run(const WriteTimestamp& write) {
  write.timestamps->ticks[write.index].store(now_in_ticks(), std::memory_order_relaxed);
}

void Executor::run(const ResolveTimestamps& resolve) {
  if (!accept(*resolve.target, "ResolveQueryData",
              tracker_.access(*resolve.target, D3D12_RESOURCE_STATE_COPY_DEST))) {
    return;
  }
  std::byte* at = resolve.target->bytes + resolve.target_offset;
  for (std::uint32_t i = 0; i < resolve.count; ++i, at += sizeof(std::uint64_t)) {
    const std::uint64_t ticks =
        resolve.timestamps->ticks[resolve.first + i].load(std::memory_order_relaxed);
    std::memcpy(at, &ticks, sizeof ticks);
  }
}

void Executor::dispatch(const Work& work) {
  if (com::fault_removes_device()) {
    state_.remove(DXGI_ERROR_DEVICE_REMOVED, D3D12_MESSAGE_ID_DEVICE_REMOVAL_PROCESS_NOT_AT_FAULT,
                  "WEFT_FAULT asks for device_removed at this dispatch");
    return;
  }
  if (!in_order(work)) return;
  if (state_.wants_warnings()) warn_of_hazards(work.uses());
  work.run();
}

bool Executor::in_order(const Work& work) {
  for (const BufferUse& use : work.uses()) {
    if (!use.buffer->alive()) {
      const std::string why = join(use.what, ": ", released(*use.buffer));
      work.refuse(why);
      state_.remove(DXGI_ERROR_DEVICE_HUNG, D3D12_MESSAGE_ID_OBJECT_DELETED_WHILE_STILL_IN_USE,
                    why);
      return false;
    }
    if (const std::string fault = tracker_.use(use); !fault.empty()) {
      work.refuse(join(use.what, ": ", fault));
      return false;
    }
  }
  return true;
}

void Executor::warn_of_hazards(std::span<const BufferUse> uses) {
  for (const BufferUse& use : uses) {
    if (const std::string hazard = tracker_.hazard(use); !hazard.empty()) {
      state_.report({D3D12_MESSAGE_CATEGORY_EXECUTION, D3D12_MESSAGE_SEVERITY_WARNING,
                     D3D12_MESSAGE_ID_UNKNOWN},
                    hazard);
      break;
    }
  }
  for (const BufferUse& use : uses) tracker_.note(use);
}

bool Executor::accept(const Buffer& buffer, std::string_view what, const std::string& fault) {
  if (!buffer.alive()) {
    state_.remove(DXGI_ERROR_DEVICE_HUNG, D3D12_MESSAGE_ID_OBJECT_DELETED_WHILE_STILL_IN_USE,
                  join(what, ": ", released(buffer)));
    return false;
  }
  if (fault.empty()) return true;
  remove(D3D12_MESSAGE_ID_INVALID_SUBRESOURCE_STATE, join(what, ": ", fault));
  return false;
}

void Executor::remove(D3D12_MESSAGE_ID id, std::string_view text) noexcept {
  state_.remove(DXGI_ERROR_INVALID_CALL, id, text);
}

}  // namespace weft::d3d12
