#pragma once

#include <span>
#include <string_view>

#include "d3d12/commands.h"
#include "d3d12/device_state.h"
#include "d3d12/state_tracker.h"

namespace weft::d3d12 {

// Executes recordings, one command after the other, on a queue's thread. A command that breaks a
// rule which hardware relies on is not executed: the device is removed, with the rule in a message.
// Work of other libraries is refused instead, and their device removes itself.
class Executor {
 public:
  explicit Executor(DeviceState& state) : state_(state) {}

  // One ExecuteCommandLists.
  void execute(std::span<const Submission> submissions) noexcept;

 private:
  void run(const Submission& submission);

  void run(const Transition& transition);
  void run(const UavBarrier& barrier);
  void run(const Copy& copy);
  void run(const Clear& clear);
  void run(const WriteTimestamp& write);
  void run(const ResolveTimestamps& resolve);
  void dispatch(const Work& work);

  // Whether the work's uses are in order; otherwise it is refused.
  bool in_order(const Work& work);
  void warn_of_hazards(std::span<const BufferUse> uses);

  // Removes the device when the text is not empty or the buffer was released; true when all is
  // well.
  bool accept(const Buffer& buffer, std::string_view what, const std::string& fault);
  void remove(D3D12_MESSAGE_ID id, std::string_view text) noexcept;

  DeviceState& state_;
  StateTracker tracker_;
};

}  // namespace weft::d3d12
