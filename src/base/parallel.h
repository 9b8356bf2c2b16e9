#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/float_mode.h"

namespace weft::base {

// Processors that this process may use, or whose time its container may use up where that is less:
// so many threads share the slots of all runs.
unsigned thread_count() noexcept;

// Starts them, unless they have been. Planning does, so that runs allocate nothing.
void start_threads() noexcept;

// Calls work(context, slot) for slots of [0, slots), each at most once at a time, slot 0 on this
// thread and the others on as many as have nothing else to do meanwhile, and waits for all that has
// begun. Nothing more begins once a call has returned: work takes its tiles from counters that all
// slots share, so any slot does what others leave. Each call has the default floating-point mode.
void run_slots(unsigned slots, void (*work)(void* context, unsigned slot), void* context) noexcept;

// What the following share: all slots go through the first `together` tiles, in order; the others
// are in parts of equal size, in one of which each slot begins, to help in the next ones later.
// Calls body(tile, slot, previous), with the slot's tile before this one or -1.
template <class Body>
void parallel_parts(unsigned slots, std::int64_t tiles, std::int64_t together,
                    const Body& body) noexcept {
  constexpr unsigned kMostParts = 32;
  if (tiles < static_cast<std::int64_t>(slots)) slots = static_cast<unsigned>(tiles);
  if (slots <= 1) {
    const DefaultFloatMode mode;
    for (std::int64_t tile = 0; tile < tiles; ++tile) body(tile, 0u, tile - 1);
    return;
  }
  struct alignas(64) Counter {
    std::atomic<std::int64_t> next{0};
  };
  struct Context {
    const Body& body;
    std::int64_t tiles, together;
    unsigned parts;
    Counter first;
    std::array<Counter, kMostParts> counters;
  } context{body, tiles, together, std::min(slots, kMostParts), {}, {}};
  run_slots(
      slots,
      [](void* pointer, unsigned slot) {
        Context& c = *static_cast<Context*>(pointer);
        std::int64_t previous = -1;
        const auto take = [&](Counter& counter, std::int64_t first, std::int64_t end) {
          for (;;) {
            const std::int64_t tile = first + counter.next.fetch_add(1, std::memory_order_relaxed);
            if (tile >= end) break;
            c.body(tile, slot, previous);
            previous = tile;
          }
        };
        if (c.together > 0) take(c.first, 0, c.together);
        const std::int64_t rest = c.tiles - c.together;
        for (unsigned i = 0; i < c.parts && rest > 0; ++i) {
          const unsigned part = (slot + i) % c.parts;
          take(c.counters[part], c.together + rest * part / c.parts,
               c.together + rest * (part + 1) / c.parts);
        }
      },
      &context);
}

// Calls body(tile, slot) for every tile in [0, tiles). A slot works on one tile at a time, so
// `slot` may index scratch memory; which slot gets a tile is not fixed, so a tile's result must
// not depend on it. All slots go through the tiles together, in order: they find in a shared cache
// what neighbouring tiles both read.
template <class Body>
void parallel_tiles(unsigned slots, std::int64_t tiles, const Body& body) noexcept {
  parallel_parts(slots, tiles, tiles,
                 [&](std::int64_t tile, unsigned slot, std::int64_t) { body(tile, slot); });
}

// The same for what does little but move data: the slots keep apart, so that no two write to
// neighbouring lines at once, and the next run over tensors of these sizes finds them in the caches
// that this one left them in. Unfolding into 16x16 patches on two threads: 48 us together, 24
// apart.
template <class Body>
void parallel_tiles_apart(unsigned slots, std::int64_t tiles, const Body& body) noexcept {
  parallel_parts(slots, tiles, 0,
                 [&](std::int64_t tile, unsigned slot, std::int64_t) { body(tile, slot); });
}

}  // namespace weft::base
