#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/split/split.h"
#include "kernels/split/split_levels.h"
#include "kernels/split/split_parts.h"

namespace weft::kernels::WEFT_ISA {

namespace {

// What LDTILECFG reads: eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

// Rows become columns: 16 x 16 numbers of 32 bits.
inline void transpose_16x16(__m512i r[16]) {
  __m512i t[16];
  for (std::int64_t i = 0; i < 8; ++i) {
    t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
  }
  for (std::int64_t i = 0; i < 4; ++i) {
    r[4 * i] = _mm512_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
    r[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
    r[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
    r[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
  }
  // 0x88 takes the even quarters of both, 0xdd the odd ones.
  for (std::int64_t i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_i32x4(r[i], r[4 + i], 0x88);
    t[4 + i] = _mm512_shuffle_i32x4(r[i], r[4 + i], 0xdd);
    t[8 + i] = _mm512_shuffle_i32x4(r[8 + i], r[12 + i], 0x88);
    t[12 + i] = _mm512_shuffle_i32x4(r[8 + i], r[12 + i], 0xdd);
  }
  for (std::int64_t i = 0; i < 4; ++i) {
    r[i] = _mm512_shuffle_i32x4(t[i], t[8 + i], 0x88);
    r[8 + i] = _mm512_shuffle_i32x4(t[i], t[8 + i], 0xdd);
    r[4 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], 0x88);
    r[12 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], 0xdd);
  }
}

template <int parts>
void split_16_pixels(const float* rows, std::int64_t row_stride, __mmask16 mask, int count,
                     std::uint16_t* to, std::int64_t part_stride, RangeOf& range) {
  __m512i lines[parts][16];
  for (std::int64_t c = 0; c < 16; ++c) {
    const float* row = rows + 2 * c * row_stride;
    const __m512 even = _mm512_maskz_loadu_ps(mask, row);
    const __m512 odd = _mm512_maskz_loadu_ps(mask, row + row_stride);
    range.add(even);
    range.add(odd);
    const Split<parts> e(even);
    const Split<parts> o(odd);
    for (int q = 0; q < parts; ++q) lines[q][c] = pair(e.part[q], o.part[q]);
  }
  for (int q = 0; q < parts; ++q) {
    transpose_16x16(lines[q]);
    for (int p = 0; p < count; ++p) {
      _mm512_store_si512(to + q * part_stride + p * kSplitBlock, lines[q][p]);
    }
  }
}

// Pairs of channels are taken apart after the one transposition.
void split_16_half_pixels(const std::uint16_t* rows, std::int64_t row_stride, int count,
                          std::uint16_t* to, std::int64_t part_stride, HalfSplitter& splitter) {
  const __mmask16 mask = first_of_16(count);
  __m512i lines[16];
  for (std::int64_t c = 0; c < 16; ++c) {
    const std::uint16_t* row = rows + 2 * c * row_stride;
    lines[c] = pair_of_halves(_mm256_maskz_loadu_epi16(mask, row),
                              _mm256_maskz_loadu_epi16(mask, row + row_stride));
  }
  transpose_16x16(lines);
  for (int p = 0; p < count; ++p) {
    splitter.split(lines[p], to + p * kSplitBlock, part_stride);
  }
}

template <int parts>
void split_pixels(const float* rows, std::int64_t row_stride, std::int64_t count, std::uint16_t* to,
                  std::int64_t part_stride, SplitRange& range) noexcept {
  RangeOf seen(range);
  std::int64_t p = 0;
  for (; p + 16 <= count; p += 16) {
    split_16_pixels<parts>(rows + p, row_stride, 0xffff, 16, to + p * kSplitBlock, part_stride,
                           seen);
  }
  if (p < count) {
    const int rest = static_cast<int>(count - p);
    split_16_pixels<parts>(rows + p, row_stride, static_cast<__mmask16>((1u << rest) - 1), rest,
                           to + p * kSplitBlock, part_stride, seen);
  }
}

template <int parts>
void split_filter(const float* rows, std::uint16_t* to, SplitRange& range) noexcept {
  RangeOf seen(range);
  for (std::int64_t half = 0; half < 2; ++half) {
    for (std::int64_t c = 0; c < kHalf; ++c) {
      const __m512 even = _mm512_loadu_ps(rows + 2 * c * kSplitBlock + half * kHalf);
      const __m512 odd = _mm512_loadu_ps(rows + (2 * c + 1) * kSplitBlock + half * kHalf);
      seen.add(even);
      seen.add(odd);
      const Split<parts> e(even);
      const Split<parts> o(odd);
      for (int q = 0; q < parts; ++q) {
        _mm512_store_si512(to + q * kSplitFilterPart + half * kTile + c * kSplitBlock,
                           pair(e.part[q], o.part[q]));
      }
    }
  }
}

// 16 outputs of 16 positions.
void store_square(const SplitResult& result, int square) {
  const std::int64_t p = square / 2 * kHalf, o = square % 2 * kHalf;
  if (o >= result.outputs) return;
  __m512i lines[16];
  for (int i = 0; i < 16; ++i) {
    lines[i] = _mm512_load_si512(result.acc + (p + i) * kSplitBlock + o);
  }
  transpose_16x16(lines);
  const std::int64_t outputs = result.outputs - o < kHalf ? result.outputs - o : kHalf;
  for (std::int64_t i = 0; i < outputs; ++i) {
    lines[i] = _mm512_castps_si512(
        finish_sum(_mm512_castsi512_ps(lines[i]), _mm512_set1_ps(result.bias[o + i]), result.ramp));
  }
  for (std::int64_t r = 0; r < result.run_count; ++r) {
    const SplitResult::Run& run = result.runs[r];
    // The part of the run in these 16 positions.
    const std::int64_t begin = run.first > p ? run.first - p : 0;
    const std::int64_t end = run.first + run.count - p;
    if (begin >= kHalf || end <= begin) continue;
    const __mmask16 mask = first_of_16(end) & static_cast<__mmask16>(0xffff << begin);
    const __mmask16 stored = first_of_16((end < kHalf ? end : kHalf) - begin);
    const std::int64_t first = o * result.output_stride + p + begin - run.first;
    for (std::int64_t i = 0; i < outputs; ++i) {
      const __m512i y = begin == 0 ? lines[i] : _mm512_maskz_compress_epi32(mask, lines[i]);
      const std::int64_t at = first + i * result.output_stride;
      if (result.half) {
        auto* const to = static_cast<std::uint16_t*>(run.to) + at;
        _mm256_mask_storeu_epi16(
            to, stored, _mm512_cvtps_ph(_mm512_castsi512_ps(y), _MM_FROUND_TO_NEAREST_INT));
        __builtin_prefetch(to + kSplitBlock, 1, 3);
      } else {
        _mm512_mask_storeu_epi32(static_cast<float*>(run.to) + at, stored, y);
        __builtin_prefetch(static_cast<float*>(run.to) + at + kSplitBlock, 1, 3);
      }
    }
  }
}

template <int parts>
void multiply(const SplitTile& tile, SplitResult& before) noexcept {
  constexpr std::int64_t kStep = parts * kSplitFilterPart;
  zero_tiles();
  SplitAhead ahead = tile.ahead;
  const std::uint16_t* h = tile.b;
  const std::int64_t part = tile.part_stride;
  bool first = tile.first;
  std::int64_t chain_end = tile.chain;
  for (std::int64_t block = 0; block < tile.block_count; ++block, h += tile.b_gap) {
    if (block == chain_end) {
      store_sums(tile.acc, kSplitBlock, first);
      zero_tiles();
      first = false;
      chain_end += tile.chain;
    }
    const std::uint16_t* pixels = tile.a + block * tile.block_stride;
    for (std::int64_t tap = 0; tap < tile.tap_count; ++tap, h += kStep) {
      const std::uint16_t* x = pixels + tile.taps[tap];
      const bool last_tap = tap + 1 == tile.tap_count;
      const bool last = last_tap && block + 1 == tile.block_count;
      // The caller's next pixels begin where these end.
      const std::uint16_t* next = last ? tile.b : h + kStep + (last_tap ? tile.b_gap : 0);
      const std::uint16_t* next_x = last       ? tile.a + tile.taps[0] + kSplitBlock * kSplitBlock
                                    : last_tap ? pixels + tile.block_stride + tile.taps[0]
                                               : pixels + tile.taps[tap + 1];
      const bool moves = next_x < x || next_x > x + kSplitBlock;
      // Each line changes one operand of the line before.
      if constexpr (parts == 3) {
        WEFT_LOAD_A(x);
        WEFT_LOAD_B(h + 2 * kSplitFilterPart);
        WEFT_PRODUCTS;
        ahead.fetch();
        prefetch_tile(next);
        if (moves) prefetch_tile(next_x);
        WEFT_LOAD_B(h + kSplitFilterPart);
        WEFT_PRODUCTS;
        ahead.fetch();
        prefetch_tile(next + kTile);
        if (moves) prefetch_tile(next_x + kTile);
        WEFT_LOAD_A(x + part);
        WEFT_PRODUCTS;
        ahead.fetch();
        prefetch_tile(next + 2 * kTile);
        if (moves) prefetch_tile(next_x + part);
        WEFT_LOAD_B(h);
        WEFT_PRODUCTS;
        ahead.fetch();
        prefetch_tile(next + 3 * kTile);
        if (moves) prefetch_tile(next_x + part + kTile);
        WEFT_LOAD_A(x);
        WEFT_PRODUCTS;
        ahead.fetch();
        prefetch_tile(next + 4 * kTile);
        if (moves) prefetch_tile(next_x + 2 * part);
        WEFT_LOAD_A(x + 2 * part);
        WEFT_PRODUCTS;
        ahead.fetch();
        prefetch_tile(next + 5 * kTile);
        if (moves) prefetch_tile(next_x + 2 * part + kTile);
      } else {
        if (tile.all_products) {
          WEFT_LOAD_A(x + part);
          WEFT_LOAD_B(h + kSplitFilterPart);
          WEFT_PRODUCTS;
        }
        WEFT_LOAD_A(x);
        WEFT_LOAD_B(h + kSplitFilterPart);
        WEFT_PRODUCTS;
        ahead.fetch();
        prefetch_tile(next);
        if (moves) prefetch_tile(next_x);
        WEFT_LOAD_B(h);
        WEFT_PRODUCTS;
        ahead.fetch();
        prefetch_tile(next + kTile);
        prefetch_tile(next + 2 * kTile);
        if (moves) {
          prefetch_tile(next_x + kTile);
          prefetch_tile(next_x + part);
        }
        WEFT_LOAD_A(x + part);
        WEFT_PRODUCTS;
        ahead.fetch();
        prefetch_tile(next + 3 * kTile);
        if (moves) prefetch_tile(next_x + part + kTile);
      }
      if (before.next < SplitResult::kSquares) store_square(before, before.next++);
    }
  }
  store_sums(tile.acc, kSplitBlock, first);
}

}  // namespace

void split_enter() noexcept {
  static constexpr TileConfig config{};
  _tile_loadconfig(&config);
}

void split_leave() noexcept {
  _mm_sfence();  // others may read what went past the cache
  _tile_release();
}

void split_pixels_2(const float* rows, std::int64_t row_stride, std::int64_t count,
                    std::uint16_t* to, std::int64_t part_stride, SplitRange& range) noexcept {
  split_pixels<2>(rows, row_stride, count, to, part_stride, range);
}
void split_pixels_3(const float* rows, std::int64_t row_stride, std::int64_t count,
                    std::uint16_t* to, std::int64_t part_stride, SplitRange& range) noexcept {
  split_pixels<3>(rows, row_stride, count, to, part_stride, range);
}
void split_half_pixels(const std::uint16_t* rows, std::int64_t row_stride, std::int64_t count,
                       std::uint16_t* to, std::int64_t part_stride, SplitRange& range) noexcept {
  HalfSplitter splitter;
  for (std::int64_t p = 0; p < count; p += kHalf) {
    split_16_half_pixels(rows + p, row_stride,
                         static_cast<int>(count - p < kHalf ? count - p : kHalf),
                         to + p * kSplitBlock, part_stride, splitter);
  }
  const __m512i largest = splitter.largest();
  const __m512i odd = _mm512_srli_epi32(largest, 16);
  const __m512i even = _mm512_and_si512(largest, _mm512_set1_epi32(0xffff));
  const SplitRange seen = range_of_halves(
      static_cast<std::uint16_t>(_mm512_reduce_max_epu32(_mm512_max_epu32(odd, even))));
  range.largest = range.largest > seen.largest ? range.largest : seen.largest;
  range.smallest = range.smallest < seen.smallest ? range.smallest : seen.smallest;
}
void split_filter_2(const float* rows, std::uint16_t* to, SplitRange& range) noexcept {
  split_filter<2>(rows, to, range);
}
void split_filter_3(const float* rows, std::uint16_t* to, SplitRange& range) noexcept {
  split_filter<3>(rows, to, range);
}
void split_multiply_2(const SplitTile& tile, SplitResult& before) noexcept {
  multiply<2>(tile, before);
}
void split_multiply_3(const SplitTile& tile, SplitResult& before) noexcept {
  multiply<3>(tile, before);
}

void split_transpose(const float* acc, float* to, std::int64_t to_stride) noexcept {
  for (std::int64_t p = 0; p < kSplitBlock; p += kHalf) {
    for (std::int64_t o = 0; o < kSplitBlock; o += kHalf) {
      __m512i lines[16];
      for (int i = 0; i < 16; ++i) lines[i] = _mm512_loadu_si512(acc + (p + i) * kSplitBlock + o);
      transpose_16x16(lines);
      for (int i = 0; i < 16; ++i) _mm512_storeu_si512(to + (o + i) * to_stride + p, lines[i]);
    }
  }
}

void split_store(SplitResult& result) noexcept {
  while (result.next < SplitResult::kSquares) store_square(result, result.next++);
}

}  // namespace weft::kernels::WEFT_ISA
