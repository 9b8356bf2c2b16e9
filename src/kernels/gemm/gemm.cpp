#include "kernels/gemm/gemm.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_term.h"
#include "kernels/gemm/gemm_vectors.h"
#include "kernels/half.h"
#include "kernels/part.h"
#include "kernels/unrolled.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::size_t;

// Terms a turn. Where another thread shares the processor's decoders, all that is no multiply-add
// costs time.
[[maybe_unused]] constexpr std::int64_t kTurn = 4;

// Instead of a step that is known here: a_step as it comes, or a_offsets of the positions.
constexpr std::int64_t kAnyStep = 0;
constexpr std::int64_t kOffsets = -1;

// A step of 1 or 2, and terms as padded_row_tile() has them.
constexpr std::int64_t kPaddedRow = -2, kPaddedRowByTwo = -3;
constexpr bool is_padded_row(std::int64_t step) {
  return step == kPaddedRow || step == kPaddedRowByTwo;
}

// A step of 1, and terms as gathered_tile() has them.
[[maybe_unused]] constexpr std::int64_t kGathered = -4;

// What a_step is then, where that is known here.
constexpr std::int64_t step_of(std::int64_t step) {
  return step == kPaddedRowByTwo ? 2 : step < 0 ? 1 : step;
}

// kStep: a_step, or one of these.
template <std::int64_t kPositions, std::int64_t kVectors, std::int64_t kStep>
WEFT_UNROLLED void multiply(const GemmTile& tile) noexcept {
  // Read once: for all that the compiler knows, a store to the sums might change the tile.
  float* const to = tile.acc;
  const std::int64_t stride = tile.acc_stride;
  const std::int64_t step = kStep == kAnyStep ? tile.a_step : step_of(kStep);
  const float* positions[kPositions];  // each in its register
#pragma GCC unroll 32
  for (std::int64_t m = 0; m < kPositions; ++m) {
    if (kStep == kOffsets) positions[m] = tile.a + tile.a_offsets[m];
  }
  const bool apart = tile.apart;
  const float* const bias = tile.bias;
  Vector acc[kPositions][kVectors];
  const bool starts = tile.first || apart;
  const float* from = to;
#pragma GCC unroll 32
  for (std::int64_t m = 0; m < kPositions; ++m, from += stride) {
#pragma GCC unroll 16
    for (std::int64_t v = 0; v < kVectors; ++v) {
      acc[m][v] = starts ? set(0.0f) : load(from + v * kLanes);
    }
  }
  const float* a = tile.a;
  const auto take = [&](std::int64_t of_a, const float* b, std::int64_t begin = 0,
                        std::int64_t stop = kPositions) WEFT_UNROLLED
      __attribute__((always_inline)) {
#if defined(__FMA__) && !defined(__AVX512F__)
    if constexpr (is_padded_row(kStep)) {
      constexpr std::int64_t kKnown = step_of(kStep);
      if (stop - begin == kPositions) return take_term<kKnown>(a + of_a, b, acc);
      return take_some<kKnown>(a + of_a, b, acc, begin, stop);
    }
#endif
    Vector columns[kVectors];
#pragma GCC unroll 16
    for (std::int64_t v = 0; v < kVectors; ++v) columns[v] = load_once(b + v * kLanes);
#pragma GCC unroll 32
    for (std::int64_t m = 0; m < kPositions; ++m) {
      if (m < begin || m >= stop) continue;
      Vector x = set(kStep == kOffsets ? positions[m][of_a] : a[of_a + m * step]);
      if (kVectors > 1) keep(x);
#pragma GCC unroll 16
      for (std::int64_t v = 0; v < kVectors; ++v) {
        if (kVectors > 1) {
          accumulate(x, columns[v], acc[m][v]);
        } else {
          acc[m][v] = multiply_add(x, columns[v], acc[m][v]);
        }
      }
    }
  };
  const GemmTerm* term = tile.terms;
  const GemmTerm* const end = term + tile.depth;
  const char* next = tile.next;
  const auto fetch = [&]() __attribute__((always_inline)) {
    __builtin_prefetch(next);
    next += tile.next_step;
  };
  constexpr std::int64_t kRow = kVectors * kLanes;
  if constexpr (is_padded_row(kStep)) {
    const bool before = tile.padded_before, after = tile.padded_after;
    for (; term != end; term += kPaddedTaps) {
      const float* const b = tile.b + term->b;
#pragma GCC unroll 3
      for (std::int64_t i = 0; i < kPaddedTaps; ++i) {
        fetch();
        if (i == 0 && before) {
          take(term->a, b, 1);
        } else if (i == kPaddedTaps - 1 && after) {
          take(term->a + i, b + i * kRow, 0, kPositions - 1);
        } else {
          take(term->a + i, b + i * kRow);
        }
      }
    }
  }
#if defined(__FMA__) && !defined(__AVX512F__)
  constexpr bool kInAssembly = kStep == 1 || kStep == 2 || kStep == kGathered;
  if constexpr (kInAssembly) {
    constexpr bool kListed = kStep > 0;  // where terms are in a
    constexpr std::int64_t kTerms = kStep == kGathered ? 2 * kTurn : kTurn;
    const std::int64_t next_step = tile.next_step;
    const bool follow = tile.rows_follow;
    const float* b = follow && term != end ? tile.b + term->b : tile.b;
    const auto pass = [&](bool of_list) WEFT_UNROLLED __attribute__((always_inline)) {
      const auto take_next = [&](std::int64_t i) WEFT_UNROLLED __attribute__((always_inline)) {
        take_term<step_of(kStep)>(kListed ? a + term[i].a : a + i * kPositions,
                                  of_list ? b + term[i].b : b + i * kRow, acc);
      };
      const auto step_by = [&](std::int64_t count) __attribute__((always_inline)) {
        if (kListed || of_list) term += count;
        if (!kListed) a += count * kPositions;
        if (!of_list) b += count * kRow;
      };
      std::int64_t left = tile.depth - kTerms;
      for (; left >= 0; left -= kTerms) {
        __builtin_prefetch(next);
        __builtin_prefetch(next + kTerms / 2 * next_step);
        next += kTerms * next_step;
#pragma GCC unroll 8
        for (std::int64_t i = 0; i < kTerms; ++i) take_next(i);
        step_by(kTerms);
      }
#pragma GCC unroll 1
      for (left += kTerms; left > 0; --left) {
        take_next(0);
        step_by(1);
      }
    };
    if (follow) {
      pass(false);
    } else {
      pass(true);
    }
    term = end;
  }
#else
  constexpr bool kInAssembly = false;
#endif
#ifdef __FMA__  // elsewhere products wait for their sums anyway
  const bool follow = !kInAssembly && !is_padded_row(kStep) && tile.rows_follow;
  const std::int64_t in_turns = follow ? tile.depth - tile.depth % kTurn : 0;
  for (const GemmTerm* stop = term + in_turns; term != stop; term += kTurn) {
    const float* const b = tile.b + term->b;
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < kTurn; ++i) {
      if (i % 2 == 0) {
        __builtin_prefetch(next);
        next += 2 * tile.next_step;
      }
      take(term[i].a, b + i * kRow);
    }
  }
