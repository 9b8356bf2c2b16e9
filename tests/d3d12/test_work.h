#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "com/ptr.h"
#include "d3d12/private.h"
#include "d3d12/rig.h"

namespace weft::test {

// Work as libdirectml records it.
class TestWork final : public d3d12::Work {
 public:
  using Uses = std::vector<d3d12::BufferUse>;
  using Access = d3d12::BufferUse::Access;

  explicit TestWork(Uses uses, std::function<void()> body = {})
      : uses_(std::move(uses)), body_(std::move(body)) {}

  std::span<const d3d12::BufferUse> uses() const noexcept override { return uses_; }
  void run() const noexcept override {
    if (body_) body_();
    const std::lock_guard lock(mutex_);
    ++runs_;
  }
  void refuse(std::string_view why) const noexcept override {
    const std::lock_guard lock(mutex_);
    refusal_ = why;
  }

  int runs() const {
    const std::lock_guard lock(mutex_);
    return runs_;
  }
  std::string refusal() const {
    const std::lock_guard lock(mutex_);
    return refusal_;
  }

 private:
  Uses uses_;
  std::function<void()> body_;
  mutable std::mutex mutex_;
  mutable int runs_ = 0;
  mutable std::string refusal_;
};

inline std::shared_ptr<d3d12::Buffer> memory_of(const ComPtr<ID3D12Resource>& resource) {
  return com::query<d3d12::IBufferResource>(resource.Get())->buffer();
}

inline d3d12::BufferUse use_of(const ComPtr<ID3D12Resource>& resource, TestWork::Access access,
                               std::string what, std::uint64_t offset = 0) {
  auto memory = memory_of(resource);
  const std::uint64_t size = memory->size_in_bytes - offset;
  return {std::move(memory), offset, size, access, std::move(what)};
}

inline std::shared_ptr<TestWork> record(const ComPtr<ID3D12GraphicsCommandList>& list,
                                        TestWork::Uses uses, std::function<void()> body = {}) {
  auto work = std::make_shared<TestWork>(std::move(uses), std::move(body));
  com::query<d3d12::IWorkList>(list.Get())->record(work);
  return work;
}

}  // namespace weft::test
