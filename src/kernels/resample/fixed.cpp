#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/lanes.h"
#include "kernels/resample/resample_levels.h"

#ifdef __SSSE3__
#include <immintrin.h>
#endif

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

// What makes a byte of T a number from 0 to 255 in the same order.
template <class T>
constexpr std::uint8_t kFlip = T(-1) < T(0) ? 0x80 : 0;

// The number that `sum` is in units of 2^-shift, truncated toward zero, which is 128 where bytes
// are flipped; flipped back.
template <class T, class Sum>
inline std::uint8_t truncate_fixed(Sum sum, int shift) {
  if (kFlip<T> != 0) {
    sum = static_cast<Sum>(sum + (sum >> shift < kFlip<T> ? (Sum{1} << shift) - 1 : 0));
  }
  return static_cast<std::uint8_t>(sum >> shift) ^ kFlip<T>;
}

// In a `using`, GCC 12 overlooks a size that depends on a parameter.
// NOLINTBEGIN(modernize-use-using)
template <int lanes>
struct ShortVectors {
  typedef uint16_t Sums __attribute__((vector_size(2 * lanes)));
  typedef std::int16_t Signs __attribute__((vector_size(2 * lanes)));
  typedef std::uint8_t Bytes __attribute__((vector_size(lanes)));
};
// NOLINTEND(modernize-use-using)

// Sums in units of 2^-kShortShift, by whole vectors where there are that many, the last of which
// reaches back.
template <class T, int lanes>
void between_short(const uint16_t* a, const uint16_t* b, uint16_t of_a, uint16_t of_b,
                   std::uint8_t* to, int64_t count) {
  if constexpr (lanes < 8) {
    for (int64_t i = 0; i < count; ++i) {
      to[i] = truncate_fixed<T>(static_cast<uint16_t>(a[i] * of_a + b[i] * of_b), kShortShift);
    }
  } else {
    if (count < lanes) return between_short<T, lanes / 2>(a, b, of_a, of_b, to, count);
    using Sums = typename ShortVectors<lanes>::Sums;
    using Signs = typename ShortVectors<lanes>::Signs;
    using Bytes = typename ShortVectors<lanes>::Bytes;
    const auto mix = [=](int64_t i) {
      Sums x, y;
      std::memcpy(&x, a + i, sizeof x);
      std::memcpy(&y, b + i, sizeof y);
      Sums sum = x * of_a + y * of_b;
      if (kFlip<T> != 0) sum += ~reinterpret_cast<Sums>(reinterpret_cast<Signs>(sum) >> 15) & 0xff;
      sum >>= kShortShift;
      const Bytes bytes = __builtin_convertvector(sum, Bytes) ^ kFlip<T>;
      std::memcpy(to + i, &bytes, sizeof bytes);
    };
    for (int64_t i = 0; i + lanes < count; i += lanes) mix(i);
    mix(count - lanes);
  }
}

#ifdef __AVX512BW__
constexpr int kShortLanes = 32;
#elif defined(__AVX2__)
constexpr int kShortLanes = 16;
#else
constexpr int kShortLanes = 8;
#endif

#ifdef __SSSE3__

// As many numbers as a vector holds, from windows of 16 bytes that hold four of them.
#if defined(__AVX512BW__)

