// The debug layer's outlets: stored messages, filters, callbacks.

#include <thread>

#include "d3d12/rig.h"

namespace weft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class InfoQueues : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(device.As(&info), S_OK);
  }
  void TearDown() override {
    info.Reset();
    DeviceTest::TearDown();
  }
  HRESULT add(const char* text, D3D12_MESSAGE_SEVERITY severity = D3D12_MESSAGE_SEVERITY_WARNING,
              D3D12_MESSAGE_ID id = D3D12_MESSAGE_ID_UNKNOWN) {
    return info->AddMessage(D3D12_MESSAGE_CATEGORY_EXECUTION, severity, id, text);
  }

  ComPtr<ID3D12InfoQueue1> info;
};

TEST(DebugLayer, OffMeansNoInfoQueue) {
  ComPtr<ID3D12Debug6> debug;
  ASSERT_EQ(D3D12GetDebugInterface(IID_PPV_ARGS(&debug)), S_OK);
  ComPtr<ID3D12Debug1> debug1;
  ComPtr<ID3D12Debug2> debug2;
  EXPECT_EQ(debug.As(&debug1), S_OK);
  EXPECT_EQ(debug.As(&debug2), S_OK);
  debug->DisableDebugLayer();
  ComPtr<ID3D12Device> device;
  ComPtr<ID3D12InfoQueue> info;
  ASSERT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&device)), S_OK);
  EXPECT_EQ(device.As(&info), E_NOINTERFACE);
  debug1->EnableDebugLayer();
  ASSERT_EQ(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0,
                              IID_PPV_ARGS(device.ReleaseAndGetAddressOf())),
            S_OK);
  EXPECT_EQ(device.As(&info), S_OK);
}

TEST_F(InfoQueues, KeepWhatIsAdded) {
  ASSERT_EQ(add("one", D3D12_MESSAGE_SEVERITY_ERROR, D3D12_MESSAGE_ID_MAP_INVALIDHEAP), S_OK);
  ASSERT_EQ(info->AddApplicationMessage(D3D12_MESSAGE_SEVERITY_INFO, "two"), S_OK);
  EXPECT_EQ(add(nullptr), E_INVALIDARG);
  EXPECT_EQ(messages(), "one\ntwo\n");
  SIZE_T size = 0;
  ASSERT_EQ(info->GetMessage(0, nullptr, &size), S_OK);
  EXPECT_EQ(size, sizeof(D3D12_MESSAGE) + 4);
  std::vector<D3D12_MESSAGE> storage(2);
  ASSERT_EQ(info->GetMessage(0, storage.data(), &size), S_OK);
  EXPECT_EQ(storage[0].ID, D3D12_MESSAGE_ID_MAP_INVALIDHEAP);
  EXPECT_EQ(storage[0].DescriptionByteLength, 4U);
  size = 5;
  EXPECT_EQ(info->GetMessage(0, storage.data(), &size), E_INVALIDARG);
  EXPECT_EQ(info->GetMessage(7, nullptr, &size), DXGI_ERROR_NOT_FOUND);
  info->ClearStoredMessages();
  EXPECT_EQ(info->GetNumStoredMessages(), 0U);
}

TEST_F(InfoQueues, DropTheOldestAtTheLimit) {
  EXPECT_EQ(info->GetMessageCountLimit(), 1024U);
  ASSERT_EQ(info->SetMessageCountLimit(2), S_OK);
  for (const char* text : {"a", "b", "c"}) add(text);
  EXPECT_EQ(messages(), "b\nc\n");
  EXPECT_EQ(info->GetNumMessagesDiscardedByMessageCountLimit(), 1U);
}

TEST_F(InfoQueues, FilterWhatIsStored) {
  D3D12_MESSAGE_SEVERITY warnings[] = {D3D12_MESSAGE_SEVERITY_WARNING};
  D3D12_INFO_QUEUE_FILTER filter = {};
  filter.DenyList.NumSeverities = 1;
  filter.DenyList.pSeverityList = warnings;
  ASSERT_EQ(info->PushStorageFilter(&filter), S_OK);
  add("warning");
  add("error", D3D12_MESSAGE_SEVERITY_ERROR);
  EXPECT_EQ(messages(), "error\n");
  EXPECT_EQ(info->GetNumMessagesDeniedByStorageFilter(), 1U);
  EXPECT_EQ(info->GetStorageFilterStackSize(), 2U);
  info->PopStorageFilter();
  add("warning");
  EXPECT_EQ(messages(), "error\nwarning\n");
  D3D12_MESSAGE_ID ids[] = {D3D12_MESSAGE_ID_MAP_INVALIDHEAP};
  filter = {};
  filter.AllowList.NumIDs = 1;
  filter.AllowList.pIDList = ids;
  ASSERT_EQ(info->AddStorageFilterEntries(&filter), S_OK);
  add("no");
  add("yes", D3D12_MESSAGE_SEVERITY_INFO, ids[0]);
  EXPECT_EQ(messages(), "error\nwarning\nyes\n");

  SIZE_T size = 0;
  ASSERT_EQ(info->GetStorageFilter(nullptr, &size), S_OK);
  std::vector<D3D12_INFO_QUEUE_FILTER> storage(2);
  ASSERT_EQ(info->GetStorageFilter(storage.data(), &size), S_OK);
  ASSERT_EQ(storage[0].AllowList.NumIDs, 1U);
  EXPECT_EQ(storage[0].AllowList.pIDList[0], ids[0]);
  info->ClearStorageFilter();
  EXPECT_EQ(info->AddStorageFilterEntries(nullptr), E_INVALIDARG);
}

