// Lists, allocators and barriers used wrongly, as the debug layer of Windows would find it.

#include <atomic>

#include "d3d12/rig.h"
#include "d3d12/test_work.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Access = TestWork::Access;

constexpr auto kCommon = D3D12_RESOURCE_STATE_COMMON;
constexpr auto kUnordered = D3D12_RESOURCE_STATE_UNORDERED_ACCESS;
constexpr auto kSource = D3D12_RESOURCE_STATE_COPY_SOURCE;
constexpr auto kTarget = D3D12_RESOURCE_STATE_COPY_DEST;

class Misuse : public DeviceTest {
 protected:
  void barrier(const ComPtr<ID3D12Resource>& resource, D3D12_RESOURCE_STATES before,
               D3D12_RESOURCE_STATES after) {
    const auto one = transition(resource, before, after);
    list->ResourceBarrier(1, &one);
  }
  void expect_refused(HRESULT code, const char* message) {
    EXPECT_EQ(list->Close(), code) << message;
    EXPECT_THAT(messages(), HasSubstr(message));
    ASSERT_EQ(list->Reset(allocator.Get(), nullptr), S_OK);
  }
  // The device is gone, and everything says so.
  void expect_removed(HRESULT reason, const char* message) {
    EXPECT_EQ(device->GetDeviceRemovedReason(), reason) << message;
    EXPECT_THAT(messages(), HasSubstr(message));
    EXPECT_EQ(fence->GetCompletedValue(), UINT64_MAX);
  }
};

TEST_F(Misuse, ClosingTwice) {
  EXPECT_EQ(list->Close(), S_OK);
  EXPECT_EQ(list->Close(), E_FAIL);
  EXPECT_THAT(messages(), HasSubstr("the list is closed already"));
}

TEST_F(Misuse, RecordingIntoAClosedList) {
  const auto resource = buffer(16);
  list->Close();
  list->CopyResource(resource.Get(), resource.Get());
  EXPECT_THAT(messages(), HasSubstr("CopyResource: the list is closed"));
  EXPECT_THAT(com::query<d3d12::IWorkList>(list.Get())->recording_fault(), HasSubstr("closed"));
}

TEST_F(Misuse, ResettingAnOpenList) {
  EXPECT_EQ(list->Reset(allocator.Get(), nullptr), E_FAIL);
  EXPECT_EQ(list->Close(), S_OK);
  EXPECT_EQ(list->Reset(nullptr, nullptr), E_INVALIDARG);
  EXPECT_EQ(list->Reset(allocator.Get(), nullptr), S_OK);
}

TEST_F(Misuse, TwoListsRecordIntoOneAllocator) {
  ComPtr<ID3D12GraphicsCommandList> other;
  ASSERT_EQ(device->CreateCommandList1(0, D3D12_COMMAND_LIST_TYPE_DIRECT,
                                       D3D12_COMMAND_LIST_FLAG_NONE, IID_PPV_ARGS(&other)),
            S_OK);
  EXPECT_EQ(other->Reset(allocator.Get(), nullptr), E_INVALIDARG);
  EXPECT_THAT(messages(), HasSubstr("another open list records"));
  list->Close();
  EXPECT_EQ(other->Reset(allocator.Get(), nullptr), S_OK);
  other.Reset();  // an open list that goes leaves its allocator free
  EXPECT_EQ(list->Reset(allocator.Get(), nullptr), S_OK);
}

TEST_F(Misuse, ResettingAnAllocatorWithAnOpenList) {
  EXPECT_EQ(allocator->Reset(), E_FAIL);
  list->Close();
  EXPECT_EQ(allocator->Reset(), S_OK);
}

TEST_F(Misuse, ResettingAnAllocatorInFlight) {
  std::atomic<bool> go{false};
  record(list, {}, [&] { go.wait(false); });
  ASSERT_EQ(list->Close(), S_OK);
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  EXPECT_EQ(allocator->Reset(), E_FAIL);
  EXPECT_THAT(messages(), HasSubstr("a queue still executes"));
  go = true;
  go.notify_all();
  wait();
  EXPECT_EQ(allocator->Reset(), S_OK);
}

