#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace weft::base {

// Threads of the arena that every run shares.
unsigned thread_count() noexcept;

// Calls work(context, slot) once for each slot in [0, slots), on as many threads as the arena has
// free, and waits for all. One slot runs on the calling thread.
void run_slots(unsigned slots, void (*work)(void* context, unsigned slot), void* context) noexcept;

// Calls body(tile, slot) for every tile in [0, tiles). A slot works on one tile at a time, so
// `slot` may index scratch memory; which slot gets a tile is not fixed, so a tile's result must
// not depend on it.
template <class Body>
void parallel_tiles(unsigned slots, std::int64_t tiles, const Body& body) noexcept {
  if (tiles < static_cast<std::int64_t>(slots)) slots = static_cast<unsigned>(tiles);
  if (slots <= 1) {
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
