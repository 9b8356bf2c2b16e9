#include "kernels/unfold/unfold.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "kernels/lanes.h"
#include "kernels/unfold/unfold_levels.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

template <class T>
void clear(T* to, int64_t step, int64_t begin, int64_t end) {
  if (step != 1) {
    for (int64_t i = begin; i < end; ++i) to[i * step] = 0;
    return;
  }
  constexpr int64_t kLong = 32;
  if (end - begin >= kLong) {
    __builtin_memset(to + begin, 0, static_cast<std::size_t>(end - begin) * sizeof(T));
    return;
  }
  for (int64_t i = begin; i < end; ++i) {
    to[i] = 0;
    asm volatile("" ::: "memory");  // no call for a few elements
  }
}

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

template <class T, int step>
void copy_each(const T* __restrict from, T* __restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[step * i];
}

template <class T>
void copy(const T* __restrict from, int64_t from_step, T* __restrict to, int64_t to_step,
          int64_t count) {
  if (to_step != 1) {
    for (int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
  } else if (from_step == 1) {
    copy_bytes<32>(reinterpret_cast<const char*>(from), reinterpret_cast<char*>(to),
                   static_cast<std::size_t>(count) * sizeof(T));
  } else if (from_step == 2) {
    copy_each<T, 2>(from, to, count);
  } else if (from_step == 3) {
    copy_each<T, 3>(from, to, count);
  } else if (from_step == 4) {
    copy_each<T, 4>(from, to, count);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * from_step];
  }
}

// Output that goes on without a gap is fetched ahead: 26 GB/s of stores instead of 20.
constexpr int64_t kBytesAhead = 4096;

template <class T>
void unfold_any(const UnfoldRectangle& k) {
  const auto row_bytes = static_cast<int64_t>(sizeof(T)) * k.count;
  const int64_t fetched = k.to_step == 1 && k.to_row == k.count ? row_bytes : 0;
  for (int64_t row = 0; row < k.rows; ++row) {
    T* to = static_cast<T*>(k.to) + row * k.to_row;
    for (int64_t byte = 0; byte < fetched; byte += 64) {
      fetch_to_write(reinterpret_cast<const char*>(to) + kBytesAhead + byte);
    }
    if (row < k.row_begin || row >= k.row_end || k.begin >= k.end) {
      clear(to, k.to_step, 0, k.count);
      continue;
    }
    const T* from = static_cast<const T*>(k.from) + (row - k.row_begin) * k.from_row;
    clear(to, k.to_step, 0, k.begin);
    copy(from, k.from_step, to + k.begin * k.to_step, k.to_step, k.end - k.begin);
    clear(to, k.to_step, k.end, k.count);
  }
}

#ifdef __AVX2__

// Vectors for lines that are put together of parts: [begin, end) of the lanes, any numbers.
#ifdef __AVX512BW__
template <class T>
struct LineOf {
  using Element = T;
  using Vector = __m512i;
  static constexpr int64_t kLanes = 64 / sizeof(T);

  static Vector zero() { return _mm512_setzero_si512(); }
  static Vector load(const T* from) { return _mm512_loadu_si512(from); }
  static Vector add_part(Vector x, const T* from, int64_t begin, int64_t end) {
    return _mm512_or_si512(x, load_lanes(lane_mask(begin, end), from));
  }
  static void store_part(Vector x, T* to, int64_t begin, int64_t end) {
    store_lanes(lane_mask(begin, end), to, x);
  }
  static void stream(Vector x, T* to) { _mm512_stream_si512(reinterpret_cast<__m512i*>(to), x); }
};
#else
template <class>
struct LineOf {
  using Element = std::int32_t;
  using Vector = __m256i;
  static constexpr int64_t kLanes = 8;

  static __m256i* vector(Element* at) { return reinterpret_cast<__m256i*>(at); }
  static Vector mask(int64_t begin, int64_t end) {
    const Vector lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const Vector below_end = _mm256_cmpgt_epi32(_mm256_set1_epi32(within_lanes(end)), lanes);
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(within_lanes(begin)), lanes),
                               below_end);
  }
  static int within_lanes(int64_t lane) {
    return static_cast<int>(lane < 0 ? 0 : lane < kLanes ? lane : kLanes);
  }
  static Vector zero() { return _mm256_setzero_si256(); }
  static Vector load(const Element* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Vector add_part(Vector x, const Element* from, int64_t begin, int64_t end) {
    return _mm256_or_si256(x, _mm256_maskload_epi32(from, mask(begin, end)));
  }
  static void store_part(Vector x, Element* to, int64_t begin, int64_t end) {
    _mm256_maskstore_epi32(to, mask(begin, end), x);
  }
  static void stream(Vector x, Element* to) { _mm256_stream_si256(vector(to), x); }
};
#endif