TEST_F(Misuse, ExecutingAnOpenList) {
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  expect_removed(DXGI_ERROR_INVALID_CALL, "ppCommandLists[0] is open");
}

TEST_F(Misuse, ExecutingAListThatFailedToClose) {
  list->CopyResource(nullptr, nullptr);
  EXPECT_EQ(list->Close(), E_INVALIDARG);
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  expect_removed(DXGI_ERROR_INVALID_CALL, "did not close well");
}

TEST_F(Misuse, ExecutingAListWhoseAllocatorWasReset) {
  list->Close();
  allocator->Reset();
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  expect_removed(DXGI_ERROR_INVALID_CALL, "an allocator that has been reset since");
}

TEST_F(Misuse, ExecutingAListOfAnotherType) {
  D3D12_COMMAND_QUEUE_DESC desc = {};
  desc.Type = D3D12_COMMAND_LIST_TYPE_COMPUTE;
  ComPtr<ID3D12CommandQueue> compute;
  ASSERT_EQ(device->CreateCommandQueue(&desc, IID_PPV_ARGS(&compute)), S_OK);
  list->Close();
  ID3D12CommandList* lists[] = {list.Get()};
  compute->ExecuteCommandLists(1, lists);
  expect_removed(DXGI_ERROR_INVALID_CALL, "must be of the queue's type 2");
}

TEST_F(Misuse, ExecutingNothing) {
  ID3D12CommandList* lists[] = {nullptr};
  queue->ExecuteCommandLists(0, nullptr);
  EXPECT_EQ(device->GetDeviceRemovedReason(), S_OK);
  queue->ExecuteCommandLists(1, lists);
  expect_removed(DXGI_ERROR_INVALID_CALL, "is not a command list of this device");
}

TEST_F(Misuse, ObjectsOfAnotherDevice) {
  ComPtr<ID3D12Device> other;
  ASSERT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&other)), S_OK);
  const D3D12_HEAP_PROPERTIES heap = heap_of(D3D12_HEAP_TYPE_DEFAULT);
  const D3D12_RESOURCE_DESC desc = buffer_desc(16, D3D12_RESOURCE_FLAG_NONE);
  ComPtr<ID3D12Resource> foreign;
  ASSERT_EQ(other->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc, kCommon, nullptr,
                                           IID_PPV_ARGS(&foreign)),
            S_OK);
  list->CopyResource(buffer(16).Get(), foreign.Get());
  expect_refused(E_INVALIDARG, "pSrcResource is not a resource of this device");
}

TEST_F(Misuse, FencesOfAnotherDevice) {
  ComPtr<ID3D12Device> other;
  ComPtr<ID3D12Fence> foreign;
  ASSERT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&other)), S_OK);
  ASSERT_EQ(other->CreateFence(5, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&foreign)), S_OK);
  EXPECT_EQ(queue->Signal(foreign.Get(), 7), E_INVALIDARG);
  EXPECT_THAT(messages(), HasSubstr("Signal: pFence is not a fence of this device"));
  EXPECT_EQ(queue->Wait(foreign.Get(), 1), E_INVALIDARG);
  EXPECT_THAT(messages(), HasSubstr("Wait: pFence is not a fence of this device"));
  EXPECT_EQ(device->EnqueueMakeResident(D3D12_RESIDENCY_FLAG_NONE, 0, nullptr, foreign.Get(), 6),
            E_INVALIDARG);
  ID3D12Fence* fences[] = {fence.Get(), foreign.Get()};
  const UINT64 values[] = {0, 0};
  EXPECT_EQ(device->SetEventOnMultipleFenceCompletion(fences, values, 2,
                                                      D3D12_MULTIPLE_FENCE_WAIT_FLAG_ALL, nullptr),
            E_INVALIDARG);
  EXPECT_THAT(messages(), HasSubstr("ppFences[1] is not a fence of this device"));
  EXPECT_EQ(foreign->GetCompletedValue(), 5U);
}

