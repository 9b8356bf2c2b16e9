#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "d3d12/device_child.h"

namespace weft::d3d12 {

// The ticks of GetTimestampFrequency: nanoseconds of the monotonic clock, CPU and queues alike.
inline constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;
std::uint64_t now_in_ticks() noexcept;

// Timestamps. Queue threads write them, in the order of the queues; recorded commands hold them.
struct Timestamps {
  explicit Timestamps(std::size_t count) : ticks(count) {}
  std::vector<std::atomic<std::uint64_t>> ticks;
};

class QueryHeap final
    : public DeviceChild<QueryHeap, ID3D12QueryHeap, ID3D12QueryHeap, ID3D12Pageable> {
 public:
  // Throws com::Failure.
  QueryHeap(Device& device, const D3D12_QUERY_HEAP_DESC& desc);

  D3D12_QUERY_HEAP_TYPE type() const noexcept { return type_; }
  const std::shared_ptr<Timestamps>& timestamps() const noexcept { return timestamps_; }

 private:
  D3D12_QUERY_HEAP_TYPE type_;
  std::shared_ptr<Timestamps> timestamps_;
};

}  // namespace weft::d3d12
