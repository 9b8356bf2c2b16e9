#include "d3d12/info_queue.h"

#include <cstring>
#include <utility>

namespace weft::d3d12 {

namespace {

// For bodies that allocate.
template <class Body>
HRESULT quietly(const Body& body) noexcept {
  return com::guard([](HRESULT, std::string_view) {}, body);
}

HRESULT add_entries(MessageStore& store, bool storage, const D3D12_INFO_QUEUE_FILTER* filter) {
  if (!filter) return E_INVALIDARG;
  return quietly([&] {
    store.change_filters(storage, [&](FilterStack& stack) {
      MessageFilter longer = stack.back();
      longer.allow.add(filter->AllowList);
      longer.deny.add(filter->DenyList);
      stack.back() = std::move(longer);
    });
  });
}

HRESULT push(MessageStore& store, bool storage, const D3D12_INFO_QUEUE_FILTER* filter) {
  return quietly([&] {
    MessageFilter pushed;
    if (filter) {
      pushed.allow.add(filter->AllowList);
      pushed.deny.add(filter->DenyList);
    }
    store.change_filters(storage, [&](FilterStack& stack) { stack.push_back(std::move(pushed)); });
  });
}

HRESULT push_copy(MessageStore& store, bool storage) {
  return quietly([&] {
    store.change_filters(storage,
                         [](FilterStack& stack) { stack.push_back(MessageFilter(stack.back())); });
  });
}

void pop(MessageStore& store, bool storage) {
  store.change_filters(storage, [](FilterStack& stack) {
    if (stack.size() > 1) {
      stack.pop_back();
    } else {
      stack.back() = {};
    }
  });
}

void clear(MessageStore& store, bool storage) {
  store.change_filters(storage, [](FilterStack& stack) { stack.back() = {}; });
}

UINT stack_size(MessageStore& store, bool storage) {
  return store.change_filters(storage,
                              [](FilterStack& stack) { return static_cast<UINT>(stack.size()); });
}

// Appends a list behind the filter and gives its address there.
template <class T>
T* place(std::byte*& at, const std::vector<T>& list) noexcept {
  if (list.empty()) return nullptr;
  auto* start = reinterpret_cast<T*>(at);
  std::memcpy(start, list.data(), list.size() * sizeof(T));
  at += list.size() * sizeof(T);
  return start;
}

D3D12_INFO_QUEUE_FILTER_DESC place_list(std::byte*& at, const MessageList& list) noexcept {
  D3D12_INFO_QUEUE_FILTER_DESC desc = {};
  desc.NumCategories = static_cast<UINT>(list.categories.size());
  desc.pCategoryList = place(at, list.categories);
  desc.NumSeverities = static_cast<UINT>(list.severities.size());
  desc.pSeverityList = place(at, list.severities);
  desc.NumIDs = static_cast<UINT>(list.ids.size());
  desc.pIDList = place(at, list.ids);
  return desc;
}

std::size_t entry_bytes(const MessageList& list) noexcept {
  return list.categories.size() * sizeof(D3D12_MESSAGE_CATEGORY) +
         list.severities.size() * sizeof(D3D12_MESSAGE_SEVERITY) +
         list.ids.size() * sizeof(D3D12_MESSAGE_ID);
}

HRESULT get_filter(MessageStore& store, bool storage, D3D12_INFO_QUEUE_FILTER* filter,
                   SIZE_T* size) {
  if (!size) return E_INVALIDARG;
  return store.change_filters(storage, [&](FilterStack& stack) -> HRESULT {
    const MessageFilter& top = stack.back();
    const std::size_t needed =
        sizeof(D3D12_INFO_QUEUE_FILTER) + entry_bytes(top.allow) + entry_bytes(top.deny);
    const std::size_t room = std::exchange(*size, needed);
    if (!filter) return S_OK;
    if (room < needed) return E_INVALIDARG;
    auto* at = reinterpret_cast<std::byte*>(filter + 1);
    filter->AllowList = place_list(at, top.allow);
    filter->DenyList = place_list(at, top.deny);
    return S_OK;
  });
}

constexpr bool kStorage = true;
constexpr bool kRetrieval = false;

}  // namespace

HRESULT InfoQueue::SetMessageCountLimit(UINT64 limit) {
  store().set_limit(limit);
  return S_OK;
}

HRESULT InfoQueue::GetMessage(UINT64 index, D3D12_MESSAGE* message, SIZE_T* size) {
  if (!size) return E_INVALIDARG;
  return quietly([&]() -> HRESULT {
    const auto stored = store().retrievable(index);
    if (!stored) return DXGI_ERROR_NOT_FOUND;
    const std::size_t text_size = stored->text.size() + 1;
    const std::size_t needed = sizeof(D3D12_MESSAGE) + text_size;
    const std::size_t room = std::exchange(*size, needed);
    if (!message) return S_OK;
    if (room < needed) return E_INVALIDARG;
    char* text = reinterpret_cast<char*>(message + 1);
    std::memcpy(text, stored->text.c_str(), text_size);
    *message = {stored->kind.category, stored->kind.severity, stored->kind.id, text, text_size};
    return S_OK;
  });
}

HRESULT InfoQueue::AddStorageFilterEntries(D3D12_INFO_QUEUE_FILTER* filter) {
  return add_entries(store(), kStorage, filter);
}
HRESULT InfoQueue::GetStorageFilter(D3D12_INFO_QUEUE_FILTER* filter, SIZE_T* size) {
  return get_filter(store(), kStorage, filter, size);
}
void InfoQueue::ClearStorageFilter() { clear(store(), kStorage); }
HRESULT InfoQueue::PushEmptyStorageFilter() { return push(store(), kStorage, nullptr); }
HRESULT InfoQueue::PushCopyOfStorageFilter() { return push_copy(store(), kStorage); }
HRESULT InfoQueue::PushStorageFilter(D3D12_INFO_QUEUE_FILTER* filter) {
  return filter ? push(store(), kStorage, filter) : E_INVALIDARG;
}
void InfoQueue::PopStorageFilter() { pop(store(), kStorage); }
UINT InfoQueue::GetStorageFilterStackSize() { return stack_size(store(), kStorage); }

HRESULT InfoQueue::AddRetrievalFilterEntries(D3D12_INFO_QUEUE_FILTER* filter) {
  return add_entries(store(), kRetrieval, filter);
}
HRESULT InfoQueue::GetRetrievalFilter(D3D12_INFO_QUEUE_FILTER* filter, SIZE_T* size) {
  return get_filter(store(), kRetrieval, filter, size);
}
void InfoQueue::ClearRetrievalFilter() { clear(store(), kRetrieval); }
HRESULT InfoQueue::PushEmptyRetrievalFilter() { return push(store(), kRetrieval, nullptr); }
HRESULT InfoQueue::PushCopyOfRetrievalFilter() { return push_copy(store(), kRetrieval); }
HRESULT InfoQueue::PushRetrievalFilter(D3D12_INFO_QUEUE_FILTER* filter) {
  return filter ? push(store(), kRetrieval, filter) : E_INVALIDARG;
}
void InfoQueue::PopRetrievalFilter() { pop(store(), kRetrieval); }
UINT InfoQueue::GetRetrievalFilterStackSize() { return stack_size(store(), kRetrieval); }

HRESULT InfoQueue::AddMessage(D3D12_MESSAGE_CATEGORY category, D3D12_MESSAGE_SEVERITY severity,
                              D3D12_MESSAGE_ID id, LPCSTR description) {
  if (!description) return E_INVALIDARG;
  store().add({category, severity, id}, description);
  return S_OK;
}

HRESULT InfoQueue::AddApplicationMessage(D3D12_MESSAGE_SEVERITY severity, LPCSTR description) {
  return AddMessage(D3D12_MESSAGE_CATEGORY_APPLICATION_DEFINED, severity,
                    D3D12_MESSAGE_ID_STRING_FROM_APPLICATION, description);
}

HRESULT InfoQueue::set_break(BreakOn kind, int value, BOOL enable) noexcept {
  return quietly([&] {
    const std::lock_guard lock(break_mutex_);
    breaks_[{kind, value}] = enable;
  });
}

BOOL InfoQueue::get_break(BreakOn kind, int value) noexcept {
  const std::lock_guard lock(break_mutex_);
  const auto found = breaks_.find({kind, value});
  return found == breaks_.end() ? FALSE : found->second;
}

HRESULT InfoQueue::SetBreakOnCategory(D3D12_MESSAGE_CATEGORY category, BOOL enable) {
  return set_break(BreakOn::category, category, enable);
}
HRESULT InfoQueue::SetBreakOnSeverity(D3D12_MESSAGE_SEVERITY severity, BOOL enable) {
  return set_break(BreakOn::severity, severity, enable);
}
HRESULT InfoQueue::SetBreakOnID(D3D12_MESSAGE_ID id, BOOL enable) {
  return set_break(BreakOn::id, id, enable);
}
BOOL InfoQueue::GetBreakOnCategory(D3D12_MESSAGE_CATEGORY category) {
  return get_break(BreakOn::category, category);
}
BOOL InfoQueue::GetBreakOnSeverity(D3D12_MESSAGE_SEVERITY severity) {
  return get_break(BreakOn::severity, severity);
}
BOOL InfoQueue::GetBreakOnID(D3D12_MESSAGE_ID id) { return get_break(BreakOn::id, id); }

HRESULT InfoQueue::RegisterMessageCallback(D3D12MessageFunc function,
                                           D3D12_MESSAGE_CALLBACK_FLAGS flags, void* context,
                                           DWORD* cookie) {
  if (!function || !cookie) return E_INVALIDARG;
  *cookie = 0;
  return quietly([&] { *cookie = store().add_callback(function, flags, context); });
}

HRESULT InfoQueue::UnregisterMessageCallback(DWORD cookie) {
  return store().remove_callback(cookie) ? S_OK : E_INVALIDARG;
}

}  // namespace weft::d3d12
