// Sums of long rows under windows of one row, float32 read where the input lies.

#include <array>
#include <type_traits>
#include <utility>

#include "kernels/direct/direct.h"
#include "kernels/direct/direct_levels.h"
#include "kernels/direct/in_place.h"

#ifdef __AVX2__
#include "kernels/direct/in_place_sums.h"
#ifndef __AVX512F__
#include "kernels/direct/run.h"
#endif

namespace weft::kernels::WEFT_ISA {
namespace {

// One row after the other.
struct RunPlace {
  int64_t channel = 0, layer = 0, row = 0;

  template <class T>
  const T* in(const DirectInPlace& b) const {
    return static_cast<const T*>(b.in) + channel * b.in_channel_stride +
           (layer * b.step.depth + b.first.depth) * b.in_strides.depth +
           (row * b.step.height + b.first.height) * b.in_strides.height;
  }
  template <class T>
  T* out(const DirectInPlace& b) const {
    return static_cast<T*>(b.out) + channel * b.out_channel_stride + layer * b.out_strides.depth +
           row * b.out_strides.height;
  }
  void advance(const DirectInPlace& b) {
    if (++row < b.out_sizes.height) return;
    row = 0;
    if (++layer < b.out_sizes.depth) return;
    layer = 0;
    ++channel;
  }
};

#ifdef __AVX512F__
constexpr int64_t kFarTaps = far_taps(Isa::WEFT_ISA);
static_assert(kFarTaps == kLanes && 2 * kFarTaps == kRunTaps);

// Of a row under a window that begins `before` elements before it, from whole vectors on: what its
// first vector reads, and the last two and the one after them.
class RunEnds {
 public:
  RunEnds(const float* row, int64_t size, int64_t before, int64_t vectors)
      : row_(row - before), before_(before), far_(vectors - 2) {
    const auto copy = [&](int64_t place, float* to) {
      const auto inside = static_cast<unsigned>(std::clamp<int64_t>(size - place, 0, kLanes));
      const auto mask = static_cast<Mask>(_bzhi_u32(0xffffu, inside));
      _mm512_store_ps(to, _mm512_maskz_loadu_ps(mask, row + place));
    };
    _mm512_store_ps(left_, set(0.0f));
    copy(0, left_ + kLanes);
    copy(kLanes, left_ + 2 * kLanes);
    for (int64_t i = 0; i < 4; ++i) copy((far_ + i) * kLanes - before, right_ + i * kLanes);
  }

  // Where a vector of outputs reads with its first tap.
  const float* vector(int64_t n) const {
    if (n == 0) return left_ + kLanes - before_;
    return n < far_ ? row_ + n * kLanes : right_ + (n - far_) * kLanes;
  }

 private:
  const float* row_;
  int64_t before_, far_;
  alignas(kLine) float left_[3 * kLanes];
  alignas(kLine) float right_[4 * kLanes];
};

// Elements 1 to 16 of two vectors, one behind the other.
inline Vector one_further(Vector low, Vector high) {
  return _mm512_castsi512_ps(
      _mm512_alignr_epi32(_mm512_castps_si512(high), _mm512_castps_si512(low), 1));
}

// A row that was widened to where zeros lie around it.
struct WidenedRow {
  const float* first_tap;

