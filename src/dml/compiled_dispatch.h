#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "dml/dispatch.h"
#include "dml/executable.h"

namespace weft::dml {

// Executes a compiled operator, and keeps whether that has been initialized.
class CompiledDispatch final : public Dispatch {
 public:
  // `flags`: DML_EXECUTION_FLAGS.
  CompiledDispatch(std::string name, std::shared_ptr<const Executable> executable,
                   std::uint32_t flags);

  void run(std::span<std::byte* const> slots, DeviceState& state) const noexcept override;

  const Executable& executable() const noexcept { return *executable_; }

  bool initialized() const noexcept { return initialized_.load(std::memory_order_acquire); }
  // False where it already is. An initializer calls it before it writes anything.
  bool begin_initialization() const noexcept { return !begun_.exchange(true); }
  void end_initialization(const std::byte* persistent) const noexcept {
    persistent_ = persistent;
    initialized_.store(true, std::memory_order_release);
  }

  // IDMLDevice::Evict and MakeResident, counted; a new object is resident.
  void evict() const noexcept;
  void make_resident() const noexcept { residency_.fetch_add(1); }

  // The name that the application gave; part of messages from then on.
  void set_label(std::string label) const;
  // "CONVOLUTION", "graph of 3 nodes \"backbone\"".
  std::string label() const;

 private:
  void check_persistent(const std::byte* bound, DeviceState& state) const;

  std::shared_ptr<const Executable> executable_;
  mutable std::atomic<bool> begun_{false};
  mutable std::atomic<bool> initialized_{false};
  mutable const std::byte* persistent_ = nullptr;  // written once, before initialized_
  mutable std::atomic<bool> warned_{false};
  mutable std::atomic<int> residency_{1};
  mutable std::mutex mutex_;
  mutable std::string label_;
};

}  // namespace weft::dml