constexpr int64_t kLanes = 16;
using Vector = __m512i;
Vector load(const void* from) { return _mm512_loadu_si512(from); }
void store(uint32_t* to, Vector x) { _mm512_storeu_si512(to, x); }
void store(uint16_t* to, Vector x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_maskz_cvtepi32_epi16(0xffff, x));
}
Vector windows(const std::uint8_t* row, const std::int32_t* starts) {
  const auto window = [=](int k) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + starts[k]));
  };
  Vector x = _mm512_zextsi128_si512(window(0));
  x = _mm512_inserti64x2(x, window(1), 1);
  x = _mm512_inserti64x2(x, window(2), 2);
  return _mm512_inserti64x2(x, window(3), 3);
}
Vector window(const std::uint8_t* from) {
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return _mm512_maskz_broadcast_i32x4(0xffff, x);
}
void store_short(uint16_t* to, Vector x) { _mm512_storeu_si512(to, x); }
Vector mix_pairs(Vector pairs, Vector weights) { return _mm512_maddubs_epi16(pairs, weights); }
Vector broadcast(uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
Vector upper(Vector x) { return _mm512_srli_epi64(x, 32); }
Vector weigh(Vector a, Vector of_a, Vector b, Vector of_b) {
  return _mm512_add_epi64(_mm512_maskz_mul_epu32(0xff, a, of_a),
                          _mm512_maskz_mul_epu32(0xff, b, of_b));
}
Vector add_below(Vector x, Vector limit, Vector more) {
  return _mm512_mask_add_epi64(x, _mm512_cmplt_epu64_mask(x, limit), x, more);
}
Vector join_shifted(Vector even, Vector odd, __m128i shift) {
  return _mm512_or_si512(_mm512_maskz_srl_epi64(0xff, even, shift),
                         _mm512_slli_epi64(_mm512_maskz_srl_epi64(0xff, odd, shift), 32));
}
void store_bytes(std::uint8_t* to, Vector x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_maskz_cvtepi32_epi8(0xffff, x));
}
Vector flip_words(Vector x) { return _mm512_xor_si512(x, _mm512_set1_epi32(0x80)); }
Vector flip(Vector x) { return _mm512_xor_si512(x, _mm512_set1_epi8(static_cast<char>(0x80))); }
Vector pick(Vector window, Vector control) { return _mm512_shuffle_epi8(window, control); }
Vector further(Vector control, Vector weight, int step) {
  return _mm512_mask_add_epi32(control, _mm512_test_epi32_mask(weight, weight), control,
                               _mm512_set1_epi32(step));
}
Vector mix(Vector a, Vector b, Vector weight, int shift) {
  return _mm512_add_epi32(_mm512_maskz_sll_epi32(0xffff, a, _mm_cvtsi32_si128(shift)),
                          _mm512_mullo_epi32(_mm512_sub_epi32(b, a), weight));
}

#elif defined(__AVX2__)

constexpr int64_t kLanes = 8;
using Vector = __m256i;
Vector load(const void* from) { return _mm256_loadu_si256(static_cast<const Vector*>(from)); }
void store(uint32_t* to, Vector x) { _mm256_storeu_si256(reinterpret_cast<Vector*>(to), x); }
void store(uint16_t* to, Vector x) {
  const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_packus_epi32(low, high));
}
Vector windows(const std::uint8_t* row, const std::int32_t* starts) {
  const auto window = [=](int k) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + starts[k]));
  };
  return _mm256_set_m128i(window(1), window(0));
}
Vector window(const std::uint8_t* from) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
void store_short(uint16_t* to, Vector x) { _mm256_storeu_si256(reinterpret_cast<Vector*>(to), x); }
Vector mix_pairs(Vector pairs, Vector weights) { return _mm256_maddubs_epi16(pairs, weights); }
Vector broadcast(uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
Vector upper(Vector x) { return _mm256_srli_epi64(x, 32); }
Vector weigh(Vector a, Vector of_a, Vector b, Vector of_b) {
  return _mm256_add_epi64(_mm256_mul_epu32(a, of_a), _mm256_mul_epu32(b, of_b));
}
Vector add_below(Vector x, Vector limit, Vector more) {
  return _mm256_add_epi64(x, _mm256_and_si256(_mm256_cmpgt_epi64(limit, x), more));
}
Vector join_shifted(Vector even, Vector odd, __m128i shift) {
  return _mm256_or_si256(_mm256_srl_epi64(even, shift),
                         _mm256_slli_epi64(_mm256_srl_epi64(odd, shift), 32));
}
void store_bytes(std::uint8_t* to, Vector x) {
  const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
  const __m128i shorts = _mm_packus_epi32(low, high);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(shorts, shorts));
}
Vector flip_words(Vector x) { return _mm256_xor_si256(x, _mm256_set1_epi32(0x80)); }
Vector flip(Vector x) { return _mm256_xor_si256(x, _mm256_set1_epi8(static_cast<char>(0x80))); }
Vector pick(Vector window, Vector control) { return _mm256_shuffle_epi8(window, control); }
Vector further(Vector control, Vector weight, int step) {
  const Vector mixes = _mm256_cmpgt_epi32(weight, _mm256_setzero_si256());
  return _mm256_add_epi32(control, _mm256_and_si256(mixes, _mm256_set1_epi32(step)));
}
Vector mix(Vector a, Vector b, Vector weight, int shift) {
  return _mm256_add_epi32(_mm256_sll_epi32(a, _mm_cvtsi32_si128(shift)),
                          _mm256_mullo_epi32(_mm256_sub_epi32(b, a), weight));
}

