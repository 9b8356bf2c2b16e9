#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/float_mode.h"

namespace weft::base {

// Threads of the arena that every run shares.
unsigned thread_count() noexcept;

// Starts the threads of the arena, once a process, so that later runs find all that they need.
// May throw std::bad_alloc.
void start_threads();

// Calls work(context, slot) for slots of [0, slots), each at most once at a time, on as many
// threads as the arena has free, and waits for all. All slots but one may be left out where memory
// for tasks has run out: work takes its tiles from a common counter, so any slot does what others
// leave. Each call has the default floating-point mode.
void run_slots(unsigned slots, void (*work)(void* context, unsigned slot), void* context) noexcept;

// Calls body(tile, slot) for every tile in [0, tiles). A slot works on one tile at a time, so
// `slot` may index scratch memory; which slot gets a tile is not fixed, so a tile's result must
// not depend on it.
template <class Body>
void parallel_tiles(unsigned slots, std::int64_t tiles, const Body& body) noexcept {
  if (tiles < static_cast<std::int64_t>(slots)) slots = static_cast<unsigned>(tiles);
  if (slots <= 1) {
    const DefaultFloatMode mode;
    for (std::int64_t tile = 0; tile < tiles; ++tile) body(tile, 0u);
    return;
  }
  struct Context {
    const Body& body;
    std::int64_t tiles;
    std::atomic<std::int64_t> next{0};
  } context{body, tiles};
  run_slots(
      slots,
      [](void* pointer, unsigned slot) {
        Context& c = *static_cast<Context*>(pointer);
        for (;;) {
          const std::int64_t tile = c.next.fetch_add(1, std::memory_order_relaxed);
          if (tile >= c.tiles) return;
          c.body(tile, slot);
        }
      },
      &context);
}

}  // namespace weft::base
