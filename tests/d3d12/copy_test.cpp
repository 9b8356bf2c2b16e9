// Copies between buffers of all heaps, and what is refused.

#include "d3d12/rig.h"

namespace weft::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class Copies : public DeviceTest {};

TEST_F(Copies, RoundTripThroughDefaultMemory) {
  const auto source = upload({1, 2, 3, 4});
  const auto middle = buffer(16);
  list->CopyResource(middle.Get(), source.Get());
  run();
  EXPECT_THAT(contents(middle), ElementsAre(1, 2, 3, 4));
}

TEST_F(Copies, RegionsGoWhereTheyAreSent) {
  const auto source = upload({1, 2, 3, 4});
  const auto target = buffer(32);
  list->CopyBufferRegion(target.Get(), 8, source.Get(), 4, 12);
  list->CopyBufferRegion(target.Get(), 28, source.Get(), 0, 4);
  run();
  EXPECT_THAT(contents(target), ElementsAre(0, 0, 2, 3, 4, 0, 0, 1));
}

TEST_F(Copies, OneListRunsAgainAndAgain) {
  const auto source = upload({7});
  const auto target = buffer(4);
  const auto readback = buffer(4, D3D12_HEAP_TYPE_READBACK);
  list->CopyResource(target.Get(), source.Get());
  const auto barrier =
      transition(target, D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_COPY_SOURCE);
  list->ResourceBarrier(1, &barrier);
  list->CopyResource(readback.Get(), target.Get());
  ASSERT_EQ(list->Close(), S_OK);
  ID3D12CommandList* lists[] = {list.Get(), list.Get()};
  queue->ExecuteCommandLists(1, lists);
  queue->ExecuteCommandLists(1, lists);
  wait();
  EXPECT_EQ(device->GetDeviceRemovedReason(), S_OK) << messages();
  EXPECT_THAT(read(readback), ElementsAre(7));
}

TEST_F(Copies, BoundsAreChecked) {
  const auto a = buffer(16), b = buffer(32);
  const auto refused = [&](auto&& record, const char* message) {
    record();
    EXPECT_EQ(list->Close(), E_INVALIDARG);
    EXPECT_THAT(messages(), HasSubstr(message));
    ASSERT_EQ(list->Reset(allocator.Get(), nullptr), S_OK);
  };
  refused([&] { list->CopyResource(a.Get(), b.Get()); }, "pDstResource has 16 bytes, must have");
  refused([&] { list->CopyBufferRegion(a.Get(), 0, b.Get(), 0, 17); }, "DstOffset: 17 bytes");
  refused([&] { list->CopyBufferRegion(b.Get(), 0, a.Get(), 4, 16); }, "SrcOffset: 16 bytes");
  refused([&] { list->CopyBufferRegion(b.Get(), UINT64_MAX, a.Get(), 0, 4); }, "DstOffset");
  refused([&] { list->CopyBufferRegion(b.Get(), 4, a.Get(), 0, UINT64_MAX); }, "DstOffset");
  refused([&] { list->CopyBufferRegion(a.Get(), 0, a.Get(), 8, 4); }, "the same resource");
  refused([&] { list->CopyResource(a.Get(), nullptr); }, "pSrcResource is null");
  refused([&] { list->CopyResource(nullptr, a.Get()); }, "pDstResource is null");
}

TEST_F(Copies, HeapsHaveTheirDirections) {
  const auto up = buffer(16, D3D12_HEAP_TYPE_UPLOAD);
  const auto back = buffer(16, D3D12_HEAP_TYPE_READBACK);
  const auto plain = buffer(16);
  list->CopyResource(up.Get(), plain.Get());
  EXPECT_EQ(list->Close(), E_INVALIDARG);
  EXPECT_THAT(messages(), HasSubstr("lies in an UPLOAD heap"));
  ASSERT_EQ(list->Reset(allocator.Get(), nullptr), S_OK);
  list->CopyResource(plain.Get(), back.Get());
  EXPECT_EQ(list->Close(), E_INVALIDARG);
  EXPECT_THAT(messages(), HasSubstr("lies in a READBACK heap"));
}

TEST_F(Copies, FreshMemoryIsZeroUnlessItNeedNotBe) {
  EXPECT_THAT(contents(buffer(1 << 16)), Each(0U));
  const D3D12_HEAP_PROPERTIES heap = heap_of(D3D12_HEAP_TYPE_DEFAULT);
  const D3D12_RESOURCE_DESC desc = buffer_desc(64, D3D12_RESOURCE_FLAG_NONE);
  ComPtr<ID3D12Resource> dirty;
  ASSERT_EQ(
      device->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_CREATE_NOT_ZEROED, &desc,
                                      D3D12_RESOURCE_STATE_COMMON, nullptr, IID_PPV_ARGS(&dirty)),
      S_OK);
  EXPECT_THAT(contents(dirty), Each(testing::Ne(0U)));  // the debug layer is on
}

}  // namespace
}  // namespace weft::test
