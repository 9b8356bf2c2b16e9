#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dml/binding_set.h"

namespace weft::dml {

// One dispatch with its buffers, as a command list holds it: the buffers' memory and what computes,
// none of the application's objects.
class DispatchWork final : public d3d12::Work {
 public:
  // `set` is complete. Throws com::Failure where a bound resource was released.
  DispatchWork(std::shared_ptr<DeviceState> state, const BindingSet& set);

  std::span<const d3d12::BufferUse> uses() const noexcept override { return uses_; }
  void run() const noexcept override;
  void refuse(std::string_view why) const noexcept override;

 private:
  void warn_of_release() const noexcept;

  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<const Dispatch> dispatch_;
  std::vector<d3d12::BufferUse> uses_;
  std::vector<std::byte*> slots_;
};

// A range of descriptors that a table has filled.
struct DescriptorRange {
  d3d12::IDescriptors* descriptors = nullptr;  // the device, which every list of it holds
  D3D12_GPU_DESCRIPTOR_HANDLE first = {};
  UINT count = 0;
  UINT size_in_bytes = 0;  // of one
};

// What the range holds for a dispatch. Throws com::Failure where a table of another dispatch, or
// something else, has been written into it, or nothing has.
std::shared_ptr<const BindingSet> read_descriptors(const DescriptorRange& range,
                                                   const Dispatch& dispatch);

// A dispatch that is bound late (DESCRIPTORS_VOLATILE): each submission reads the descriptors.
class LateWork final : public d3d12::Work {
 public:
  LateWork(std::shared_ptr<DeviceState> state, std::shared_ptr<const Dispatch> dispatch,
           const DescriptorRange& range)
      : state_(std::move(state)), dispatch_(std::move(dispatch)), range_(range) {}

  // Work that does nothing where bindings are missing; the device is removed then.
  std::shared_ptr<const d3d12::Work> at_submission(
      std::shared_ptr<const d3d12::Work> self) const override;

  std::span<const d3d12::BufferUse> uses() const noexcept override { return {}; }
  void run() const noexcept override {}
  void refuse(std::string_view /*why*/) const noexcept override {}

 private:
  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<const Dispatch> dispatch_;
  DescriptorRange range_;
};

}  // namespace weft::dml