#else

constexpr int64_t kLanes = 4;
using Vector = __m128i;
Vector load(const void* from) { return _mm_loadu_si128(static_cast<const Vector*>(from)); }
void store(uint32_t* to, Vector x) { _mm_storeu_si128(reinterpret_cast<Vector*>(to), x); }
void store(uint16_t* to, Vector x) { _mm_storeu_si64(to, _mm_packus_epi32(x, x)); }
Vector windows(const std::uint8_t* row, const std::int32_t* starts) { return load(row + *starts); }
Vector window(const std::uint8_t* from) { return load(from); }
void store_short(uint16_t* to, Vector x) { _mm_storeu_si128(reinterpret_cast<Vector*>(to), x); }
Vector mix_pairs(Vector pairs, Vector weights) { return _mm_maddubs_epi16(pairs, weights); }
Vector broadcast(uint64_t x) { return _mm_set1_epi64x(static_cast<long long>(x)); }
Vector upper(Vector x) { return _mm_srli_epi64(x, 32); }
Vector weigh(Vector a, Vector of_a, Vector b, Vector of_b) {
  return _mm_add_epi64(_mm_mul_epu32(a, of_a), _mm_mul_epu32(b, of_b));
}
Vector add_below(Vector x, Vector limit, Vector more) {
  return _mm_add_epi64(x, _mm_and_si128(_mm_cmpgt_epi64(limit, x), more));
}
Vector join_shifted(Vector even, Vector odd, __m128i shift) {
  return _mm_or_si128(_mm_srl_epi64(even, shift), _mm_slli_epi64(_mm_srl_epi64(odd, shift), 32));
}
void store_bytes(std::uint8_t* to, Vector x) {
  const __m128i shorts = _mm_packus_epi32(x, x);
  _mm_storeu_si32(to, _mm_packus_epi16(shorts, shorts));
}
Vector flip_words(Vector x) { return _mm_xor_si128(x, _mm_set1_epi32(0x80)); }
Vector flip(Vector x) { return _mm_xor_si128(x, _mm_set1_epi8(static_cast<char>(0x80))); }
Vector pick(Vector window, Vector control) { return _mm_shuffle_epi8(window, control); }
Vector further(Vector control, Vector weight, int step) {
  const Vector mixes = _mm_cmpgt_epi32(weight, _mm_setzero_si128());
  return _mm_add_epi32(control, _mm_and_si128(mixes, _mm_set1_epi32(step)));
}
Vector mix(Vector a, Vector b, Vector weight, int shift) {
  return _mm_add_epi32(_mm_sll_epi32(a, _mm_cvtsi32_si128(shift)),
                       _mm_mullo_epi32(_mm_sub_epi32(b, a), weight));
}

#endif

// A row of at least 16 elements: `row`, or a copy of it in `room`.
const std::uint8_t* whole_window(const std::uint8_t* row, int64_t count, std::uint8_t (&room)[16]) {
  if (count >= 16) return row;
  std::memcpy(room, row, static_cast<std::size_t>(count));
  return room;
}

