#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/lanes.h"
#include "kernels/part.h"
#include "kernels/unfold/unfold.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

// Output that follows on without a gap, as whole lines.

namespace weft::kernels::WEFT_ISA {

// In the largest pieces that there are, the last of which reaches back; a call takes as long as a
// short row.
template <std::size_t bytes>
void copy_bytes(const char* __restrict from, char* __restrict to, std::size_t count) {
  if (count >= bytes) {
    for (std::size_t i = 0; i + bytes < count; i += bytes) {
      __builtin_memcpy(to + i, from + i, bytes);
      asm volatile("" ::: "memory");  // stays a loop
    }
    __builtin_memcpy(to + count - bytes, from + count - bytes, bytes);
  } else if constexpr (bytes > 1) {
    copy_bytes<bytes / 2>(from, to, count);
  }
}

// Far enough for an outer cache that fills 50 bytes a nanosecond. Windows 3x3 on 64 channels of
// 64x64, one thread of Zen 5: 208 us; 248 with 4096 bytes.
constexpr std::int64_t kLinesAhead = 16384;

#ifdef __AVX2__

// Vectors for lines that are put together of parts: [begin, end) of the lanes, any numbers.
#ifdef __AVX512BW__
template <class T>
struct LineOf {
  using Element = T;
  using Vector = __m512i;
  static constexpr std::int64_t kLanes = 64 / sizeof(T);

  static std::uint64_t mask(std::int64_t begin, std::int64_t end) { return lane_mask(begin, end); }
  static Vector zero() { return _mm512_setzero_si512(); }
  static Vector load(const T* from) { return _mm512_loadu_si512(from); }
  static Vector load_part(std::uint64_t mask, const T* from) { return load_lanes(mask, from); }
  static Vector add_part(Vector x, const T* from, std::int64_t begin, std::int64_t end) {
    return _mm512_or_si512(x, load_part(mask(begin, end), from));
  }
  static void store_part(Vector x, T* to, std::int64_t begin, std::int64_t end) {
    store_lanes(mask(begin, end), to, x);
  }
  static void store(Vector x, T* to) { _mm512_store_si512(to, x); }
  static void stream(Vector x, T* to) { _mm512_stream_si512(reinterpret_cast<__m512i*>(to), x); }
};
#else
template <class>
struct LineOf {
  using Element = std::int32_t;
  using Vector = __m256i;
  static constexpr std::int64_t kLanes = 8;

  static __m256i* vector(Element* at) { return reinterpret_cast<__m256i*>(at); }
  static Vector mask(std::int64_t begin, std::int64_t end) {
    const Vector lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const Vector below_end = _mm256_cmpgt_epi32(_mm256_set1_epi32(within_lanes(end)), lanes);
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(within_lanes(begin)), lanes),
                               below_end);
  }
  static int within_lanes(std::int64_t lane) {
    return static_cast<int>(lane < 0 ? 0 : lane < kLanes ? lane : kLanes);
  }
  static Vector zero() { return _mm256_setzero_si256(); }
  static Vector load(const Element* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Vector load_part(Vector mask, const Element* from) {
    return _mm256_maskload_epi32(from, mask);
  }
  static Vector add_part(Vector x, const Element* from, std::int64_t begin, std::int64_t end) {
    return _mm256_or_si256(x, load_part(mask(begin, end), from));
  }
  static void store_part(Vector x, Element* to, std::int64_t begin, std::int64_t end) {
    kernels::store_part(x, begin, end, to);
  }
  static void store(Vector x, Element* to) { _mm256_store_si256(vector(to), x); }
  static void stream(Vector x, Element* to) { _mm256_stream_si256(vector(to), x); }
};
#endif

// A whole vector at its own boundary.
template <class Line, bool past_caches>
void put(typename Line::Vector x, typename Line::Element* to) {
  if constexpr (past_caches) {
    Line::stream(x, to);
  } else {
    fetch_to_write(reinterpret_cast<const char*>(to) + kLinesAhead);
    Line::store(x, to);
  }
}