TEST_F(InfoQueues, FilterWhatIsCounted) {
  add("warning");
  add("error", D3D12_MESSAGE_SEVERITY_ERROR);
  D3D12_MESSAGE_SEVERITY errors[] = {D3D12_MESSAGE_SEVERITY_ERROR};
  D3D12_INFO_QUEUE_FILTER filter = {};
  filter.AllowList.NumSeverities = 1;
  filter.AllowList.pSeverityList = errors;
  ASSERT_EQ(info->PushCopyOfRetrievalFilter(), S_OK);
  ASSERT_EQ(info->AddRetrievalFilterEntries(&filter), S_OK);
  EXPECT_EQ(info->GetNumStoredMessagesAllowedByRetrievalFilter(), 1U);
  EXPECT_EQ(info->GetNumStoredMessages(), 2U);
  std::vector<D3D12_MESSAGE> storage(2);
  SIZE_T size = storage.size() * sizeof storage[0];
  ASSERT_EQ(info->GetMessage(0, storage.data(), &size), S_OK);
  EXPECT_STREQ(storage[0].pDescription, "error");
  EXPECT_EQ(info->GetMessage(1, nullptr, &size), DXGI_ERROR_NOT_FOUND);
  info->PopRetrievalFilter();
  info->PopRetrievalFilter();
  EXPECT_EQ(info->GetNumStoredMessagesAllowedByRetrievalFilter(), 2U);
  EXPECT_EQ(info->GetRetrievalFilterStackSize(), 1U);
}

void collect(D3D12_MESSAGE_CATEGORY, D3D12_MESSAGE_SEVERITY, D3D12_MESSAGE_ID, LPCSTR text,
             void* context) {
  static_cast<std::vector<std::string>*>(context)->emplace_back(text);
}

TEST_F(InfoQueues, CallBack) {
  std::vector<std::string> all, filtered;
  DWORD first = 0, second = 0;
  ASSERT_EQ(
      info->RegisterMessageCallback(collect, D3D12_MESSAGE_CALLBACK_IGNORE_FILTERS, &all, &first),
      S_OK);
  ASSERT_EQ(
      info->RegisterMessageCallback(collect, D3D12_MESSAGE_CALLBACK_FLAG_NONE, &filtered, &second),
      S_OK);
  EXPECT_NE(first, 0U);
  EXPECT_NE(first, second);
  D3D12_MESSAGE_SEVERITY warnings[] = {D3D12_MESSAGE_SEVERITY_WARNING};
  D3D12_INFO_QUEUE_FILTER filter = {};
  filter.DenyList.NumSeverities = 1;
  filter.DenyList.pSeverityList = warnings;
  info->PushStorageFilter(&filter);
  add("quiet");
  list->CopyResource(nullptr, nullptr);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], "quiet");
  EXPECT_THAT(filtered, ElementsAre(HasSubstr("CopyResource: pDstResource is null")));
  EXPECT_EQ(info->UnregisterMessageCallback(first), S_OK);
  EXPECT_EQ(info->UnregisterMessageCallback(first), E_INVALIDARG);
  add("later");
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(
      info->RegisterMessageCallback(nullptr, D3D12_MESSAGE_CALLBACK_FLAG_NONE, nullptr, &first),
      E_INVALIDARG);
}

struct Remover {
  ID3D12InfoQueue1* info;
  DWORD victim;
};

TEST_F(InfoQueues, NeverCallBackWhatWasRemoved) {
  Remover remover = {info.Get(), 0};
  std::vector<std::string> seen;
  DWORD first = 0;
  ASSERT_EQ(info->RegisterMessageCallback(
                [](D3D12_MESSAGE_CATEGORY, D3D12_MESSAGE_SEVERITY, D3D12_MESSAGE_ID, LPCSTR,
                   void* context) {
                  const auto* given = static_cast<Remover*>(context);
                  given->info->UnregisterMessageCallback(given->victim);
                },
                D3D12_MESSAGE_CALLBACK_FLAG_NONE, &remover, &first),
            S_OK);
  ASSERT_EQ(info->RegisterMessageCallback(collect, D3D12_MESSAGE_CALLBACK_FLAG_NONE, &seen,
                                          &remover.victim),
            S_OK);
  add("text");
  EXPECT_THAT(seen, testing::IsEmpty());
}

TEST_F(InfoQueues, KeepTheirSwitches) {
  EXPECT_FALSE(info->GetBreakOnSeverity(D3D12_MESSAGE_SEVERITY_ERROR));
  EXPECT_EQ(info->SetBreakOnSeverity(D3D12_MESSAGE_SEVERITY_ERROR, TRUE), S_OK);
  EXPECT_TRUE(info->GetBreakOnSeverity(D3D12_MESSAGE_SEVERITY_ERROR));
  EXPECT_FALSE(info->GetBreakOnCategory(D3D12_MESSAGE_CATEGORY_EXECUTION));
  info->SetMuteDebugOutput(TRUE);
  EXPECT_TRUE(info->GetMuteDebugOutput());
}

TEST_F(InfoQueues, TakeMessagesFromManyThreads) {
  std::vector<std::string> seen;
  DWORD cookie = 0;
  info->RegisterMessageCallback(collect, D3D12_MESSAGE_CALLBACK_FLAG_NONE, &seen, &cookie);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) add("text");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen.size(), 400U);
  EXPECT_EQ(info->GetNumStoredMessages(), 400U);
  info->UnregisterMessageCallback(cookie);
}

}  // namespace
}  // namespace weft::test