TEST_F(Misuse, BarriersAreChecked) {
  const auto plain = buffer(16), open = writable(16);
  const auto up = buffer(16, D3D12_HEAP_TYPE_UPLOAD);
  barrier(plain, kTarget, kTarget);
  expect_refused(E_INVALIDARG, "StateBefore and StateAfter are both COPY_DEST");
  barrier(plain, kTarget, kUnordered);
  expect_refused(E_INVALIDARG, "was created without ALLOW_UNORDERED_ACCESS");
  barrier(up, D3D12_RESOURCE_STATE_GENERIC_READ, kSource);
  expect_refused(E_INVALIDARG, "lies in an UPLOAD or READBACK heap");
  barrier(open, kUnordered | kSource, kTarget);
  expect_refused(E_INVALIDARG, "which a buffer cannot be in");
  barrier(open, kCommon, D3D12_RESOURCE_STATE_RENDER_TARGET);
  expect_refused(E_INVALIDARG, "which a buffer cannot be in");
  barrier(nullptr, kCommon, kSource);
  expect_refused(E_INVALIDARG, "Transition.pResource is null");
  auto wrong = transition(open, kCommon, kSource);
  wrong.Transition.Subresource = 3;
  list->ResourceBarrier(1, &wrong);
  expect_refused(E_INVALIDARG, "Transition.Subresource is 3");
  wrong = transition(open, kCommon, kSource);
  wrong.Flags = static_cast<D3D12_RESOURCE_BARRIER_FLAGS>(3);
  list->ResourceBarrier(1, &wrong);
  expect_refused(E_INVALIDARG, "Flags is 3");
  wrong = {};
  wrong.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
  wrong.UAV.pResource = plain.Get();
  list->ResourceBarrier(1, &wrong);
  expect_refused(E_INVALIDARG, "was created without ALLOW_UNORDERED_ACCESS");
  list->ResourceBarrier(1, nullptr);
  expect_refused(E_INVALIDARG, "pBarriers is null");
}

TEST_F(Misuse, DescriptorHeapsAreChecked) {
  ID3D12DescriptorHeap* none[] = {nullptr};
  list->SetDescriptorHeaps(1, none);
  expect_refused(E_INVALIDARG, "ppDescriptorHeaps[0] is not a descriptor heap");
  D3D12_DESCRIPTOR_HEAP_DESC desc = {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 1,
                                     D3D12_DESCRIPTOR_HEAP_FLAG_NONE, 0};
  ComPtr<ID3D12DescriptorHeap> heap;
  ASSERT_EQ(device->CreateDescriptorHeap(&desc, IID_PPV_ARGS(&heap)), S_OK);
  ID3D12DescriptorHeap* heaps[] = {heap.Get()};
  list->SetDescriptorHeaps(1, heaps);
  expect_refused(E_INVALIDARG, "is not shader-visible");
}

// ---- States, as the queue finds them.

TEST_F(Misuse, CommonIsPromotedAndDecays) {
  const auto a = upload({1, 2, 3, 4}), b = writable(16), c = buffer(16);
  list->CopyResource(b.Get(), a.Get());  // b: COMMON to COPY_DEST
  barrier(b, kTarget, kSource);
  list->CopyResource(c.Get(), b.Get());
  run();
  list->CopyResource(b.Get(), a.Get());  // decayed: COMMON again
  barrier(b, kTarget, kUnordered);
  run();
  barrier(b, kUnordered, kSource);  // a barrier may name the state that COMMON is promoted to
  run();
}

TEST_F(Misuse, ABarrierThatNamesTheWrongState) {
  const auto a = upload({1, 2, 3, 4}), b = buffer(16);
  list->CopyResource(b.Get(), a.Get());
  barrier(b, kSource, kCommon);
  try_run();
  expect_removed(DXGI_ERROR_INVALID_CALL, "is in state COPY_SOURCE, but it is in COPY_DEST");
}