template <class T>
bool follow_on(const UnfoldRectangle& k) {
  return k.from_step == 1 && k.to_step == 1 && (k.rows == 1 || k.to_row == k.count) &&
         reinterpret_cast<std::uintptr_t>(k.to) % sizeof(T) == 0;
}

// Rows that follow on each other, as vectors at their own boundaries, each put together of the rows
// that it is of: stores across lines take twice as long, and only whole vectors go past the caches.
template <class Line>
void unfold_lines(const UnfoldRectangle& k) {
  using Element = typename Line::Element;
  constexpr int64_t kLanes = Line::kLanes;
  constexpr int64_t kBytes = kLanes * static_cast<int64_t>(sizeof(Element));
  auto* const first = static_cast<Element*>(k.to);
  const auto skipped =
      static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(first) % kBytes / sizeof(Element));
  const int64_t rows = k.rows, count = k.count, from_row = k.from_row, row_begin = k.row_begin;
  const int64_t row_end = k.begin < k.end ? k.row_end : row_begin;  // else `from` may be null
  const auto* const inside = static_cast<const Element*>(k.from);
  Element* to = first - skipped;
  int64_t filled = skipped;  // lanes of the vector at `to`
  auto x = Line::zero();
  const auto store = [&](auto value) {
    Line::stream(value, to);
    to += kLanes;
  };
  for (int64_t row = 0; row < rows; ++row) {
    const bool is_inside = row >= row_begin && row < row_end;
    const int64_t begin = is_inside ? k.begin : 0, end = is_inside ? k.end : 0;
    const Element* const from = is_inside ? inside + (row - row_begin) * from_row - begin : nullptr;
    int64_t column = -filled;  // that lane 0 has
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

#endif

#ifdef __AVX512BW__

// Reads every step-th element into a vector, from those parts of memory that `masks` has.
template <class T, int step>
struct Reader;

template <class T>
struct Reader<T, 1> {
  static __m512i read(const std::uint64_t* masks, const T* from) {
    return load_lanes(masks[0], from);
  }
};

// Lane i takes element step * i of the two vectors from `part` on, where they have it.
template <class T, int step, int part>
struct Places {
  static constexpr int kLanes = 64 / sizeof(T);
  T at[kLanes];
  std::uint64_t mask;

  constexpr Places() : at(), mask(0) {
    for (int i = 0; i < kLanes; ++i) {
      const int place = step * i - part * kLanes;
      const bool has = place >= 0 && place < 2 * kLanes;
      at[i] = static_cast<T>(has ? place : 0);
      mask |= std::uint64_t{has} << i;
    }
  }
};
template <class T, int step, int part>
constexpr Places<T, step, part> kPlaces{};

template <class T, int step, int part>
__m512i two(__m512i a, __m512i b) {
  const __m512i at = _mm512_loadu_si512(kPlaces<T, step, part>.at);
  if constexpr (sizeof(T) == 2) return _mm512_permutex2var_epi16(a, at, b);
  if constexpr (sizeof(T) == 4) return _mm512_permutex2var_epi32(a, at, b);
  if constexpr (sizeof(T) == 8) return _mm512_permutex2var_epi64(a, at, b);
}

template <class T>
__m512i choose(std::uint64_t mask, __m512i otherwise, __m512i value) {
  if constexpr (sizeof(T) == 2) {
    return _mm512_mask_mov_epi16(otherwise, static_cast<__mmask32>(mask), value);
  }
  if constexpr (sizeof(T) == 4) {
    return _mm512_mask_mov_epi32(otherwise, static_cast<__mmask16>(mask), value);
  }
  if constexpr (sizeof(T) == 8) {
    return _mm512_mask_mov_epi64(otherwise, static_cast<__mmask8>(mask), value);
  }
}

template <class T, int step>
struct Reader {
  static __m512i read(const std::uint64_t* masks, const T* from) {
    constexpr int kLanes = 64 / sizeof(T);
    const __m512i low =
        two<T, step, 0>(load_lanes(masks[0], from), load_lanes(masks[1], from + kLanes));
    if constexpr (step == 2) return low;
    const __m512i third = load_lanes(masks[2], from + 2 * kLanes);
    const __m512i fourth = step == 4 ? load_lanes(masks[3], from + 3 * kLanes) : third;
    return choose<T>(kPlaces<T, step, 2>.mask, low, two<T, step, 2>(third, fourth));
  }
};

// Every step-th element of `step` vectors from 0 on, as a mask for each.
template <int step, int lanes>
struct Every {
  std::uint64_t masks[step];
  constexpr Every() : masks() {
    for (int at = 0; at < lanes * step; at += step) {
      masks[at / lanes] |= std::uint64_t{1} << at % lanes;
    }
  }
};
template <int step, int lanes>
constexpr Every<step, lanes> kEvery{};

// The masks of a vector's columns serve all rows.
template <class T, int step, bool streams = false>
void unfold_lanes(const UnfoldRectangle& k) {
  constexpr int64_t kLanes = 64 / sizeof(T);
  constexpr int64_t kVectors = 32;
  for (int64_t first = 0; first < k.count; first += kVectors * kLanes) {
    std::uint64_t all[kVectors];
    std::uint64_t has[kVectors][step];
    int64_t vectors = (k.count - first + kLanes - 1) / kLanes;
    if (vectors > kVectors) vectors = kVectors;
    // Copies, for all that is stored might change k.
    const int64_t to_row = k.to_row;
    const int64_t from_row = k.from_row;
    const int64_t row_end = k.row_end;
    const bool goes_on = !streams && to_row == k.count;
    const auto store = [](std::uint64_t mask, T* at, __m512i x) {
      if constexpr (streams) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(at), x);
      } else {
        store_lanes(mask, at, x);
      }
    };
    for (int64_t v = 0; v < vectors; ++v) {
      const int64_t at = first + v * kLanes;
      all[v] = lane_mask(0, k.count - at);
      for (int part = 0; part < step; ++part) {
        const int64_t start = at * step + part * kLanes;
        has[v][part] = kEvery<step, kLanes>.masks[part] &
                       lane_mask(k.begin * step - start, k.end * step - start);
      }
    }
    const auto clear_rows = [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        T* const to = static_cast<T*>(k.to) + row * k.to_row + first;
        for (int64_t v = 0; v < vectors; ++v) {
          store(all[v], to + v * kLanes, _mm512_setzero_si512());
        }
      }
    };
    if (k.begin >= k.end || k.row_begin >= k.row_end) {
      clear_rows(0, k.rows);
      continue;
    }
    clear_rows(0, k.row_begin);
    T* to = static_cast<T*>(k.to) + k.row_begin * k.to_row + first;
    const T* from = static_cast<const T*>(k.from) + (first - k.begin) * step;
    const auto copy_rows = [&](auto row_count) {
      constexpr int kRows = decltype(row_count)::value;
      for (int64_t v = 0; v < vectors; ++v) {
        const std::uint64_t mask = all[v];
        std::uint64_t masks[step];
        // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the loop above set them
        for (int part = 0; part < step; ++part) masks[part] = has[v][part];
#pragma GCC unroll 4
        for (int row = 0; row < kRows; ++row) {
          T* const at = to + row * to_row + v * kLanes;
          if (goes_on) fetch_to_write(reinterpret_cast<const char*>(at) + kBytesAhead);
          store(mask, at, Reader<T, step>::read(masks, from + row * from_row + v * kLanes * step));
        }
      }
      to += kRows * to_row;
      from += kRows * from_row;
    };
    int64_t row = k.row_begin;
    for (; row + 4 <= row_end; row += 4) copy_rows(std::integral_constant<int, 4>{});
    for (; row < row_end; ++row) copy_rows(std::integral_constant<int, 1>{});
    clear_rows(k.row_end, k.rows);
  }
}

