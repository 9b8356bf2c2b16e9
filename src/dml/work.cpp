#include "dml/work.h"

#include "dml/call.h"
#include "dml/refusal.h"

namespace weft::dml {

namespace {

constexpr const char* kExecute = "ID3D12CommandQueue::ExecuteCommandLists";

}  // namespace

DispatchWork::DispatchWork(std::shared_ptr<DeviceState> state, const BindingSet& set)
    : state_(std::move(state)), dispatch_(set.dispatch) {
  const std::span<const Slot> slots = dispatch_->slots();
  slots_.resize(slots.size());
  uses_.reserve(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].need != Slot::Need::required) continue;
    const BindingSet::Bound& bound = set.slots[i];
    std::shared_ptr<d3d12::Buffer> buffer = bound.buffer.lock();
    if (!buffer || !buffer->alive()) {
      dml::refuse(slots[i].name + ".Buffer", "released", "alive until the work has been executed");
    }
    slots_[i] = bound.address;
    uses_.push_back({std::move(buffer), bound.offset_in_bytes, slots[i].size_in_bytes,
                     slots[i].access, slots[i].name});
  }
}

void DispatchWork::run() const noexcept {
  if (state_->removed()) return;
  if (dispatch_->take_released()) warn_of_release();
  dispatch_->run(slots_, *state_);
}

void DispatchWork::warn_of_release() const noexcept try {
  state_->report(com::Severity::warning,
                 std::string(kExecute) + ": " + dispatch_->name() +
                     " is released or reset, must be kept until its work has been executed");
} catch (...) {  // out of memory: no warning
}

void DispatchWork::refuse(std::string_view why) const noexcept {
  remove_device(*state_, kExecute, E_INVALIDARG, why);
}

std::shared_ptr<const BindingSet> read_descriptors(const DescriptorRange& range,
                                                   const Dispatch& dispatch) {
  std::shared_ptr<const BindingSet> set;
  D3D12_GPU_DESCRIPTOR_HANDLE descriptor = range.first;
  for (UINT i = 0; i < range.count; ++i) {
    const auto content =
        std::static_pointer_cast<const BindingSet>(range.descriptors->content(descriptor));
    const auto where = [&] { return "descriptor " + std::to_string(i) + " of the binding table"; };
    if (!content) {
      refuse(where(), "empty", "what the table wrote",
             "bind first; where CPU and GPU handle lie in different heaps, copy the range");
    }
    if (content->dispatch.get() != &dispatch || (set && content != set)) {
      refuse(where(), "overwritten for " + content->dispatch->name(),
             "left alone until the work has been executed");
    }
    set = content;
    descriptor.ptr += range.size_in_bytes;
  }
  return set;
}

std::shared_ptr<const d3d12::Work> LateWork::at_submission(
    std::shared_ptr<const d3d12::Work> self) const {
  std::shared_ptr<const d3d12::Work> work;
  act(*state_, kExecute, [&](Trace&) {
    const auto set = read_descriptors(range_, *dispatch_);
    check_complete(*set);
    check_hazards(*set);
    work = std::make_shared<DispatchWork>(state_, *set);
  });
  return work ? work : self;
}

}  // namespace weft::dml