#endif
  for (; !kInAssembly && term != end; ++term) {
    fetch();
    take(term->a, tile.b + term->b);
  }
  if (apart) {
    from = to;
#pragma GCC unroll 32
    for (std::int64_t m = 0; m < kPositions; ++m, from += stride) {
#pragma GCC unroll 16
      for (std::int64_t v = 0; v < kVectors; ++v) {
        acc[m][v] = add(acc[m][v], load(from + v * kLanes));
      }
    }
  }
  if (bias != nullptr && tile.bias_of_positions) {
#pragma GCC unroll 32
    for (std::int64_t m = 0; m < kPositions; ++m) {
      const Vector x = set(bias[m]);
#pragma GCC unroll 16
      for (std::int64_t v = 0; v < kVectors; ++v) acc[m][v] = add(acc[m][v], x);
    }
  } else if (bias != nullptr) {
#pragma GCC unroll 16
    for (std::int64_t v = 0; v < kVectors; ++v) {
      const Vector x = load(bias + v * kLanes);
#pragma GCC unroll 32
      for (std::int64_t m = 0; m < kPositions; ++m) acc[m][v] = add(acc[m][v], x);
    }
  }
  if (tile.ramp != nullptr) {
#pragma GCC unroll 32
    for (std::int64_t m = 0; m < kPositions; ++m) {
#pragma GCC unroll 16
      for (std::int64_t v = 0; v < kVectors; ++v) acc[m][v] = ramp(acc[m][v], *tile.ramp);
    }
  }
