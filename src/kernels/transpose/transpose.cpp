#include "kernels/transpose/transpose.h"

#include <cstddef>
#include <cstdint>

#include "kernels/lanes.h"
#include "kernels/square.h"
#include "kernels/transpose/transpose_levels.h"
#include "kernels/unrolled.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;

// Elements of a row that go on behind a square; so far ahead they are fetched.
constexpr int64_t kLongRow = 32;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

// Small elements have fast interleaves only within 16 bytes, and twice as many steps otherwise.
template <class T>
constexpr int kLanes = (sizeof(T) >= 4 ? kVectorBytes : 16) / static_cast<int>(sizeof(T));

template <class T, int lanes>
WEFT_UNROLLED void square(const T* from, int64_t from_row, T* to, int64_t to_row) {
  using V = typename Vector<T, lanes>::Type;
  V rows[lanes];
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) __builtin_memcpy(&rows[i], from + i * from_row, sizeof(V));
  rounds<T, lanes>(rows);
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) {
#ifdef __AVX512BW__
    if (to_row > kLongRow) fetch_to_write(to + i * to_row + kLongRow);
#endif
    __builtin_memcpy(to + i * to_row, &rows[i], sizeof(V));
  }
}

// In parts of so many rows and elements of a row; the last ones reach back over what others have
// moved already.
template <class T, int part_rows, int part_count, void part(const T*, int64_t, T*, int64_t)>
void in_parts(const T* from, int64_t from_row, T* to, int64_t to_row, int64_t rows, int64_t count) {
  for (int64_t r = 0; r < rows; r += part_rows) {
    if (r + part_rows > rows) r = rows - part_rows;
    for (int64_t i = 0; i < count; i += part_count) {
      if (i + part_count > count) i = count - part_count;
      part(from + i * from_row + r, from_row, to + r * to_row + i, to_row);
    }
  }
}

#ifdef __AVX512BW__

template <class T, int lanes, int round = 1>
inline __attribute__((always_inline)) void rounds_of_quarters(__m512i (&rows)[lanes]) {
  __m512i next[lanes];
#pragma GCC unroll 8
  for (int i = 0; i < lanes / 2; ++i) {
    const __m512i a = rows[i], b = rows[i + lanes / 2];
    next[2 * i] = sizeof(T) == 1 ? _mm512_unpacklo_epi8(a, b) : _mm512_unpacklo_epi16(a, b);
    next[2 * i + 1] = sizeof(T) == 1 ? _mm512_unpackhi_epi8(a, b) : _mm512_unpackhi_epi16(a, b);
  }
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) rows[i] = next[i];
  if constexpr (2 * round < lanes) rounds_of_quarters<T, lanes, 2 * round>(rows);
}

// Four squares of small elements side by side, each in a quarter of the vectors.
template <class T, int lanes>
WEFT_UNROLLED void four_squares(const T* from, int64_t from_row, T* to, int64_t to_row) {
  const auto load = [&](int64_t i) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * from_row));
  };
  __m512i rows[lanes];
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) {
    rows[i] = _mm512_castsi128_si512(load(i));
    rows[i] = _mm512_mask_broadcast_i32x4(rows[i], 0x00f0, load(i + lanes));
    rows[i] = _mm512_mask_broadcast_i32x4(rows[i], 0x0f00, load(i + 2 * lanes));
    rows[i] = _mm512_mask_broadcast_i32x4(rows[i], 0xf000, load(i + 3 * lanes));
  }
  rounds_of_quarters<T, lanes>(rows);
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) {
    if (to_row > kLongRow) fetch_to_write(to + i * to_row + 4 * lanes);
    _mm512_storeu_si512(to + i * to_row, rows[i]);
  }
}