  const float* vector(int64_t n) const { return first_tap + n * kLanes; }
};

// Some vectors of a row. Each tap together with the one kFarTaps further on, which reads the same
// vectors for the outputs before them. `in`: the row itself, after which more is fetched.
template <int kVectors, class T, class Row>
WEFT_UNROLLED void sum_run(const DirectInPlace& b, const Row& row, const T* in, int64_t first,
                           const float* filter, Vector bias, T* out, Mask out_mask) {
  Vector sum[kVectors] = {};
  // Those between the second and the last but two follow it.
  const float* const starts[] = {row.vector(first), row.vector(first + 1),
                                 row.vector(first + kVectors - 2), row.vector(first + kVectors - 1),
                                 row.vector(first + kVectors)};
  const auto load_vector = [&](int n, int64_t t) {
    if (n == 0) return load(starts[0] + t);
    if (n < kVectors - 2) return load(starts[1] + (n - 1) * kLanes + t);
    return load(starts[n - kVectors + 4] + t);
  };
  // Rows are summed one after the other: less far ahead suffices.
  const char* wanted = reinterpret_cast<const char*>(in + first * kLanes) + kInAhead / 2;
  const int64_t to_out = reinterpret_cast<const char*>(out) + kOutAhead / 2 - wanted;
  const auto advance = [&] {
    __builtin_prefetch(wanted);
    __builtin_prefetch(wanted + to_out, 1);
    wanted += kVectors * static_cast<int64_t>(sizeof(T));
  };
  const int64_t pairs = b.window.width - kFarTaps;
  int64_t t = 0;
  // Two at a time: half of what the second one reads is made of what the first one has read. A load
  // across lines takes longer than two sums, so that loads alone would hold them up.
  for (; t + 1 < pairs; t += 2) {
    const Vector near[] = {keep(set(filter[t])), keep(set(filter[t + 1]))};
    const Vector far[] = {keep(set(filter[t + kFarTaps])), keep(set(filter[t + 1 + kFarTaps]))};
    Vector last = load_vector(0, t);
    sum[0] = _mm512_fmadd_ps(near[0], last, sum[0]);
#pragma GCC unroll 32
    for (int n = 0; n < kVectors; ++n) {
      const Vector x = load_vector(n + 1, t);
      if (n + 1 < kVectors) sum[n + 1] = _mm512_fmadd_ps(near[0], x, sum[n + 1]);
      sum[n] = _mm512_fmadd_ps(far[0], x, sum[n]);
      const Vector y = n % 2 == 0 ? load_vector(n, t + 1) : keep(one_further(last, x));
      sum[n] = _mm512_fmadd_ps(near[1], y, sum[n]);
      if (n > 0) sum[n - 1] = _mm512_fmadd_ps(far[1], y, sum[n - 1]);
      last = x;
    }
    sum[kVectors - 1] = _mm512_fmadd_ps(far[1], load_vector(kVectors, t + 1), sum[kVectors - 1]);
    advance();
    advance();
  }
  if (t < pairs) {
    const Vector near = keep(set(filter[t])), far = keep(set(filter[t + kFarTaps]));
#pragma GCC unroll 32
    for (int n = 0; n <= kVectors; ++n) {
      const Vector x = load_vector(n, t);
      if (n < kVectors) sum[n] = _mm512_fmadd_ps(near, x, sum[n]);
      if (n > 0) sum[n - 1] = _mm512_fmadd_ps(far, x, sum[n - 1]);
    }
    advance();
    ++t;
  }
  for (; t < kFarTaps; ++t) {
    const Vector near = keep(set(filter[t]));
#pragma GCC unroll 32
    for (int n = 0; n < kVectors; ++n) sum[n] = _mm512_fmadd_ps(near, load_vector(n, t), sum[n]);
    advance();
  }
  finish(sum, {bias}, b.ramp);
#pragma GCC unroll 32
  for (int n = 0; n < kVectors; ++n) {
    store(sum[n], n < kVectors - 1 ? static_cast<Mask>(-1) : out_mask, out + n * kLanes);
  }
}

// All rows of all channels. Rows are cut as those of DirectBlock are.
template <class T>
void sum_runs(const DirectInPlace& b) {
  constexpr bool kWidens = sizeof(T) != sizeof(float);
  const int64_t vectors = (b.out_sizes.width + kLanes - 1) / kLanes;
  const bool wide = vectors >= 16 && (vectors + 7) / 8 % 2 == 0;
  const int64_t width = wide ? 16 : 8;
  using Row = std::conditional_t<kWidens, WidenedRow, RunEnds>;
  const auto sum = wide ? sum_run<16, T, Row> : sum_run<8, T, Row>;
  const auto last = static_cast<Mask>(
      _bzhi_u32(0xffffu, static_cast<unsigned>(b.out_sizes.width - (vectors - 1) * kLanes)));
  // The row after the one that is summed is there too: sums that read what was just written would
  // wait for it to leave the store buffer.
  const int64_t before = -b.first.width;
  const int64_t floats = DirectInPlace::run_floats(b.in_sizes.width, b.out_sizes.width);
  float* widened = b.copy + kLanes;
  float* next_widened = widened + floats;
  const auto widen = [&](const T* from, float* to) {
    direct_load_f16({.from = from,
                     .from_channel_stride = 0,
                     .from_row_stride = 0,
                     .from_stride = 1,
                     .to = to,
                     .to_odd = nullptr,
                     .to_channel_stride = 0,
                     .to_row_stride = 0,
                     .channels = 1,
                     .rows = 1,
                     .columns = b.in_sizes.width});
  };
  RunPlace place;
  if constexpr (kWidens) {
    std::fill_n(b.copy, 2 * floats, 0.0f);
    widen(place.in<T>(b), widened);
  }
  while (place.channel < b.channels) {
    const float* const filter = b.filter + place.channel * b.filter_channel_stride;
    const Vector bias = set(b.bias != nullptr ? b.bias[place.channel] : -0.0f);
    const T* const in = place.in<T>(b);
    T* const out = place.out<T>(b);
    place.advance(b);
    const Row row = [&]() -> Row {
      if constexpr (kWidens) {
        if (place.channel < b.channels) widen(place.in<T>(b), next_widened);
        return {widened - before};
      } else {
        return {in, b.in_sizes.width, before, vectors};
      }
    }();
    for (int64_t n = 0; n < vectors; n += width) {
      // The last are summed together with some before them.
      const int64_t first = std::min(n, vectors - width);
      sum(b, row, in, first, filter, bias, out + first * kLanes,
          n + width < vectors ? static_cast<Mask>(-1) : last);
    }
    std::swap(widened, next_widened);
  }
}
#else
// `count` elements of a row from `place` on, with zeros beside the row, and up to kLanes - 1 more.
void copy_part(const float* row, int64_t size, int64_t place, int64_t count, float* to) {
  for (int64_t i = 0; i < count; i += kLanes, place += kLanes) {
    const Mask mask = lanes_of<1>(inside(place, size));
    _mm256_storeu_ps(to + i, _mm256_maskload_ps(row + place, _mm256_castps_si256(mask)));
  }
}

// N vectors of a row, of which the first tap reads from `in` on. `wanted`: where the input lies
// that is brought nearer.
template <int N>
WEFT_UNROLLED void sum_strip(const DirectInPlace& b, const float* in, const float* filter,
                             Vector bias, float* out, std::uint16_t last, const char* wanted) {
  Vector sum[N];
#pragma GCC unroll 16
  for (Vector& s : sum) s = set(0.0f);
  const int64_t to_out = reinterpret_cast<const char*>(out) + kOutAhead / 2 - wanted;
  int64_t step = N * kLanes * static_cast<int64_t>(sizeof(float)) / kFarTaps;
  const auto fetch = [&] {
    __builtin_prefetch(wanted);
    __builtin_prefetch(wanted + to_out, 1);
    wanted += step;
  };
  // A few taps bring less than all of it.
  for (int64_t missing = kFarTaps - b.window.width; missing > 0; --missing) fetch();
  for (int64_t first = 0; first < b.window.width; first += kRunTaps) {
    add_run(sum, in + first, filter + first, std::min(b.window.width - first, kRunTaps), fetch);
    step = 0;  // all are on their way
  }
  finish(sum, {bias}, b.ramp);
#pragma GCC unroll 16
  for (int n = 0; n < N; ++n) store(sum[n], n < N - 1 ? kAllLanes : last, out + n * kLanes);
}

static_assert(DirectInPlace::has_run(Isa::WEFT_ISA, 0, (kFewestOfRun - 1) * kLanes + 1,
                                     kFarTaps + 1, 0) &&
              !DirectInPlace::has_run(Isa::WEFT_ISA, 0, (kFewestOfRun - 1) * kLanes, kFarTaps + 1,
                                      0));

// All rows of all channels. What lies beside a row is zero in a copy of the strips at its ends. In
// turns, one thread of Zen 4 and two, us, 512 rows of 500: 31 taps, 240, all copied first 200, so
// 171, and 123, 105, 86; 15 taps, 282, 144, 110.
void sum_runs(const DirectInPlace& b) {
  constexpr std::array kSums = {sum_strip<5>, sum_strip<6>, sum_strip<7>, sum_strip<8>,
                                sum_strip<9>};
  static_assert(std::size(kSums) == kMostOfRun - kFewestOfRun + 1);
  const int64_t vectors = (b.out_sizes.width + kLanes - 1) / kLanes, width = run_width(vectors);
  const auto sum = kSums[width - kFewestOfRun];
  const int64_t read = width * kLanes + b.window.width - 1, size = b.in_sizes.width;
  const std::uint16_t last = inside(0, b.out_sizes.width - (vectors - 1) * kLanes);
  float copy[kMostOfRun * kLanes + DirectInPlace::kMaxRun + kLanes];
  for (RunPlace place; place.channel < b.channels; place.advance(b)) {
    const float* const filter = b.filter + place.channel * b.filter_channel_stride;
    const Vector bias = set(b.bias != nullptr ? b.bias[place.channel] : 0.0f);
    const auto* const in = place.in<float>(b);
    auto* const out = place.out<float>(b);
    for (int64_t n = 0; n < vectors; n += width) {
      // The last are summed together with some before them.
      const int64_t first = std::min(n, vectors - width) * kLanes, begin = first + b.first.width;
      const bool lies_inside = begin >= 0 && begin + read <= size;
      if (!lies_inside) copy_part(in, size, begin, read, copy);
      sum(b, lies_inside ? in + begin : copy, filter, bias, out + first,
          n + width < vectors ? kAllLanes : last,
          reinterpret_cast<const char*>(in + begin) + kInAhead / 2);
    }
  }
}
#endif

}  // namespace

void direct_in_place_runs(const DirectInPlace& b) noexcept {
#ifdef __AVX512F__
  if (b.half) return sum_runs<std::uint16_t>(b);
  sum_runs<float>(b);
#else
  sum_runs(b);
#endif
}

}  // namespace weft::kernels::WEFT_ISA

#endif