template <class T>
bool follow_on(const UnfoldRectangle& k) {
  return k.from_step == 1 && k.to_step == 1 && (k.rows == 1 || k.to_row == k.count) &&
         reinterpret_cast<std::uintptr_t>(k.to) % sizeof(T) == 0;
}

// Rows that follow on each other, as vectors at their own boundaries, each put together of the rows
// that it is of: stores across lines take twice as long, and only whole vectors go past the caches.
template <class Line, bool past_caches>
void unfold_lines(const UnfoldRectangle& k) {
  using Element = typename Line::Element;
  constexpr std::int64_t kLanes = Line::kLanes;
  constexpr std::int64_t kBytes = kLanes * static_cast<std::int64_t>(sizeof(Element));
  auto* const first = static_cast<Element*>(k.to);
  const auto skipped =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first) % kBytes / sizeof(Element));
  const std::int64_t rows = k.rows, count = k.count, from_row = k.from_row, row_begin = k.row_begin;
  const std::int64_t row_end = k.begin < k.end ? k.row_end : row_begin;  // else `from` may be null
  const auto* const inside = static_cast<const Element*>(k.from);
  Element* to = first - skipped;
  std::int64_t filled = skipped;  // lanes of the vector at `to`
  auto x = Line::zero();
  const auto store = [&](auto value) {
    put<Line, past_caches>(value, to);
    to += kLanes;
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    const bool is_inside = row >= row_begin && row < row_end;
    const std::int64_t begin = is_inside ? k.begin : 0, end = is_inside ? k.end : 0;
    const Element* const from = is_inside ? inside + (row - row_begin) * from_row - begin : nullptr;
    std::int64_t column = -filled;  // that lane 0 has
    while (column + kLanes <= count) {
      if (is_inside && column >= begin && column + kLanes <= end) {
        do {
          store(Line::load(from + column));
          column += kLanes;
        } while (column + kLanes <= end);
        continue;
      }
      if (is_inside) x = Line::add_part(x, from + column, begin - column, end - column);
      if (to < first) {
        Line::store_part(x, to, skipped, kLanes);
        to += kLanes;
      } else {
        store(x);
      }
      x = Line::zero();
      column += kLanes;
    }
    filled = count - column;
    if (is_inside) x = Line::add_part(x, from + column, begin - column, end - column);
  }
  if (filled > 0) Line::store_part(x, to, to < first ? skipped : 0, filled);
}

// Whether all rows begin and end at the boundaries of vectors.
template <class T>
bool is_of_lines(const UnfoldRectangle& k, std::int64_t lanes) {
  return k.to_step == 1 && k.count % lanes == 0 && k.to_row % lanes == 0 &&
         reinterpret_cast<std::uintptr_t>(k.to) %
                 (static_cast<std::uintptr_t>(lanes) * sizeof(T)) ==
             0;
}

// Such rows of neighbours in the image: the parts of vectors are the same in all of them.
template <class Line, bool past_caches>
void unfold_whole_lines(const UnfoldRectangle& k) {
  using Element = typename Line::Element;
  constexpr std::int64_t kLanes = Line::kLanes;
  const bool has_columns = k.begin < k.end;
  const std::int64_t begin = has_columns ? k.begin : k.count, end = has_columns ? k.end : k.count;
  // Lanes before, in a part of a vector, in whole vectors, in another part, after.
  const std::int64_t head = begin / kLanes * kLanes;
  const std::int64_t whole = begin % kLanes == 0 ? head : head + kLanes;
  const std::int64_t tail = end / kLanes * kLanes > whole ? end / kLanes * kLanes : whole;
  const std::int64_t after = tail < end ? tail + kLanes : tail;
  const auto head_mask = Line::mask(begin - head, end - head);
  const auto tail_mask = Line::mask(0, end - tail);
  const std::int64_t rows = k.rows, count = k.count, to_row = k.to_row, from_row = k.from_row;
  const std::int64_t row_begin = k.row_begin, row_end = has_columns ? k.row_end : row_begin;
  // Where nothing is read, `from` may be null.
  const auto* from = static_cast<const Element*>(k.from);
  if (row_begin < row_end) from -= begin;
  auto* to = static_cast<Element*>(k.to);
  const auto clear = [&](std::int64_t at, std::int64_t stop) {
    for (; at < stop; at += kLanes) put<Line, past_caches>(Line::zero(), to + at);
  };
  for (std::int64_t row = 0; row < rows; ++row, to += to_row) {
    if (row < row_begin || row >= row_end) {
      clear(0, count);
      continue;
    }
    clear(0, head);
    if (head < whole) put<Line, past_caches>(Line::load_part(head_mask, from + head), to + head);
    for (std::int64_t at = whole; at < tail; at += kLanes) {
      put<Line, past_caches>(Line::load(from + at), to + at);
    }
    if (tail < after) put<Line, past_caches>(Line::load_part(tail_mask, from + tail), to + tail);
    clear(after, count);
    from += from_row;
  }
}

