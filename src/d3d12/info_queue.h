#pragma once

#include <map>
#include <mutex>

#include "d3d12/device_state.h"

namespace weft::d3d12 {

// ID3D12InfoQueue1 of a device: the same COM object as the device, which answers for it when the
// debug layer is on.
class InfoQueue final : public ID3D12InfoQueue1 {
 public:
  InfoQueue(IUnknown& device, DeviceState& state) : device_(device), state_(state) {}

  HRESULT QueryInterface(REFIID riid, void** object) override {
    return device_.QueryInterface(riid, object);
  }
  ULONG AddRef() override { return device_.AddRef(); }
  ULONG Release() override { return device_.Release(); }

  HRESULT SetMessageCountLimit(UINT64 limit) override;
  void ClearStoredMessages() override { store().clear(); }
  // The index counts what passes the retrieval filter. The text lies behind the D3D12_MESSAGE,
  // terminator and all.
  HRESULT GetMessage(UINT64 index, D3D12_MESSAGE* message, SIZE_T* size) override;
  UINT64 GetNumMessagesAllowedByStorageFilter() override { return store().counters().allowed; }
  UINT64 GetNumMessagesDeniedByStorageFilter() override { return store().counters().denied; }
  UINT64 GetNumStoredMessages() override { return store().stored_count(); }
  UINT64 GetNumStoredMessagesAllowedByRetrievalFilter() override {
    return store().retrievable_count();
  }
  UINT64 GetNumMessagesDiscardedByMessageCountLimit() override {
    return store().counters().discarded;
  }
  UINT64 GetMessageCountLimit() override { return store().limit(); }

  HRESULT AddStorageFilterEntries(D3D12_INFO_QUEUE_FILTER* filter) override;
  HRESULT GetStorageFilter(D3D12_INFO_QUEUE_FILTER* filter, SIZE_T* size) override;
  void ClearStorageFilter() override;
  HRESULT PushEmptyStorageFilter() override;
  HRESULT PushCopyOfStorageFilter() override;
  HRESULT PushStorageFilter(D3D12_INFO_QUEUE_FILTER* filter) override;
  void PopStorageFilter() override;
  UINT GetStorageFilterStackSize() override;

  HRESULT AddRetrievalFilterEntries(D3D12_INFO_QUEUE_FILTER* filter) override;
  HRESULT GetRetrievalFilter(D3D12_INFO_QUEUE_FILTER* filter, SIZE_T* size) override;
  void ClearRetrievalFilter() override;
  HRESULT PushEmptyRetrievalFilter() override;
  HRESULT PushCopyOfRetrievalFilter() override;
  HRESULT PushRetrievalFilter(D3D12_INFO_QUEUE_FILTER* filter) override;
  void PopRetrievalFilter() override;
  UINT GetRetrievalFilterStackSize() override;

  // Kept as given: other libraries print what they add themselves.
  HRESULT AddMessage(D3D12_MESSAGE_CATEGORY category, D3D12_MESSAGE_SEVERITY severity,
                     D3D12_MESSAGE_ID id, LPCSTR description) override;
  HRESULT AddApplicationMessage(D3D12_MESSAGE_SEVERITY severity, LPCSTR description) override;

  // Kept, but nothing breaks: a callback can.
  HRESULT SetBreakOnCategory(D3D12_MESSAGE_CATEGORY category, BOOL enable) override;
  HRESULT SetBreakOnSeverity(D3D12_MESSAGE_SEVERITY severity, BOOL enable) override;
  HRESULT SetBreakOnID(D3D12_MESSAGE_ID id, BOOL enable) override;
  BOOL GetBreakOnCategory(D3D12_MESSAGE_CATEGORY category) override;
  BOOL GetBreakOnSeverity(D3D12_MESSAGE_SEVERITY severity) override;
  BOOL GetBreakOnID(D3D12_MESSAGE_ID id) override;

  // The debug output is stderr, under WEFT_LOG.
  void SetMuteDebugOutput(BOOL mute) override { state_.mute_log(mute != FALSE); }
  BOOL GetMuteDebugOutput() override { return state_.log_is_muted() ? TRUE : FALSE; }

  HRESULT RegisterMessageCallback(D3D12MessageFunc function, D3D12_MESSAGE_CALLBACK_FLAGS flags,
                                  void* context, DWORD* cookie) override;
  HRESULT UnregisterMessageCallback(DWORD cookie) override;

 private:
  enum class BreakOn { category, severity, id };

  MessageStore& store() noexcept { return state_.messages(); }
  HRESULT set_break(BreakOn kind, int value, BOOL enable) noexcept;
  BOOL get_break(BreakOn kind, int value) noexcept;

  IUnknown& device_;
  DeviceState& state_;
  std::mutex break_mutex_;
  std::map<std::pair<BreakOn, int>, BOOL> breaks_;
};

}  // namespace weft::d3d12