TEST_F(Misuse, ACopyFromWhatWasJustACopysTarget) {
  const auto a = upload({1, 2, 3, 4}), b = buffer(16), c = buffer(16);
  list->CopyResource(b.Get(), a.Get());
  list->CopyResource(c.Get(), b.Get());
  try_run();
  expect_removed(DXGI_ERROR_INVALID_CALL, "is in state COPY_DEST, must be in COPY_SOURCE");
}

TEST_F(Misuse, SplitBarriersBringTheStateWithTheirEnd) {
  const auto a = upload({1, 2, 3, 4}), b = buffer(16), c = buffer(16);
  list->CopyResource(b.Get(), a.Get());
  auto half = transition(b, kTarget, kSource);
  half.Flags = D3D12_RESOURCE_BARRIER_FLAG_BEGIN_ONLY;
  list->ResourceBarrier(1, &half);
  half.Flags = D3D12_RESOURCE_BARRIER_FLAG_END_ONLY;
  list->ResourceBarrier(1, &half);
  list->CopyResource(c.Get(), b.Get());
  run();
}

TEST_F(Misuse, AResourceReleasedBeforeItsWorkRan) {
  const auto a = upload({1, 2, 3, 4});
  auto b = buffer(16);
  b->SetName(L"short-lived");
  list->CopyResource(b.Get(), a.Get());
  ASSERT_EQ(list->Close(), S_OK);
  b.Reset();
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  wait();
  expect_removed(DXGI_ERROR_DEVICE_HUNG, "short-lived was released before the queue got to work");
}

// ---- Work of libdirectml.

TEST_F(Misuse, WorkNeedsUnorderedAccess) {
  const auto plain = buffer(16), open = writable(16);
  const auto up = buffer(16, D3D12_HEAP_TYPE_UPLOAD);
  const auto back = buffer(16, D3D12_HEAP_TYPE_READBACK);
  const auto written = record(list, {use_of(plain, Access::write, "OutputTensor")});
  const auto read = record(list, {use_of(plain, Access::read, "InputTensor")});
  const auto uploaded = record(list, {use_of(up, Access::read, "InputTensor")});
  const auto read_back = record(list, {use_of(back, Access::read, "InputTensor")});
  const auto initial = record(list, {use_of(up, Access::initial_read, "FilterTensor")});
  const auto good = record(list, {use_of(open, Access::write, "OutputTensor")});
  run();
  EXPECT_THAT(written->refusal(),
              HasSubstr("OutputTensor: buffer of 16 bytes was created without"));
  EXPECT_THAT(read->refusal(), HasSubstr("was created without ALLOW_UNORDERED_ACCESS"));
  EXPECT_THAT(uploaded->refusal(), HasSubstr("InputTensor: buffer of 16 bytes lies in an UPLOAD"));
  EXPECT_THAT(read_back->refusal(), HasSubstr("READBACK heap"));
  EXPECT_THAT(initial->refusal(), IsEmpty());
  EXPECT_EQ(written->runs(), 0);
  EXPECT_EQ(initial->runs(), 1);
  EXPECT_EQ(good->runs(), 1);
}

TEST_F(Misuse, WorkAfterACopyNeedsABarrier) {
  const auto a = upload({1, 2, 3, 4}), b = writable(16);
  list->CopyResource(b.Get(), a.Get());
  const auto early = record(list, {use_of(b, Access::read, "InputTensor")});
  barrier(b, kTarget, kUnordered);
  const auto late = record(list, {use_of(b, Access::read, "InputTensor")});
  run();
  EXPECT_THAT(early->refusal(), HasSubstr("is in state COPY_DEST, must be in UNORDERED_ACCESS"));
  EXPECT_EQ(late->runs(), 1);
}

TEST_F(Misuse, WorkOnAReleasedBufferIsRefusedAndTheDeviceRemoved) {
  auto gone = writable(16);
  const auto work = record(list, {use_of(gone, Access::write, "OutputTensor")});
  gone.Reset();
  try_run();
  EXPECT_EQ(work->runs(), 0);
  EXPECT_THAT(work->refusal(), HasSubstr("was released before"));
  expect_removed(DXGI_ERROR_DEVICE_HUNG, "OutputTensor: buffer of 16 bytes was released");
}