// A part of a square: only what is asked for is read and written.
template <class T, int lanes>
WEFT_UNROLLED void part_of_square(const T* from, int64_t from_row, T* to, int64_t to_row,
                                  int64_t rows, int64_t count) {
  using V = typename Vector<T, lanes>::Type;
  const std::uint64_t row_mask = lane_mask(0, rows);
  const std::uint64_t mask = lane_mask(0, count);
  V all[lanes];
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) {
    all[i] = V{};
    if (i < count) all[i] = reinterpret_cast<V>(load_lanes(row_mask, from + i * from_row));
  }
  rounds<T, lanes>(all);
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) {
    if (i >= rows) break;
    if (to_row > kLongRow) fetch_to_write(to + i * to_row + kLongRow);
    store_lanes(mask, to + i * to_row, reinterpret_cast<__m512i>(all[i]));
  }
}

// More than half a square, and less than one, in a direction.
template <class T, int lanes>
bool nearly_square(const T* from, int64_t from_row, T* to, int64_t to_row, int64_t rows,
                   int64_t count) {
  if constexpr (lanes * sizeof(T) == 64) {
    if (rows <= lanes / 2 || count <= lanes / 2) return false;
    for (int64_t r = 0; r < rows; r += lanes) {
      for (int64_t i = 0; i < count; i += lanes) {
        part_of_square<T, lanes>(from + i * from_row + r, from_row, to + r * to_row + i, to_row,
                                 rows - r, count - i);
      }
    }
    return true;
  }
  return false;
}

#else

template <class T, int lanes>
bool nearly_square(const T*, int64_t, T*, int64_t, int64_t, int64_t) {
  return false;
}

#endif

// Few rows, or few elements in each.
template <class T>
void one_by_one(const T* __restrict from, int64_t from_row, T* __restrict to, int64_t to_row,
                int64_t rows, int64_t count) {
  if (rows <= count) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < count; ++i) to[r * to_row + i] = from[i * from_row + r];
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t r = 0; r < rows; ++r) to[r * to_row + i] = from[i * from_row + r];
    }
  }
}

// Rows that follow each other without a gap: columns dealt out by turns.
template <class T, int count>
void deal(const T* __restrict from, int64_t from_row, T* __restrict to, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) to[r * count + i] = from[i * from_row + r];
  }
}

template <class T, int lanes = kLanes<T>>
void transpose(const T* from, int64_t from_row, T* to, int64_t to_row, int64_t rows,
               int64_t count) {
#ifdef __AVX512BW__
  if constexpr (lanes * sizeof(T) == 16 && sizeof(T) <= 2) {
    if (rows >= lanes && count >= int64_t{4} * lanes) {
      return in_parts<T, lanes, 4 * lanes, four_squares<T, lanes>>(from, from_row, to, to_row, rows,
                                                                   count);
    }
  }
#endif
  if (rows >= lanes && count >= lanes) {
    return in_parts<T, lanes, lanes, square<T, lanes>>(from, from_row, to, to_row, rows, count);
  }
  if (nearly_square<T, lanes>(from, from_row, to, to_row, rows, count)) return;
  if constexpr (lanes > 4 || (lanes > 2 && sizeof(T) == 8)) {
    return transpose<T, lanes / 2>(from, from_row, to, to_row, rows, count);
  }
  if (to_row == count) {
    if (count == 2) return deal<T, 2>(from, from_row, to, rows);
    if (count == 3) return deal<T, 3>(from, from_row, to, rows);
  }
  one_by_one(from, from_row, to, to_row, rows, count);
}

template <class T>
void transpose(const TransposeRectangle& k) {
  const auto* from = static_cast<const T*>(k.from);
  auto* to = static_cast<T*>(k.to);
  for (int64_t o = 0; o < k.outer.count; ++o) {
    for (int64_t i = 0; i < k.inner.count; ++i) {
      transpose(from + o * k.outer.from_step + i * k.inner.from_step, k.from_row,
                to + o * k.outer.to_step + i * k.inner.to_step, k.to_row, k.rows, k.count);
    }
  }
}

}  // namespace

void transpose_8(const TransposeRectangle& k) noexcept { transpose<std::uint8_t>(k); }
void transpose_16(const TransposeRectangle& k) noexcept { transpose<std::uint16_t>(k); }
void transpose_32(const TransposeRectangle& k) noexcept { transpose<std::uint32_t>(k); }
void transpose_64(const TransposeRectangle& k) noexcept { transpose<std::uint64_t>(k); }

}  // namespace weft::kernels::WEFT_ISA