template <class T, bool one_window, class Row>
void along_windows(const std::uint8_t* row, const FixedPicks& picks, Row* to) {
  const std::uint8_t* const next_row = row + picks.ahead;
  std::uint8_t room[16] = {};
  row = whole_window(row, picks.row_count, room);
  const FixedPicks p = picks;  // a copy, which no number that is stored may change
  for (int64_t i = 0; i < p.count; i += kLanes) {
    for (int64_t k = 0; k < kLanes; k += one_window ? kLanes : 8) {
      __builtin_prefetch(next_row + p.starts[(i + k) / 4]);
    }
    const std::int32_t* const starts = p.starts + i / 4;
    Vector x = one_window ? window(row + *starts) : windows(row, starts);
    if (kFlip<T> != 0) x = flip(x);
    const Vector control = load(p.controls + i);
    const Vector a = pick(x, control);
    if (p.shift == 0) {
      store(to + i, a);
      continue;
    }
    const Vector weight = load(p.weights + i);
    store(to + i, mix(a, pick(x, further(control, weight, p.next)), weight, p.shift));
  }
}

// Each number is a sum of two products of bytes, which is one instruction.
template <class T>
void along_pairs(const std::uint8_t* row, const FixedPicks& picks, uint16_t* to) {
  const std::uint8_t* const next_row = row + picks.ahead;
  std::uint8_t room[16] = {};
  row = whole_window(row, picks.row_count, room);
  const FixedPicks p = picks;
  for (int64_t i = 0; i < p.count; i += 2 * kLanes) {
    const std::int32_t* const starts = p.pair_starts + i / 8;
    __builtin_prefetch(next_row + *starts);
    Vector x = windows(row, starts);
    if (kFlip<T> != 0) x = flip(x);
    store_short(to + i, mix_pairs(pick(x, load(p.pair_controls + i)), load(p.pair_weights + i)));
  }
}

// Sums of 64 bits, of even numbers and of odd ones.
template <class T>
int64_t between_long(const uint32_t* a, const uint32_t* b, uint64_t rest, uint64_t weight,
                     int shift, std::uint8_t* to, int64_t count) {
  const Vector of_a = broadcast(rest), of_b = broadcast(weight);
  const Vector limit = broadcast(uint64_t{kFlip<T>} << shift);
  const Vector fraction = broadcast((uint64_t{1} << shift) - 1);
  const __m128i bits = _mm_cvtsi32_si128(shift);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Vector x = load(a + i), y = load(b + i);
    Vector even = weigh(x, of_a, y, of_b);
    Vector odd = weigh(upper(x), of_a, upper(y), of_b);
    if (kFlip<T> != 0) {
      even = add_below(even, limit, fraction);
      odd = add_below(odd, limit, fraction);
    }
    Vector numbers = join_shifted(even, odd, bits);
    if (kFlip<T> != 0) numbers = flip_words(numbers);
    store_bytes(to + i, numbers);
  }
  return i;
}

#ifdef __AVX512BW__

// 32 numbers from a window of 128 elements, by pairs of these. 1920 elements to 640 take a third of
// the time that the windows above do.
template <class T>
void along_wide_windows(const std::uint8_t* row, const FixedPicks& picks, uint16_t* to) {
  const FixedPicks p = picks;
  const __m128i shift = _mm_cvtsi32_si128(p.shift);
  const uint64_t low_lanes = lane_mask(0, p.row_count);
  const uint64_t high_lanes = lane_mask(0, p.row_count - 64);
  for (int64_t i = 0; i < p.count; i += 32) {
    const std::uint8_t* const from = row + p.wide_starts[i / 32];
    __builtin_prefetch(from + p.ahead);
    __builtin_prefetch(from + p.ahead + 64);
    const __m512i low = load_lanes(low_lanes, from);
    const __m512i high = load_lanes(high_lanes, from + 64);
    const auto pick = [&](const uint16_t* places) {
      const __m512i place = _mm512_loadu_si512(places + i);
      const __m512i pair = _mm512_permutex2var_epi16(low, place, high);
      const __m512i element = _mm512_and_si512(_mm512_srlv_epi16(pair, _mm512_srli_epi16(place, 8)),
                                               _mm512_set1_epi16(0xff));
      return _mm512_xor_si512(element, _mm512_set1_epi16(kFlip<T>));
    };
    __m512i number = pick(p.first);
    if (p.shift != 0) {
      const __m512i weight = _mm512_loadu_si512(p.short_weights + i);
      const __m512i more = _mm512_mullo_epi16(_mm512_sub_epi16(pick(p.second), number), weight);
      number = _mm512_add_epi16(_mm512_sll_epi16(number, shift), more);
    }
    _mm512_storeu_si512(to + i, number);
  }
}