#ifdef __F16C__
  if (kStep == 1 && tile.half != nullptr) return store_sums(acc, tile.half, stride);
#endif
  if (!tile.last) {
    float* into = to;
#pragma GCC unroll 32
    for (std::int64_t m = 0; m < kPositions; ++m, into += stride) {
#pragma GCC unroll 16
      for (std::int64_t v = 0; v < kVectors; ++v) store(acc[m][v], into + v * kLanes);
    }
    return;
  }
  store_sums(acc, to, stride);
}

template <std::int64_t kVectors, std::int64_t kStep>
constexpr auto functions = []<size_t... m>(std::index_sequence<m...>) {
  return std::array<GemmFunction, sizeof...(m)>{multiply<std::int64_t{m + 1}, kVectors, kStep>...};
}
(std::make_index_sequence<static_cast<size_t>(
     (kStep == kOffsets ? kShape.max_offset_positions : kShape.max_positions)[kVectors - 1])>());

// Of a single position, of more vectors than other tiles have.
[[maybe_unused]] constexpr size_t kNarrow = kGemmMaxVectors + 1;
[[maybe_unused]] constexpr auto wide_functions = []<size_t... v>(std::index_sequence<v...>) {
  return std::array<GemmFunction, sizeof...(v)>{multiply<1, std::int64_t{kNarrow + v}, 1>...};
}
(std::make_index_sequence<
    static_cast<size_t>(std::max<std::int64_t>(kShape.max_vectors_of_one - kGemmMaxVectors, 0))>());

template <std::int64_t kStep>
GemmFunction function(std::int64_t vectors, std::int64_t positions) noexcept {
  const auto m = static_cast<size_t>(positions - 1);
  if (vectors == 1) return functions<1, kStep>[m];
  if (vectors == 2) return functions<2, kStep>[m];
  return functions<3, kStep>[m];
}

#if HWY_TARGET != HWY_SCALAR
// Four numbers from each of the rows 0, 4, 8, .., as many as a vector of the tag holds.
template <class Tag>
hn::Vec<Tag> load_blocks(Tag tag, const float* from, std::int64_t stride) {
  if constexpr (hn::MaxLanes(tag) == 4) {
    return hn::LoadU(tag, from);
  } else {
    const hn::Half<Tag> half;
    const std::int64_t upper = hn::MaxLanes(tag) / 2;
    return hn::Combine(tag, load_blocks(half, from + upper * stride, stride),
                       load_blocks(half, from, stride));
  }
}

// kLanes rows of four columns, turned into four rows.
inline void transpose_four(const float* from, std::int64_t stride, Vector (&to)[4]) {
  const hn::Repartition<double, decltype(vector_tag)> wide_tag;
  const auto wide = [&](Vector x) { return hn::BitCast(wide_tag, x); };
  const Vector r0 = load_blocks(vector_tag, from, stride);
  const Vector r1 = load_blocks(vector_tag, from + stride, stride);
  const Vector r2 = load_blocks(vector_tag, from + 2 * stride, stride);
  const Vector r3 = load_blocks(vector_tag, from + 3 * stride, stride);
  const auto low01 = wide(hn::InterleaveLower(vector_tag, r0, r1));
  const auto low23 = wide(hn::InterleaveLower(vector_tag, r2, r3));
  const auto high01 = wide(hn::InterleaveUpper(vector_tag, r0, r1));
  const auto high23 = wide(hn::InterleaveUpper(vector_tag, r2, r3));
  to[0] = hn::BitCast(vector_tag, hn::InterleaveLower(wide_tag, low01, low23));
  to[1] = hn::BitCast(vector_tag, hn::InterleaveUpper(wide_tag, low01, low23));
  to[2] = hn::BitCast(vector_tag, hn::InterleaveLower(wide_tag, high01, high23));
  to[3] = hn::BitCast(vector_tag, hn::InterleaveUpper(wide_tag, high01, high23));
}

