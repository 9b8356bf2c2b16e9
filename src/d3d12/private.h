#pragma once

// What libdirectml needs of the software D3D12 objects beyond their public interfaces. It finds
// them with QueryInterface alone, so that an object of another implementation is told apart, and
// another device could be attached by offering the same interfaces. Both libraries are built
// together: standard types may cross.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "com/windows.h"

namespace weft::d3d12 {

// The memory of a buffer resource. Recorded work holds it, not the resource: an application that
// releases a resource too early gets a message instead of a crash.
struct Buffer {
  std::byte* bytes = nullptr;
  std::uint64_t size_in_bytes = 0;
  D3D12_HEAP_PROPERTIES heap = {};
  D3D12_RESOURCE_FLAGS flags = D3D12_RESOURCE_FLAG_NONE;

  virtual ~Buffer() = default;
  // False once the application has released the resource.
  virtual bool alive() const noexcept = 0;
  // The name that the application gave, or "buffer of 4096 bytes"; for messages.
  virtual std::string name() const = 0;
};

// Offered by ID3D12Resource objects.
struct IBufferResource : IUnknown {
  // Never null.
  virtual std::shared_ptr<Buffer> buffer() noexcept = 0;
};

// A part of a buffer that some work reads or writes.
struct BufferUse {
  enum class Access {
    read,         // in UNORDERED_ACCESS, which the buffer must allow; no UPLOAD or READBACK heap
    write,        // as read
    initial_read  // as read, or in GENERIC_READ of an UPLOAD heap: inputs of an initializer
  };
  std::shared_ptr<Buffer> buffer;
  std::uint64_t offset_in_bytes = 0;
  std::uint64_t size_in_bytes = 0;
  Access access = Access::read;
  std::string what;  // for messages: "CONVOLUTION.FilterTensor"
};

// Work of another library on a command list.
class Work {
 public:
  virtual ~Work() = default;

  // The work with all its bindings known. Called at each ExecuteCommandLists, on the caller's
  // thread; gives `self` back where nothing is bound late. Never null.
  virtual std::shared_ptr<const Work> at_submission(std::shared_ptr<const Work> self) const {
    return self;
  }

  // Valid as long as the work that at_submission() gave.
  virtual std::span<const BufferUse> uses() const noexcept = 0;

  // On the queue's thread, in the list's order, when every use is in order.
  virtual void run() const noexcept = 0;

  // Instead of run(): a use breaks a rule of D3D12, which the text states.
  virtual void refuse(std::string_view why) const noexcept = 0;
};

// Offered by command lists.
struct IWorkList : IUnknown {
  // Empty when work can be recorded now; otherwise the rule that is broken: "the command list is
  // closed", "is of type COPY, must be DIRECT or COMPUTE".
  virtual std::string_view recording_fault() noexcept = 0;

  // Whether SetDescriptorHeaps has set the heap that holds the descriptor.
  virtual bool has_descriptor(D3D12_GPU_DESCRIPTOR_HANDLE handle) noexcept = 0;

  // Throws std::bad_alloc.
  virtual void record(std::shared_ptr<const Work> work) = 0;
};

// What one slot of a descriptor heap holds for libdirectml. CopyDescriptors copies it.
using DescriptorContent = std::shared_ptr<const void>;

// Offered by devices.
struct IDescriptors : IUnknown {
  // True when `count` slots from the handle on lie in one live CBV_SRV_UAV heap (of a GPU handle:
  // a shader-visible one).
  virtual bool valid(D3D12_CPU_DESCRIPTOR_HANDLE first, UINT count) noexcept = 0;
  virtual bool valid(D3D12_GPU_DESCRIPTOR_HANDLE first, UINT count) noexcept = 0;

  // Null where nothing, or something else, was stored, or the handle is not valid.
  virtual DescriptorContent content(D3D12_GPU_DESCRIPTOR_HANDLE slot) noexcept = 0;
  virtual void store(D3D12_CPU_DESCRIPTOR_HANDLE slot, DescriptorContent content) noexcept = 0;
};

}  // namespace weft::d3d12

// IDs of the interfaces above; made for Weft.
WINADAPTER_IID(weft::d3d12::IBufferResource, 0x5b0f2c1e, 0x7a64, 0x4a0e, 0x9d, 0x11, 0x3e, 0x6b,
               0x52, 0x8f, 0x0c, 0x71);
WINADAPTER_IID(weft::d3d12::IWorkList, 0x5b0f2c1e, 0x7a64, 0x4a0e, 0x9d, 0x11, 0x3e, 0x6b, 0x52,
               0x8f, 0x0c, 0x72);
WINADAPTER_IID(weft::d3d12::IDescriptors, 0x5b0f2c1e, 0x7a64, 0x4a0e, 0x9d, 0x11, 0x3e, 0x6b, 0x52,
               0x8f, 0x0c, 0x73);