TEST_F(Misuse, DependentWorkWithoutAUavBarrierIsWarnedOf) {
  const auto a = writable(64), b = writable(64);
  record(list, {use_of(a, Access::write, "FOLD.OutputTensor")});
  record(list, {use_of(a, Access::read, "UNFOLD.InputTensor"),
                use_of(b, Access::write, "UNFOLD.OutputTensor")});
  run();
  EXPECT_THAT(messages(), HasSubstr("UNFOLD.InputTensor reads what FOLD.OutputTensor wrote"));
}

TEST_F(Misuse, IndependentOrSeparatedWorkIsNotWarnedOf) {
  const auto a = writable(64), b = writable(64);
  const auto part = [&](std::uint64_t offset, Access access) {
    auto use = use_of(a, access, "part", offset);
    use.size_in_bytes = 16;
    return use;
  };
  D3D12_RESOURCE_BARRIER uav = {};
  uav.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
  record(list, {part(0, Access::write)});
  record(list, {part(16, Access::write), use_of(b, Access::read, "input")});
  record(list, {use_of(b, Access::read, "input")});
  list->ResourceBarrier(1, &uav);
  record(list, {use_of(a, Access::read, "input"), use_of(b, Access::write, "output")});
  uav.UAV.pResource = b.Get();
  list->ResourceBarrier(1, &uav);
  record(list, {use_of(b, Access::read, "input")});
  barrier(b, kUnordered, kSource);
  barrier(b, kSource, kUnordered);
  record(list, {use_of(b, Access::write, "output")});
  run();
  record(list, {use_of(b, Access::read, "input")});  // another ExecuteCommandLists
  run();
  EXPECT_THAT(messages(), Not(HasSubstr("UAV barrier")));
}

TEST_F(Misuse, WorkIsBoundAtSubmission) {
  class Late final : public d3d12::Work {
   public:
    std::shared_ptr<const Work> at_submission(std::shared_ptr<const Work>) const override {
      return bound;
    }
    std::span<const d3d12::BufferUse> uses() const noexcept override { return {}; }
    void run() const noexcept override { ADD_FAILURE() << "not bound"; }
    void refuse(std::string_view) const noexcept override {}
    std::shared_ptr<TestWork> bound = std::make_shared<TestWork>(TestWork::Uses{});
  };
  const auto late = std::make_shared<Late>();
  const auto early = record(list, {});
  com::query<d3d12::IWorkList>(list.Get())->record(late);
  ASSERT_EQ(list->Close(), S_OK);
  ID3D12CommandList* lists[] = {list.Get()};
  queue->ExecuteCommandLists(1, lists);
  queue->ExecuteCommandLists(1, lists);
  wait();
  EXPECT_EQ(late->bound->runs(), 2);
  EXPECT_EQ(early->runs(), 2);
}

TEST_F(Misuse, CopyListsTakeNoWork) {
  ComPtr<ID3D12CommandAllocator> copies;
  ComPtr<ID3D12GraphicsCommandList> copy_list;
  const auto type = D3D12_COMMAND_LIST_TYPE_COPY;
  ASSERT_EQ(device->CreateCommandAllocator(type, IID_PPV_ARGS(&copies)), S_OK);
  ASSERT_EQ(device->CreateCommandList(0, type, copies.Get(), nullptr, IID_PPV_ARGS(&copy_list)),
            S_OK);
  EXPECT_THAT(com::query<d3d12::IWorkList>(copy_list.Get())->recording_fault(),
              HasSubstr("is of type COPY"));
  const auto resource = writable(16);
  const auto one = transition(resource, kCommon, kUnordered);
  copy_list->ResourceBarrier(1, &one);
  EXPECT_EQ(copy_list->Close(), E_INVALIDARG);
}

}  // namespace
}  // namespace weft::test