// Lanes [begin, end).
inline void store_some(Vector x, std::int64_t begin, std::int64_t end, float* to) {
#if defined(__AVX512F__)
  const auto before = hn::FirstN(vector_tag, static_cast<size_t>(begin));
  const auto mask = hn::AndNot(before, hn::FirstN(vector_tag, static_cast<size_t>(end)));
  hn::BlendedStore(x, mask, vector_tag, to);
#elif defined(__AVX2__)
  store_part(x.raw, begin, end, to);
#else
  // Elsewhere a masked store touches what it leaves as it is.
  float numbers[kLanes];
  hn::StoreU(x, vector_tag, numbers);
  std::copy(numbers + begin, numbers + end, to + begin);
#endif
}
#if defined(__AVX512F__)
inline void store_some(Vector x, std::int64_t begin, std::int64_t end, std::uint16_t* to) {
  const auto mask = static_cast<__mmask16>((1 << end) - (1 << begin));
  _mm256_mask_storeu_epi16(to, mask, narrow(x));
}
#elif defined(__F16C__)
inline void store_some(Vector x, std::int64_t begin, std::int64_t end, std::uint16_t* to) {
  store_part(_mm256_cvtps_ph(x.raw, kNearest), begin, end, to);
}
#endif

// Rows of a run, and those before the first that starts a vector's worth of memory in every column.
constexpr std::int64_t kRunRows = 8 * kLanes;
template <class T>
std::int64_t rows_to_line(const Transposition& t, const T* to) {
  if (t.to_stride % kLanes != 0) return 0;
  const auto past =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(T)) % kLanes;
  return past == 0 || t.rows < 2 * kLanes ? 0 : kLanes - past;
}

// Four columns of the rows [begin, end), out of the kLanes rows from `row` on.
template <class T>
void transpose_part(const Transposition& t, T* to, std::int64_t column, std::int64_t row,
                    std::int64_t begin, std::int64_t end) {
  Vector four[4];
  transpose_four(t.from + row * t.from_stride + column, t.from_stride, four);
  to += column * t.to_stride + row;
  for (std::int64_t i = 0; i < 4; ++i, to += t.to_stride) {
    if (end - begin == kLanes) {
      store(four[i], to);
    } else {
      store_some(four[i], begin - row, end - row, to);
    }
  }
}
#endif

inline void put(float x, float* to) { *to = x; }
#ifdef __F16C__
inline void put(float x, std::uint16_t* to) { *to = narrow_half(x); }
#endif

template <class T>
void transpose(const Transposition& t, T* to) {
  std::int64_t columns = 0;  // done
#if HWY_TARGET != HWY_SCALAR
  if (t.rows >= kLanes) {
    columns = t.columns / 4 * 4;
    const std::int64_t head = rows_to_line(t, to);
    // A few lines of each column at a time: the results of a convolution lie pages apart.
    for (std::int64_t first = head; first < t.rows; first += kRunRows) {
      const std::int64_t end = std::min(t.rows, first + kRunRows);
      for (std::int64_t n = 0; n < columns; n += 4) {
        if (first == head && head > 0) transpose_part(t, to, n, 0, 0, head);
        std::int64_t row = first;
        for (; row + kLanes <= end; row += kLanes) {
          transpose_part(t, to, n, row, row, row + kLanes);
        }
        if (row < end) transpose_part(t, to, n, end - kLanes, row, end);
      }
    }
  }
#endif
  for (std::int64_t n = columns; n < t.columns; ++n) {
    for (std::int64_t m = 0; m < t.rows; ++m) {
      put(t.from[m * t.from_stride + n], to + n * t.to_stride + m);
    }
  }
}

// A short row, or zeros; without a call that costs more than the copy.
inline void copy_some(const float* from, float* to, std::int64_t count) {
  std::int64_t i = 0;
#if defined(__AVX2__)
  for (; i + kLanes <= count; i += kLanes) {
    store(from != nullptr ? load(from + i) : set(0.0f), to + i);
  }
  if (i < count) {
    const auto mask = hn::FirstN(vector_tag, static_cast<size_t>(count - i));
    const Vector x = from != nullptr ? hn::MaskedLoad(mask, vector_tag, from + i) : set(0.0f);
    store_some(x, 0, count - i, to + i);
  }
#else
  for (; i < count; ++i) to[i] = from != nullptr ? from[i] : 0.0f;
#endif
}

