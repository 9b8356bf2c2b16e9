#include "d3d12/message_store.h"

#include <algorithm>

namespace weft::d3d12 {

void MessageStore::add(const MessageKind& kind, std::string_view text) noexcept try {
  Message message{kind, std::string(text)};
  bool passes = true;
  {
    const std::lock_guard lock(mutex_);
    passes = storage_filters_.back().passes(kind);
    if (passes) {
      ++counters_.allowed;
      messages_.push_back(message);
      shrink();
    } else {
      ++counters_.denied;
    }
  }
  const std::lock_guard lock(callback_mutex_);
  const std::vector<Callback> callbacks = callbacks_;  // a callback may add and remove some
  for (const Callback& callback : callbacks) {
    if (!passes && !(callback.flags & D3D12_MESSAGE_CALLBACK_IGNORE_FILTERS)) continue;
    if (!is_registered(callback.cookie)) continue;
    callback.function(kind.category, kind.severity, kind.id, message.text.c_str(),
                      callback.context);
  }
} catch (...) {  // out of memory: the message is lost, its cause is still answered with an HRESULT
}

void MessageStore::shrink() noexcept {
  while (messages_.size() > limit_) {
    messages_.pop_front();
    ++counters_.discarded;
  }
}

void MessageStore::clear() noexcept {
  const std::lock_guard lock(mutex_);
  messages_.clear();
}

std::optional<Message> MessageStore::retrievable(std::uint64_t index) const {
  const std::lock_guard lock(mutex_);
  const MessageFilter& filter = retrieval_filters_.back();
  for (const Message& message : messages_) {
    if (filter.passes(message.kind) && index-- == 0) return message;
  }
  return std::nullopt;
}

std::uint64_t MessageStore::stored_count() const noexcept {
  const std::lock_guard lock(mutex_);
  return messages_.size();
}

std::uint64_t MessageStore::retrievable_count() const noexcept {
  const std::lock_guard lock(mutex_);
  const MessageFilter& filter = retrieval_filters_.back();
  return static_cast<std::uint64_t>(
      std::count_if(messages_.begin(), messages_.end(),
                    [&](const Message& message) { return filter.passes(message.kind); }));
}

MessageStore::Counters MessageStore::counters() const noexcept {
  const std::lock_guard lock(mutex_);
  return counters_;
}

std::uint64_t MessageStore::limit() const noexcept {
  const std::lock_guard lock(mutex_);
  return limit_;
}

void MessageStore::set_limit(std::uint64_t limit) noexcept {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
  shrink();
}

DWORD MessageStore::add_callback(D3D12MessageFunc function, D3D12_MESSAGE_CALLBACK_FLAGS flags,
                                 void* context) {
  const std::lock_guard lock(callback_mutex_);
  callbacks_.push_back({last_cookie_ + 1, function, flags, context});
  return ++last_cookie_;
}

bool MessageStore::is_registered(DWORD cookie) const noexcept {
  return std::any_of(callbacks_.begin(), callbacks_.end(),
                     [&](const Callback& c) { return c.cookie == cookie; });
}

bool MessageStore::remove_callback(DWORD cookie) noexcept {
  const std::lock_guard lock(callback_mutex_);
  return std::erase_if(callbacks_, [&](const Callback& c) { return c.cookie == cookie; }) != 0;
}

}  // namespace weft::d3d12
