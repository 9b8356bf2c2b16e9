#pragma once

// What the kernels of the matrix unit share. Only for files that are compiled for that unit.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/split/product.h"
#include "kernels/split/split_vectors.h"

namespace weft::kernels::WEFT_ISA {
namespace {

inline constexpr std::int64_t kHalf = kSplitBlock / 2;      // rows of a tile
inline constexpr std::int64_t kTile = kHalf * kSplitBlock;  // elements of a tile of bfloat16
inline constexpr std::int64_t kTileBytes = kTile * 2;
inline constexpr std::int64_t kLine = 64;

// Tiles 0 to 3: sums, 16 x 16 each. 4 and 5: their rows' operand, pixels or filter. 6 and 7: that
// of their columns.
#define WEFT_LOAD_A(from)        \
  _tile_loadd(4, (from), kLine); \
  _tile_loadd(5, (from) + kTile, kLine)
#define WEFT_LOAD_B(from)        \
  _tile_loadd(6, (from), kLine); \
  _tile_loadd(7, (from) + kTile, kLine)
#define WEFT_PRODUCTS      \
  _tile_dpbf16ps(0, 4, 6); \
  _tile_dpbf16ps(1, 4, 7); \
  _tile_dpbf16ps(2, 5, 6); \
  _tile_dpbf16ps(3, 5, 7)

// Loads that miss the first level hold up the products: few of them can be under way. So the next
// step's operands are fetched, a tile of the filter after each four products (6 to 15% of the
// whole), and pixels where they are not those of this step, moved by one (10%).
inline void prefetch_tile(const std::uint16_t* from) {
  for (int line = 0; line < kTileBytes / kLine; ++line) {
    _mm_prefetch(reinterpret_cast<const char*>(from) + line * kLine, _MM_HINT_T0);
  }
}

inline void zero_tiles() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

// The sums of the tiles to 32 x 32 floats, rows `line` apart. Those of later terms are added as a
// whole: the error of long chains grows with their length.
inline void store_sums(float* sums, std::int64_t line, bool first) {
  const auto store = [](float* to, std::int64_t to_line) {
    _tile_stored(0, to, to_line * 4);
    _tile_stored(1, to + kHalf, to_line * 4);
    _tile_stored(2, to + kHalf * to_line, to_line * 4);
    _tile_stored(3, to + kHalf * to_line + kHalf, to_line * 4);
  };
  if (first) {
    store(sums, line);
    return;
  }
  alignas(64) float later[kSplitBlock * kSplitBlock];
  store(later, kSplitBlock);
  for (std::int64_t row = 0; row < kSplitBlock; ++row) {
    for (std::int64_t half = 0; half < kSplitBlock; half += kHalf) {
      float* const to = sums + row * line + half;
      _mm512_storeu_ps(
          to, _mm512_add_ps(_mm512_loadu_ps(to), _mm512_load_ps(later + row * kSplitBlock + half)));
    }
  }
}

// 16 outputs of 64 positions, in the order of multiply_block(): four sums at a time do not wait for
// each other. Those of the second half follow as rows of 16 more outputs.
template <class Between>
inline void multiply_wide(const ProductBlock& block, const Between& between) {
  const PatchLayout& layout = block.layout;
  const std::uint16_t* a = block.filter;
  const std::uint16_t* b = block.patches;
  // With one part of two tiles of columns, from a half on; both parts of the filter are loaded.
#define WEFT_WIDE(left, right, first)                                  \
  {                                                                    \
    const std::uint16_t* const from = b + (first)*layout.half;         \
    _tile_loadd(6, from + layout.part, layout.pair * 2);               \
    _tile_loadd(7, from + layout.part + layout.half, layout.pair * 2); \
    if (block.all_products) {                                          \
      _tile_dpbf16ps(left, 5, 6);                                      \
      _tile_dpbf16ps(right, 5, 7);                                     \
    }                                                                  \
    _tile_dpbf16ps(left, 4, 6);                                        \
    _tile_dpbf16ps(right, 4, 7);                                       \
    between();                                                         \
    _tile_loadd(6, from, layout.pair * 2);                             \
    _tile_loadd(7, from + layout.half, layout.pair * 2);               \
    _tile_dpbf16ps(left, 4, 6);                                        \
    _tile_dpbf16ps(right, 4, 7);                                       \
    _tile_dpbf16ps(left, 5, 6);                                        \
    _tile_dpbf16ps(right, 5, 7);                                       \
    between();                                                         \
  }
  zero_tiles();
  for (std::int64_t step = 0; step < block.steps; ++step, a += 2 * kSplitFilterPart) {
    const std::uint16_t* const next = step + 1 < block.steps ? b + layout.step : block.next;
    _tile_loadd(4, a, kLine);
    _tile_loadd(5, a + kSplitFilterPart, kLine);
    WEFT_WIDE(0, 1, 0)
    WEFT_WIDE(2, 3, 2)
    for (std::int64_t pair = 0; pair < 2 * kHalf; ++pair) {
      const std::uint16_t* const from =
          next + pair / kHalf * layout.part + pair % kHalf * layout.pair;
      for (std::int64_t half = 0; half < 4; ++half) {
        _mm_prefetch(reinterpret_cast<const char*>(from + half * layout.half), _MM_HINT_T0);
      }
    }
    b = next;
  }
#undef WEFT_WIDE
  store_sums(block.acc, block.acc_stride, block.first);
}

// 32 x 32 sums; product.h has the layouts. between() is called after each four products. What the
// compiler knows of packed patches, always whole blocks, saves 3 to 8% of short sums.
template <int parts, bool packed, class Between>
inline void multiply_block(const ProductBlock& block, const Between& between) {
  constexpr std::int64_t kPart = kSplitBlock * kSplitBlock;
  const bool rows = packed || block.outputs > kHalf;  // more than half
  const bool columns = packed || block.positions > kHalf;
  const PatchLayout layout = packed ? PatchLayout{.step = parts * kPart} : block.layout;
  const std::int64_t pair_bytes = layout.pair * 2;
  const std::uint16_t* a = block.filter;
  const std::uint16_t* b = block.patches;
  const auto load_a = [&](std::int64_t part) {
    _tile_loadd(4, a + part * kPart, kLine);
    if (rows) _tile_loadd(5, a + part * kPart + kTile, kLine);
  };
  const auto load_b = [&](std::int64_t part) {
    _tile_loadd(6, b + part * layout.part, pair_bytes);
    if (columns) _tile_loadd(7, b + part * layout.part + layout.half, pair_bytes);
  };
  const auto multiply = [&] {
    _tile_dpbf16ps(0, 4, 6);
    if (columns) _tile_dpbf16ps(1, 4, 7);
    if (rows) _tile_dpbf16ps(2, 5, 6);
    if (rows && columns) _tile_dpbf16ps(3, 5, 7);
  };
  const std::uint16_t* next = nullptr;
  const auto prefetch = [&](std::int64_t part, std::int64_t half) {
    const std::uint16_t* from = next + part * layout.part + half * layout.half;
    for (std::int64_t pair = 0; pair < kHalf; ++pair, from += layout.pair) {
      _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T0);
    }
  };
  bool first = block.first;
  std::int64_t chain_end = block.chain;
  zero_tiles();
  for (std::int64_t step = 0; step < block.steps; ++step, a += parts * kPart, b = next) {
    if (step == chain_end) {
      store_sums(block.acc, block.acc_stride, first);
      zero_tiles();
      first = false;
      chain_end += block.chain;
    }
    next = packed || step + 1 < block.steps ? b + layout.step : block.next;
    // Each line changes one operand of the line before.
    if constexpr (parts == 3) {
      load_a(0);
      load_b(2);
      multiply();
      prefetch(0, 0);
      between();
      load_b(1);
      multiply();
      prefetch(0, 1);
      between();
      load_a(1);
      multiply();
      prefetch(1, 0);
      between();
      load_b(0);
      multiply();
      prefetch(1, 1);
      between();
      load_a(0);
      multiply();
      prefetch(2, 0);
      between();
      load_a(2);
      multiply();
      prefetch(2, 1);
      between();
    } else {
      if (block.all_products) {
        load_a(1);
        load_b(1);
        multiply();
      }
      load_a(0);
      load_b(1);
      multiply();
      prefetch(0, 0);
      between();
      load_b(0);
      multiply();
      prefetch(0, 1);
      prefetch(1, 0);
      between();
      load_a(1);
      multiply();
      prefetch(1, 1);
      between();
    }
  }
  store_sums(block.acc, block.acc_stride, first);
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