#if defined(__AVX2__)
// Of rows of so few vectors, with their padding, all rows take the same masks.
template <std::int64_t kVectors>
void pad_short_rows(const PaddedRows& p) {
  const auto first = [](std::int64_t count) {
    return hn::FirstN(vector_tag, static_cast<size_t>(std::clamp<std::int64_t>(count, 0, kLanes)));
  };
  hn::Mask<decltype(vector_tag)> inside[kVectors];
  for (std::int64_t v = 0; v < kVectors; ++v) {
    const std::int64_t before = p.before - v * kLanes;
    inside[v] = hn::AndNot(first(before), first(before + p.count));
  }
  // Where rows follow on each other, what a vector writes beyond one is overwritten by the next.
  constexpr std::int64_t kWritten = kVectors * kLanes;
  const std::int64_t room = p.to_stride == p.size ? p.rows * p.size - kWritten : -1;
  const std::int64_t last = kWritten - kLanes;
  const float* from = p.from - p.before;
  float* to = p.to;
  for (std::int64_t r = 0; r < p.rows; ++r, from += p.from_stride, to += p.to_stride) {
    Vector x[kVectors];
    for (std::int64_t v = 0; v < kVectors; ++v) {
      x[v] = hn::MaskedLoad(inside[v], vector_tag, from + v * kLanes);
    }
    for (std::int64_t v = 0; v + 1 < kVectors; ++v) store(x[v], to + v * kLanes);
    if (r * p.size <= room) {
      store(x[kVectors - 1], to + last);
    } else {
      store_some(x[kVectors - 1], 0, p.size - last, to + last);
    }
  }
}
#endif

}  // namespace

GemmFunction gemm_f32(std::int64_t vectors, std::int64_t positions, std::int64_t a_step) noexcept {
  if constexpr (kShape.max_vectors_of_one > kGemmMaxVectors) {
    if (vectors > kGemmMaxVectors) return wide_functions[static_cast<size_t>(vectors) - kNarrow];
  }
  if (a_step == 1) return function<1>(vectors, positions);
  if (a_step == 2) return function<2>(vectors, positions);
  return function<kAnyStep>(vectors, positions);
}

GemmFunction gemm_padded_row_f32(std::int64_t vectors, std::int64_t positions,
                                 std::int64_t a_step) noexcept {
  return a_step == 1 ? function<kPaddedRow>(vectors, positions)
                     : function<kPaddedRowByTwo>(vectors, positions);
}

#if defined(__FMA__) && !defined(__AVX512F__)
GemmFunction gemm_gathered_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  return function<kGathered>(vectors, positions);
}
#endif

GemmFunction gemm_at_offsets_f32(std::int64_t vectors, std::int64_t positions) noexcept {
  return function<kOffsets>(vectors, positions);
}

void transpose_f32(const Transposition& t) noexcept {
#ifdef __F16C__
  if (t.half != nullptr) return transpose(t, t.half);
#endif
  transpose(t, t.to);
}

void pad_rows_f32(const PaddedRows& p) noexcept {
#if defined(__AVX2__)
  if (p.size <= kLanes) return pad_short_rows<1>(p);
  if (p.size <= 2 * kLanes) return pad_short_rows<2>(p);
  if (p.size <= 3 * kLanes) return pad_short_rows<3>(p);
  if (p.size <= 4 * kLanes) return pad_short_rows<4>(p);
#endif
  for (std::int64_t r = 0; r < p.rows; ++r) {
    const float* from = p.from + r * p.from_stride;
    float* to = p.to + r * p.to_stride;
    if (p.before > 0) copy_some(nullptr, to, p.before);
    copy_some(from, to + p.before, p.count);
    const std::int64_t end = p.before + p.count;
    if (end < p.size) copy_some(nullptr, to + end, p.size - end);
  }
}

void add_scaled_row_f32(float factor, const float* x, float* acc, std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    acc[i] = __builtin_fmaf(factor, x[i], acc[i]);
#else
    acc[i] = acc[i] + factor * x[i];
#endif
  }
}

}  // namespace weft::kernels::WEFT_ISA
