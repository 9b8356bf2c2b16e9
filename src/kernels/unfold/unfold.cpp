#include "kernels/unfold/unfold.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/lanes.h"
#include "kernels/unfold/lines.h"
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

template <class T, int step>
void copy_each(const T* __restrict from, T* __restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[step * i];
}

#ifdef __AVX2__

// Each vector is of the even elements of two, of which the second begins one element early, so that
// nothing after the last one that counts is read. The last vector reaches back.
inline void copy_even(const std::uint32_t* __restrict from, std::uint32_t* __restrict to,
                      int64_t count) {
  constexpr int64_t kLanes = 8;
  if (count < kLanes) return copy_each<std::uint32_t, 2>(from, to, count);
  const auto load = [=](int64_t i) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(from + i));
  };
  const auto copy_vector = [=](int64_t i) {
    const __m256 x =
        _mm256_shuffle_ps(load(2 * i), load(2 * i + kLanes - 1), _MM_SHUFFLE(3, 1, 2, 0));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_permute4x64_epi64(_mm256_castps_si256(x), _MM_SHUFFLE(3, 1, 2, 0)));
  };
  for (int64_t i = 0; i + kLanes < count; i += kLanes) copy_vector(i);
  copy_vector(count - kLanes);
}

#endif

template <class T>
void copy(const T* __restrict from, int64_t from_step, T* __restrict to, int64_t to_step,
          int64_t count) {
  if (to_step != 1) {
    for (int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
  } else if (from_step == 1) {
    copy_bytes<32>(reinterpret_cast<const char*>(from), reinterpret_cast<char*>(to),
                   static_cast<std::size_t>(count) * sizeof(T));
  } else if (from_step == 2) {
#ifdef __AVX2__
    if constexpr (sizeof(T) == 4) return copy_even(from, to, count);
#endif
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
template <class T, int step, UnfoldStores stores, int64_t ahead>
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
    constexpr bool is_near = stores == UnfoldStores::near;
    const bool goes_on = is_near && to_row == k.count;
    const auto store = [](std::uint64_t mask, T* at, __m512i x) {
      if constexpr (is_near) {
        store_lanes(mask, at, x);
      } else {
        put<LineOf<T>, stores == UnfoldStores::past_caches>(x, at);
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
          if (goes_on) fetch_to_write(reinterpret_cast<const char*>(at) + ahead);
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

template <class T, UnfoldStores stores, int64_t ahead = kBytesAhead>
void unfold_any_step(const UnfoldRectangle& k) {
  if (k.to_step != 1) return unfold_any<T>(k);
  if constexpr (stores == UnfoldStores::near) {  // others of step 1 are unfold_whole_lines()
    if (k.from_step == 1) return unfold_lanes<T, 1, stores, ahead>(k);
  }
  if constexpr (sizeof(T) > 1) {
    if (k.from_step == 2) return unfold_lanes<T, 2, stores, ahead>(k);
    if (k.from_step == 3) return unfold_lanes<T, 3, stores, ahead>(k);
    if (k.from_step == 4) return unfold_lanes<T, 4, stores, ahead>(k);
  }
  unfold_any<T>(k);
}

#else

template <class T, UnfoldStores, int64_t = kBytesAhead>
void unfold_any_step(const UnfoldRectangle& k) {
  unfold_any<T>(k);
}

#endif

#ifdef __AVX2__

// False where rows have gaps or parts that need other instructions.
template <class T, UnfoldStores stores>
bool unfold_as_lines(const UnfoldRectangle& k) {
  using Line = LineOf<T>;
  constexpr bool past_caches = stores == UnfoldStores::past_caches;
  if constexpr (sizeof(typename Line::Element) == sizeof(T)) {
    if (k.from_step == 1 && is_of_lines<T>(k, Line::kLanes)) {
      unfold_whole_lines<Line, past_caches>(k);
      return true;
    }
    // Shorter rows take more time to put together than lines take to write.
    constexpr int64_t kShortRow = 6 * Line::kLanes;
    if (follow_on<T>(k) && (past_caches || k.count >= kShortRow)) {
      unfold_lines<Line, past_caches>(k);
      return true;
    }
  }
#ifdef __AVX512BW__
  if (is_of_lines<T>(k, Line::kLanes)) {
    unfold_any_step<T, stores>(k);
    return true;
  }
  if (past_caches && k.to_step == 1 && (k.rows == 1 || k.to_row == k.count) && k.count > 0) {
    unfold_gathered<T>(k, unfold_any_step<T, UnfoldStores::near>);
    return true;
  }
#endif
  return false;
}

#endif

template <class T>
void unfold(const UnfoldRectangle& k) {
#ifdef __AVX2__
  using enum UnfoldStores;
  if (k.stores == lines && unfold_as_lines<T, lines>(k)) return;
  if (k.stores == past_caches && unfold_as_lines<T, past_caches>(k)) return;
  if (k.stores == lines) return unfold_any_step<T, near, kLinesAhead>(k);
#endif
  unfold_any_step<T, UnfoldStores::near>(k);
}

}  // namespace

void unfold_8(const UnfoldRectangle& k) noexcept { unfold<std::uint8_t>(k); }
void unfold_16(const UnfoldRectangle& k) noexcept { unfold<std::uint16_t>(k); }
void unfold_32(const UnfoldRectangle& k) noexcept { unfold<std::uint32_t>(k); }
void unfold_64(const UnfoldRectangle& k) noexcept { unfold<std::uint64_t>(k); }

}  // namespace weft::kernels::WEFT_ISA
