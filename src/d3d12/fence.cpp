#include "d3d12/fence.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

// An eventfd, or one of its few kin that refuse what is written to an eventfd: they alone have no
// file type. A number that is not an event, but is open, gets nothing written into it.
bool may_be_event(int descriptor) noexcept {
  struct stat status;
  return ::fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == 0;
}

}  // namespace

Event::Event(HANDLE handle) {
  const auto number = reinterpret_cast<std::intptr_t>(handle);
  if (number > 0 && number <= INT32_MAX && may_be_event(static_cast<int>(number))) {
    descriptor_ = ::fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0);
  }
  if (descriptor_ < 0) {
    refuse(E_HANDLE, "hEvent is ", number, ", must be an eventfd descriptor or null");
  }
}

Event::~Event() { ::close(descriptor_); }

void Event::set() const noexcept {
  // Fails only when the counter is full: then the event is set already.
  [[maybe_unused]] const int failed = ::eventfd_write(descriptor_, 1);
}

Fence::Fence(Device& device, std::uint64_t value, D3D12_FENCE_FLAGS flags)
    : DeviceChild(device), fence_(state().make_fence(value)), flags_(flags) {}

HRESULT Fence::SetEventOnCompletion(UINT64 value, HANDLE event) {
  if (!event) {
    if (!fence_->spin(value)) fence_->sleep(value);
    return S_OK;
  }
  const auto report = [this](HRESULT, std::string_view text) {
    state().report_failure("ID3D12Fence::SetEventOnCompletion", text);
  };
  return com::guard(report, [&] {
    const auto kept = std::make_shared<Event>(event);
    fence_->when_reached(value, [kept] { kept->set(); });
  });
}

HRESULT Fence::Signal(UINT64 value) {
  return state().answer("ID3D12Fence::Signal", [&] { fence_->signal(value); });
}

void wait_for_fences(std::span<const std::shared_ptr<FenceState>> fences,
                     std::span<const std::uint64_t> values, bool any, HANDLE event) {
  struct Group {
    std::atomic<std::size_t> missing;
    FenceState done{0};
    std::unique_ptr<Event> event;
  };
  const auto group = std::make_shared<Group>();
  group->missing = any ? 1 : fences.size();
  if (event) group->event = std::make_unique<Event>(event);
  for (std::size_t i = 0; i < fences.size(); ++i) {
    fences[i]->when_reached(values[i], [group] {
      // With `any`, later fences count below zero, which is never one again.
      if (group->missing.fetch_sub(1) != 1) return;
      if (group->event) group->event->set();
      group->done.signal(1);
    });
  }
  if (!event && !group->done.spin(1)) group->done.sleep(1);
}

}  // namespace weft::d3d12
