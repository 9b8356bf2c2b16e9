#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "d3d12/private.h"

namespace weft::d3d12 {

// The states of buffers within one ExecuteCommandLists, and what unordered accesses since the last
// barrier did. All functions give the broken rule in words, or an empty text.
//
// Buffers begin in COMMON: they decay to it when an execution ends, whatever they were created in.
// COMMON is promoted to whatever an access needs, or to what a barrier says to be the state before.
// Buffers of UPLOAD and READBACK heaps stay in GENERIC_READ and COPY_DEST.
class StateTracker {
 public:
  void clear() noexcept { buffers_.clear(); }

  std::string transition(const Buffer& buffer, D3D12_RESOURCE_STATES before,
                         D3D12_RESOURCE_STATES after);
  // Accesses other than unordered ones: COPY_SOURCE, COPY_DEST.
  std::string access(const Buffer& buffer, D3D12_RESOURCE_STATES needed);
  // The rules of BufferUse.
  std::string use(const BufferUse& use);

  // Null: all buffers.
  void uav_barrier(const Buffer* buffer) noexcept;
  // The access that `use` depends on, or that depends on it, without a barrier in between. To be
  // asked for all uses of a dispatch before they are noted.
  std::string hazard(const BufferUse& use) const;
  void note(const BufferUse& use);

 private:
  struct Access {
    std::uint64_t begin;
    std::uint64_t end;
    bool write;
    std::string what;
  };
  struct Tracked {
    D3D12_RESOURCE_STATES state = D3D12_RESOURCE_STATE_COMMON;
    std::vector<Access> accesses;  // unordered ones since the last barrier
  };

  std::unordered_map<const Buffer*, Tracked> buffers_;
};

// "UNORDERED_ACCESS", "COPY_SOURCE|COPY_DEST", ...
std::string state_name(D3D12_RESOURCE_STATES state);

}  // namespace weft::d3d12