#endif

#ifdef __AVX512BW__

// Gathers what follows on each other in memory and writes whole lines past the caches.
class LineStream {
 public:
  static constexpr std::int64_t kBytes = 2048;  // at once: few enough to stay near

  explicit LineStream(void* to)
      : skipped_(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % kLine)),
        filled_(skipped_),
        line_(static_cast<char*>(to) - skipped_) {}

  // Where the next bytes go, kBytes at most; then they count.
  void* next() { return stage_ + filled_; }
  void add(std::int64_t bytes) {
    filled_ += bytes;
    const std::int64_t whole = filled_ / kLine * kLine;
    for (std::int64_t at = 0; at < whole; at += kLine) {
      if (skipped_ != 0) {
        copy_part(kLine);
        skipped_ = 0;
      } else {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(line_ + at), _mm512_load_si512(stage_ + at));
      }
    }
    if (whole == 0) return;
    filled_ -= whole;
    line_ += whole;
    _mm512_store_si512(stage_, _mm512_load_si512(stage_ + whole));
  }

  void finish() { copy_part(filled_); }

 private:
  static constexpr std::int64_t kLine = 64;

  // The first line up to `end`, the part that is ours.
  void copy_part(std::int64_t end) {
    if (end <= skipped_) return;
    copy_bytes<32>(stage_ + skipped_, line_ + skipped_, static_cast<std::size_t>(end - skipped_));
  }

  alignas(64) char stage_[kBytes + 2 * kLine];
  std::int64_t skipped_;  // bytes of the first line that are not ours
  std::int64_t filled_;
  char* line_;
};

// `unfold_piece` fills a part of the rows, side by side in memory that is near.
template <class T>
void unfold_gathered(const UnfoldRectangle& k, void (*unfold_piece)(const UnfoldRectangle&)) {
  constexpr std::int64_t kMost = LineStream::kBytes / static_cast<std::int64_t>(sizeof(T));
  LineStream stream(k.to);
  const std::int64_t rows_at_once = k.count < kMost ? kMost / k.count : 1;
  UnfoldRectangle piece = k;
  for (std::int64_t row = 0; row < k.rows; row += rows_at_once) {
    piece.rows = k.rows - row < rows_at_once ? k.rows - row : rows_at_once;
    const auto within = [](std::int64_t at, std::int64_t size) {
      return at < 0 ? 0 : at < size ? at : size;
    };
    piece.row_begin = within(k.row_begin - row, piece.rows);
    piece.row_end = within(k.row_end - row, piece.rows);
    for (std::int64_t first = 0; first < k.count; first += piece.count) {
      piece.count = k.count - first < kMost ? k.count - first : kMost;
      piece.begin = within(k.begin - first, piece.count);
      piece.end = within(k.end - first, piece.count);
      if (piece.row_begin < piece.row_end && piece.begin < piece.end) {
        piece.from = static_cast<const T*>(k.from) +
                     (row + piece.row_begin - k.row_begin) * k.from_row +
                     (first + piece.begin - k.begin) * k.from_step;
      }
      piece.to = stream.next();
      piece.to_row = piece.count;
      unfold_piece(piece);
      stream.add(piece.rows * piece.count * static_cast<std::int64_t>(sizeof(T)));
    }
  }
  stream.finish();
}

#endif

}  // namespace weft::kernels::WEFT_ISA