template <class T, bool streams = false>
void unfold_any_step(const UnfoldRectangle& k) {
  if (k.to_step != 1) return unfold_any<T>(k);
  if (k.from_step == 1) return unfold_lanes<T, 1, streams>(k);
  if constexpr (sizeof(T) > 1) {
    if (k.from_step == 2) return unfold_lanes<T, 2, streams>(k);
    if (k.from_step == 3) return unfold_lanes<T, 3, streams>(k);
    if (k.from_step == 4) return unfold_lanes<T, 4, streams>(k);
  }
  unfold_any<T>(k);
}

// Gathers what follows on each other in memory and writes whole lines past the caches.
class LineStream {
 public:
  static constexpr int64_t kBytes = 2048;  // at once: few enough to stay near

  explicit LineStream(void* to)
      : skipped_(static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(to) % kLine)),
        filled_(skipped_),
        line_(static_cast<char*>(to) - skipped_) {}

  // Where the next bytes go, kBytes at most; then they count.
  void* next() { return stage_ + filled_; }
  void add(int64_t bytes) {
    filled_ += bytes;
    const int64_t whole = filled_ / kLine * kLine;
    for (int64_t at = 0; at < whole; at += kLine) {
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
  static constexpr int64_t kLine = 64;

  // The first line up to `end`, the part that is ours.
  void copy_part(int64_t end) {
    if (end <= skipped_) return;
    copy_bytes<32>(stage_ + skipped_, line_ + skipped_, static_cast<std::size_t>(end - skipped_));
  }

  alignas(64) char stage_[kBytes + 2 * kLine];
  int64_t skipped_;  // bytes of the first line that are not ours
  int64_t filled_;
  char* line_;
};

template <class T>
void unfold_streamed(const UnfoldRectangle& k) {
  constexpr int64_t kMost = LineStream::kBytes / static_cast<int64_t>(sizeof(T));
  LineStream stream(k.to);
  const int64_t rows_at_once = k.count < kMost ? kMost / k.count : 1;
  UnfoldRectangle piece = k;
  for (int64_t row = 0; row < k.rows; row += rows_at_once) {
    piece.rows = k.rows - row < rows_at_once ? k.rows - row : rows_at_once;
    const auto within = [](int64_t at, int64_t size) { return at < 0 ? 0 : at < size ? at : size; };
    piece.row_begin = within(k.row_begin - row, piece.rows);
    piece.row_end = within(k.row_end - row, piece.rows);
    for (int64_t first = 0; first < k.count; first += piece.count) {
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
      unfold_any_step<T>(piece);
      stream.add(piece.rows * piece.count * static_cast<int64_t>(sizeof(T)));
    }
  }
  stream.finish();
}

// Whether all vectors of all rows are lines of memory.
template <class T>
bool is_of_lines(const UnfoldRectangle& k) {
  constexpr int64_t kLanes = 64 / sizeof(T);
  return k.to_step == 1 && k.count % kLanes == 0 && k.to_row % kLanes == 0 &&
         reinterpret_cast<std::uintptr_t>(k.to) % 64 == 0;
}

template <class T>
void unfold(const UnfoldRectangle& k) {
  if (!k.stream) return unfold_any_step<T>(k);
  if (is_of_lines<T>(k)) return unfold_any_step<T, true>(k);
  if (follow_on<T>(k)) return unfold_lines<LineOf<T>>(k);
  if (k.to_step == 1 && (k.rows == 1 || k.to_row == k.count) && k.count > 0) {
    return unfold_streamed<T>(k);
  }
  unfold_any_step<T>(k);
}

#else

template <class T>
void unfold(const UnfoldRectangle& k) {
#ifdef __AVX2__
  if constexpr (sizeof(T) == 4) {
    if (k.stream && follow_on<T>(k)) return unfold_lines<LineOf<T>>(k);
  }
#endif
  unfold_any<T>(k);
}

#endif

}  // namespace

void unfold_8(const UnfoldRectangle& k) noexcept { unfold<std::uint8_t>(k); }
void unfold_16(const UnfoldRectangle& k) noexcept { unfold<std::uint16_t>(k); }
void unfold_32(const UnfoldRectangle& k) noexcept { unfold<std::uint32_t>(k); }
void unfold_64(const UnfoldRectangle& k) noexcept { unfold<std::uint64_t>(k); }

}  // namespace weft::kernels::WEFT_ISA
