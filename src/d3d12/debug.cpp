#include "d3d12/debug.h"

#include <atomic>

namespace weft::d3d12 {

namespace {

std::atomic<bool> layer{false};

}  // namespace

bool Debug::layer_is_on() noexcept { return layer.load(std::memory_order_relaxed); }
void Debug::EnableDebugLayer() { layer.store(true, std::memory_order_relaxed); }
void Debug::DisableDebugLayer() { layer.store(false, std::memory_order_relaxed); }

}  // namespace weft::d3d12
