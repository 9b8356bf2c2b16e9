#pragma once

// What the tests of the device share. They use Microsoft's API; the few words of Weft's own beside
// it are weft_d3d12_live_objects() and, for work on command lists, src/d3d12/private.h.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "com/windows.h"
// The adapter's smart pointer, as programs use it.
#include <wrl/client.h>

extern "C" std::int64_t weft_d3d12_live_objects();

namespace weft::test {

using Microsoft::WRL::ComPtr;

inline D3D12_RESOURCE_DESC buffer_desc(std::uint64_t size, D3D12_RESOURCE_FLAGS flags) {
  return {D3D12_RESOURCE_DIMENSION_BUFFER, 0,    size, 1, 1, 1, DXGI_FORMAT_UNKNOWN, {1, 0},
          D3D12_TEXTURE_LAYOUT_ROW_MAJOR,  flags};
}

inline D3D12_HEAP_PROPERTIES heap_of(D3D12_HEAP_TYPE type) {
  return {type, D3D12_CPU_PAGE_PROPERTY_UNKNOWN, D3D12_MEMORY_POOL_UNKNOWN, 0, 0};
}

inline D3D12_HEAP_PROPERTIES custom_heap(D3D12_CPU_PAGE_PROPERTY pages) {
  return {D3D12_HEAP_TYPE_CUSTOM, pages, D3D12_MEMORY_POOL_L0, 0, 0};
}

inline D3D12_RESOURCE_BARRIER transition(const ComPtr<ID3D12Resource>& resource,
                                         D3D12_RESOURCE_STATES before,
                                         D3D12_RESOURCE_STATES after) {
  D3D12_RESOURCE_BARRIER barrier = {};
  barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
  barrier.Transition = {resource.Get(), D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES, before, after};
  return barrier;
}

// A device with the debug layer on, a queue, an allocator and an open list. At the end no object is
// alive.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  ComPtr<ID3D12Resource> buffer(std::uint64_t size, D3D12_HEAP_TYPE type = D3D12_HEAP_TYPE_DEFAULT,
                                D3D12_RESOURCE_FLAGS flags = D3D12_RESOURCE_FLAG_NONE);
  ComPtr<ID3D12Resource> writable(std::uint64_t size) {
    return buffer(size, D3D12_HEAP_TYPE_DEFAULT, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS);
  }
  // An UPLOAD buffer that holds the values.
  ComPtr<ID3D12Resource> upload(const std::vector<std::uint32_t>& values);
  // What a READBACK or other mappable buffer holds.
  static std::vector<std::uint32_t> read(const ComPtr<ID3D12Resource>& buffer);

  // Closes the list, executes it, waits, and opens it again.
  void run();
  // Closes and executes the list, and waits, whatever comes of it.
  void try_run();
  void wait();
  // Copies the buffer to a READBACK buffer and gives what it holds.
  std::vector<std::uint32_t> contents(const ComPtr<ID3D12Resource>& buffer);

  // All stored messages, one a line.
  std::string messages();

  ComPtr<ID3D12Device9> device;
  ComPtr<ID3D12CommandQueue> queue;
  ComPtr<ID3D12CommandAllocator> allocator;
  ComPtr<ID3D12GraphicsCommandList> list;
  ComPtr<ID3D12Fence> fence;
  std::uint64_t fence_value = 0;
};

// An eventfd as an event handle, closed at the end.
class TestEvent {
 public:
  TestEvent() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~TestEvent() { ::close(descriptor_); }
  TestEvent(const TestEvent&) = delete;
  TestEvent& operator=(const TestEvent&) = delete;

  HANDLE handle() const {
    return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(descriptor_));
  }
  // How often it was set since the last call.
  std::uint64_t take() const {
    eventfd_t count = 0;
    return ::eventfd_read(descriptor_, &count) == 0 ? count : 0;
  }
  bool wait(int milliseconds = 10000) const;

 private:
  int descriptor_;
};

}  // namespace weft::test