#endif

#endif

}  // namespace

template <class T, class Row>
void fixed_along(const void* row_bytes, const FixedPicks& picks, Row* to) noexcept {
  const auto* row = static_cast<const std::uint8_t*>(row_bytes);
#ifdef __AVX512BW__
  if constexpr (sizeof(Row) == 2) {
    if (picks.pair_starts == nullptr && picks.wide_starts != nullptr) {
      return along_wide_windows<T>(row, picks, to);
    }
  }
#endif
#ifdef __SSSE3__
  if constexpr (sizeof(Row) == 2) {
    if (picks.pair_starts != nullptr) return along_pairs<T>(row, picks, to);
  }
  if (picks.controls != nullptr) {
    return (picks.one_window ? along_windows<T, true, Row>
                             : along_windows<T, false, Row>)(row, picks, to);
  }
#endif
  // By lines: several elements are in each.
  for (int64_t i = 0; i < picks.row_count; i += 64) __builtin_prefetch(row + picks.ahead + i);
  for (int64_t i = 0; i < picks.count; ++i) {
    const std::int32_t weight = picks.weights[i];
    const uint32_t a = row[picks.index[i]] ^ kFlip<T>;
    const uint32_t b = row[picks.index[i] + (weight > 0 ? picks.next : 0)] ^ kFlip<T>;
    to[i] = static_cast<Row>((a << picks.shift) + (b - a) * static_cast<uint32_t>(weight));
  }
}

template <class T, class Row>
void fixed_between(const Row* a, const Row* b, const FixedWeight& t, void* to_bytes,
                   int64_t count) noexcept {
  auto* __restrict to = static_cast<std::uint8_t*>(to_bytes);
  // Copies, which no byte that is stored may change.
  const int raise = t.shift;
  const int shift = t.shift + t.row_shift;
  const uint32_t weight = t.weight;
  if constexpr (sizeof(Row) == 2) {
    // All sums in units of 2^-kShortShift: compilers shift 16 bits by constants only.
    const auto of_b = static_cast<Row>(weight << (kShortShift - shift));
    const auto of_a = static_cast<Row>((1 << (kShortShift - t.row_shift)) - of_b);
    between_short<T, kShortLanes>(a, b, of_a, of_b, to, count);
  } else if (shift <= 24) {
    for (int64_t i = 0; i < count; ++i) {
      to[i] = truncate_fixed<T>((a[i] << raise) + (b[i] - a[i]) * weight, shift);
    }
  } else {
    const uint32_t rest = (uint32_t{1} << raise) - weight;
    int64_t i = 0;
#ifdef __SSSE3__
    i = between_long<T>(a, b, rest, weight, shift, to, count);
#endif
    for (; i < count; ++i) {
      to[i] = truncate_fixed<T>(uint64_t{a[i]} * rest + uint64_t{b[i]} * weight, shift);
    }
  }
}

template void fixed_along<std::int8_t>(const void*, const FixedPicks&, uint16_t*) noexcept;
template void fixed_along<std::int8_t>(const void*, const FixedPicks&, uint32_t*) noexcept;
template void fixed_along<std::uint8_t>(const void*, const FixedPicks&, uint16_t*) noexcept;
template void fixed_along<std::uint8_t>(const void*, const FixedPicks&, uint32_t*) noexcept;
template void fixed_between<std::int8_t>(const uint16_t*, const uint16_t*, const FixedWeight&,
                                         void*, int64_t) noexcept;
template void fixed_between<std::int8_t>(const uint32_t*, const uint32_t*, const FixedWeight&,
                                         void*, int64_t) noexcept;
template void fixed_between<std::uint8_t>(const uint16_t*, const uint16_t*, const FixedWeight&,
                                          void*, int64_t) noexcept;
template void fixed_between<std::uint8_t>(const uint32_t*, const uint32_t*, const FixedWeight&,
                                          void*, int64_t) noexcept;

}  // namespace weft::kernels::WEFT_ISA
