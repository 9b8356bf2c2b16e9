#include "com/live_objects.h"

#include <atomic>

namespace weft::com {

namespace {

std::atomic<std::int64_t> live{0};

}  // namespace

std::int64_t live_objects() noexcept { return live.load(std::memory_order_acquire); }

LiveObject::LiveObject() noexcept { live.fetch_add(1, std::memory_order_relaxed); }

LiveObject::~LiveObject() { live.fetch_sub(1, std::memory_order_release); }

}  // namespace weft::com
