#include "d3d12/command_queue.h"

#include "d3d12/command_list.h"
#include "d3d12/fence.h"
#include "d3d12/query_heap.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

Submission submission_of(ID3D12CommandList* given, UINT index, const Device& device,
                         D3D12_COMMAND_LIST_TYPE type) {
  const auto list = own<CommandList>(given);
  require(list && &list->device() == &device, "ppCommandLists[", index,
          "] is not a command list of this device");
  require(list->GetType() == type, "ppCommandLists[", index, "] is of type ", list->GetType(),
          ", must be of the queue's type ", type);
  try {
    return list->submission();
  } catch (const com::Failure& failure) {
    refuse(failure.code(), "ppCommandLists[", index, "] ", failure.what());
  }
}

}  // namespace

void CommandQueue::ExecuteCommandLists(UINT count, ID3D12CommandList* const* lists) {
  if (state().removed()) return;
  const auto remove = [this](HRESULT reason, std::string_view text) {
    state().report_failure("ID3D12CommandQueue::ExecuteCommandLists", text);
    state().remove(reason == E_OUTOFMEMORY ? E_OUTOFMEMORY : DXGI_ERROR_INVALID_CALL,
                   D3D12_MESSAGE_ID_DEVICE_REMOVAL_PROCESS_AT_FAULT,
                   "the device was removed for the call above");
  };
  com::guard(remove, [&] {
    require(count == 0 || lists != nullptr, "ppCommandLists is null");
    std::vector<Submission> submissions;
    submissions.reserve(count);
    for (UINT i = 0; i < count; ++i) {
      submissions.push_back(submission_of(lists[i], i, device(), desc_.Type));
    }
    if (count != 0) thread_.execute(std::move(submissions));
  });
}

HRESULT CommandQueue::Signal(ID3D12Fence* given, UINT64 value) {
  return state().answer("ID3D12CommandQueue::Signal", [&] {
    const auto fence = own<Fence>(given);
    require(fence && &fence->device() == &device(), "pFence is not a fence of this device");
    thread_.signal(fence->fence(), value);
  });
}

HRESULT CommandQueue::Wait(ID3D12Fence* given, UINT64 value) {
  return state().answer("ID3D12CommandQueue::Wait", [&] {
    const auto fence = own<Fence>(given);
    require(fence && &fence->device() == &device(), "pFence is not a fence of this device");
    thread_.wait(fence->fence(), value);
  });
}

HRESULT CommandQueue::GetTimestampFrequency(UINT64* frequency) {
  return state().answer("ID3D12CommandQueue::GetTimestampFrequency", [&] {
    require(frequency != nullptr, "pFrequency is null");
    *frequency = kTicksPerSecond;
  });
}

HRESULT CommandQueue::GetClockCalibration(UINT64* gpu_ticks, UINT64* cpu_ticks) {
  return state().answer("ID3D12CommandQueue::GetClockCalibration", [&] {
    require(gpu_ticks && cpu_ticks, "pGpuTimestamp and pCpuTimestamp must not be null");
    *gpu_ticks = *cpu_ticks = now_in_ticks();
  });
}

HRESULT CommandQueue::not_offered(std::string_view method) noexcept {
  return report_not_offered(state(), "ID3D12CommandQueue", method);
}

}  // namespace weft::d3d12
