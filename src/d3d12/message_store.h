#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "d3d12/message_filter.h"

namespace weft::d3d12 {

struct Message {
  MessageKind kind;
  std::string text;
};

// A stack of filters; the uppermost one counts.
using FilterStack = std::vector<MessageFilter>;

// The messages of one device: kept up to a limit, filtered, and given to the callbacks that a
// program registers. Any thread.
class MessageStore {
 public:
  struct Counters {
    std::uint64_t allowed = 0;    // by the storage filter
    std::uint64_t denied = 0;     // by the storage filter
    std::uint64_t discarded = 0;  // oldest ones, for the limit
  };

  // Calls the callbacks, on this thread. Nothing is said when there is no memory for it.
  void add(const MessageKind& kind, std::string_view text) noexcept;

  void clear() noexcept;
  // Of the stored messages that pass the retrieval filter.
  std::optional<Message> retrievable(std::uint64_t index) const;
  std::uint64_t stored_count() const noexcept;
  std::uint64_t retrievable_count() const noexcept;
  Counters counters() const noexcept;

  std::uint64_t limit() const noexcept;
  // UINT64_MAX: none. The oldest messages go when there are more.
  void set_limit(std::uint64_t limit) noexcept;

  // Calls change(FilterStack&) for the storage or the retrieval filters, which are never empty.
  template <class Change>
  auto change_filters(bool storage, const Change& change) {
    const std::lock_guard lock(mutex_);
    return change(storage ? storage_filters_ : retrieval_filters_);
  }

  // The cookie, never 0.
  DWORD add_callback(D3D12MessageFunc function, D3D12_MESSAGE_CALLBACK_FLAGS flags, void* context);
  bool remove_callback(DWORD cookie) noexcept;

 private:
  struct Callback {
    DWORD cookie;
    D3D12MessageFunc function;
    D3D12_MESSAGE_CALLBACK_FLAGS flags;
    void* context;
  };

  void shrink() noexcept;
  // Holds callback_mutex_.
  bool is_registered(DWORD cookie) const noexcept;

  mutable std::mutex mutex_;
  std::deque<Message> messages_;
  Counters counters_;
  std::uint64_t limit_ = D3D12_INFO_QUEUE_DEFAULT_MESSAGE_COUNT_LIMIT;
  FilterStack storage_filters_{1};
  FilterStack retrieval_filters_{1};

  // Held while callbacks run, so that none runs after remove_callback() has come back. A callback
  // may come back to this store.
  std::recursive_mutex callback_mutex_;
  std::vector<Callback> callbacks_;
  DWORD last_cookie_ = 0;
};

}  // namespace weft::d3d12
