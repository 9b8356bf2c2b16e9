#pragma once

#include <DirectML.h>
#include <gtest/gtest.h>
#include <weft_directml.h>
#include <wrl/client.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

extern "C" int64_t weft_d3d12_live_objects();

namespace weft::testing {

using Microsoft::WRL::ComPtr;

struct MachineOptions {
  DML_CREATE_DEVICE_FLAGS flags = DML_CREATE_DEVICE_FLAG_NONE;
  D3D12_COMMAND_LIST_TYPE list_type = D3D12_COMMAND_LIST_TYPE_DIRECT;
  bool d3d12_debug_layer = false;
};

// A D3D12 device with a queue, an open list that has a descriptor heap set, and a DirectML device:
// what a program sets up before it does anything. Public API only; failures end the test.
class Machine {
 public:
  explicit Machine(const MachineOptions& options = {});
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // A buffer for tensors; `bytes` are put into it.
  ComPtr<ID3D12Resource> buffer(
      std::uint64_t size_in_bytes, D3D12_HEAP_TYPE heap = D3D12_HEAP_TYPE_DEFAULT,
      D3D12_RESOURCE_FLAGS flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS);
  ComPtr<ID3D12Resource> buffer_of(std::span<const float> values);

  void write(ID3D12Resource* resource, std::span<const std::byte> bytes);
  void write(ID3D12Resource* resource, std::span<const float> values) {
    write(resource, std::as_bytes(values));
  }
  std::vector<float> read(ID3D12Resource* resource, std::size_t count);

  // Closes the list, executes it, waits and opens it again with the heap set.
  void execute();
  void submit();  // the closed list again
  void wait();
  void open();

  // Descriptors of the heap, not used before.
  struct Descriptors {
    D3D12_CPU_DESCRIPTOR_HANDLE cpu;
    D3D12_GPU_DESCRIPTOR_HANDLE gpu;
  };
  Descriptors descriptors(UINT count);

  ComPtr<ID3D12Device> d3d12;
  ComPtr<ID3D12CommandQueue> queue;
  ComPtr<ID3D12CommandAllocator> allocator;
  ComPtr<ID3D12GraphicsCommandList> list;
  ComPtr<ID3D12DescriptorHeap> heap;
  ComPtr<ID3D12Fence> fence;
  ComPtr<IDMLDevice1> dml;
  ComPtr<IDMLCommandRecorder> recorder;

 private:
  std::uint64_t fence_value_ = 0;
  UINT used_descriptors_ = 0;
  UINT descriptor_size_ = 0;
};

// "S_OK" or the number: for messages of tests.
#define ASSERT_OK(call) ASSERT_EQ(static_cast<HRESULT>(call), S_OK) << weft_last_error()
#define EXPECT_OK(call) EXPECT_EQ(static_cast<HRESULT>(call), S_OK) << weft_last_error()

// One machine, made by SetUp; no object of any library is left at the end.
class MachineTest : public ::testing::Test {
 protected:
  void SetUp() override { machine_.emplace(options()); }
  void TearDown() override {
    machine_.reset();
    EXPECT_EQ(weft_dml_live_objects(), 0);
    EXPECT_EQ(weft_d3d12_live_objects(), 0);
  }
  virtual MachineOptions options() const { return {}; }

  Machine& machine() { return *machine_; }

 private:
  std::optional<Machine> machine_;
};

}  // namespace weft::testing
