#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/split/product.h"
#include "kernels/split/split_parts.h"
#include "kernels/winograd/winograd.h"
#include "kernels/winograd/winograd_levels.h"

namespace weft::kernels::WEFT_ISA {

namespace {

constexpr int kParts = 3;
constexpr std::int64_t kLanes = 16;

// Squares of the points of m = 4.
constexpr auto kA = static_cast<float>(kWinogradNear);
constexpr auto kB = static_cast<float>(kWinogradFar);

inline __m512 set(float x) { return _mm512_set1_ps(x); }

// B^T of one column, in place: points 0, 1, -1, infinity.
inline void transform_inputs(__m512 (&d)[4]) {
  const __m512 zero = _mm512_sub_ps(d[0], d[2]);
  const __m512 plus = _mm512_add_ps(d[2], d[1]);
  const __m512 minus = _mm512_sub_ps(d[2], d[1]);
  d[3] = _mm512_sub_ps(d[3], d[1]);
  d[0] = zero;
  d[1] = plus;
  d[2] = minus;
}

// Points 0, kA, -kA, kB, -kB, infinity.
inline void transform_inputs(__m512 (&d)[6]) {
  constexpr float kAA = kA * kA, kBB = kB * kB;
  const __m512 even_a = _mm512_fnmadd_ps(set(kBB), d[2], d[4]);
  const __m512 odd_a = _mm512_mul_ps(set(kA), _mm512_fnmadd_ps(set(kBB), d[1], d[3]));
  const __m512 even_b = _mm512_fnmadd_ps(set(kAA), d[2], d[4]);
  const __m512 odd_b = _mm512_mul_ps(set(kB), _mm512_fnmadd_ps(set(kAA), d[1], d[3]));
  d[0] = _mm512_fmadd_ps(set(kAA * kBB), d[0], _mm512_fnmadd_ps(set(kAA + kBB), d[2], d[4]));
  d[5] = _mm512_fmadd_ps(set(kAA * kBB), d[1], _mm512_fnmadd_ps(set(kAA + kBB), d[3], d[5]));
  d[1] = _mm512_add_ps(even_a, odd_a);
  d[2] = _mm512_sub_ps(even_a, odd_a);
  d[3] = _mm512_add_ps(even_b, odd_b);
  d[4] = _mm512_sub_ps(even_b, odd_b);
}

// A^T of one column of points.
inline void transform_sums(const __m512 (&m)[4], __m512 (&y)[2]) {
  y[0] = _mm512_add_ps(m[0], _mm512_add_ps(m[1], m[2]));
  y[1] = _mm512_add_ps(_mm512_sub_ps(m[1], m[2]), m[3]);
}
inline void transform_sums(const __m512 (&m)[6], __m512 (&y)[4]) {
  constexpr float kAA = kA * kA, kBB = kB * kB;
  const __m512 even_a = _mm512_add_ps(m[1], m[2]);
  const __m512 odd_a = _mm512_sub_ps(m[1], m[2]);
  const __m512 even_b = _mm512_add_ps(m[3], m[4]);
  const __m512 odd_b = _mm512_sub_ps(m[3], m[4]);
  y[0] = _mm512_add_ps(m[0], _mm512_add_ps(even_a, even_b));
  y[1] = _mm512_fmadd_ps(set(kA), odd_a, _mm512_mul_ps(set(kB), odd_b));
  y[2] = _mm512_fmadd_ps(set(kAA), even_a, _mm512_mul_ps(set(kBB), even_b));
  y[3] = _mm512_fmadd_ps(set(kAA * kA), odd_a, _mm512_fmadd_ps(set(kBB * kB), odd_b, m[5]));
}

// Those of 16 lanes from input `at` of a row on that lie inside it.
inline __mmask16 lanes_inside(std::int64_t at, std::int64_t size) {
  return first_of_16(size - at) & static_cast<__mmask16>(~first_of_16(-at));
}

// Every other one of 32.
inline __m512 even_lanes(__m512 a, __m512 b) {
  const __m512i index =
      _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_permutex2var_ps(a, index, b);
}
inline __m512 odd_lanes(__m512 a, __m512 b) {
  const __m512i index =
      _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  return _mm512_permutex2var_ps(a, index, b);
}

// d[j]: input j of each of 16 tiles, for the first m inputs, which are all of x.
inline void pick_inputs(const __m512 (&x)[2], __m512 (&d)[4]) {
  d[0] = even_lanes(x[0], x[1]);
  d[1] = odd_lanes(x[0], x[1]);
}
inline void pick_inputs(const __m512 (&x)[4], __m512 (&d)[6]) {
  const __m512 even[] = {even_lanes(x[0], x[1]), even_lanes(x[2], x[3])};
  const __m512 odd[] = {odd_lanes(x[0], x[1]), odd_lanes(x[2], x[3])};
  d[0] = even_lanes(even[0], even[1]);
  d[1] = even_lanes(odd[0], odd[1]);
  d[2] = odd_lanes(even[0], even[1]);
  d[3] = odd_lanes(odd[0], odd[1]);
}

template <int m, int n>
void transform_rows(const WinogradRows& rows, SplitRange& range) {
  constexpr int kPoints = n + 2;
  constexpr __mmask16 kLast = 0x8000;
  RangeOf seen(range);
  for (std::int64_t tile = 0; tile < rows.tiles; tile += kLanes) {
    const __mmask16 stored = first_of_16(rows.tiles - tile);
    const bool last = tile + kLanes >= rows.tiles;
    const std::int64_t at = rows.first + tile * n;
    __mmask16 inside[n + 1];
    for (int i = 0; i <= n; ++i) inside[i] = lanes_inside(at + i * kLanes, rows.size);
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      __m512 d[kPoints] = {};
      if (row >= rows.begin && row < rows.end) {
        const float* from = rows.from + row * rows.row_stride + at;
        __m512 x[n];
        for (int i = 0; i < n; ++i) {
          _mm_prefetch(reinterpret_cast<const char*>(from + rows.next + i * kLanes), _MM_HINT_T0);
          x[i] = _mm512_maskz_loadu_ps(inside[i], from + i * kLanes);
          seen.add(x[i]);
        }
        pick_inputs(x, d);
        // The last two inputs of a tile are the first two of the next one.
        const __m512 beyond = _mm512_maskz_loadu_ps(inside[n] & 3, from + n * kLanes);
        if (last) seen.add(beyond);
        for (int i = 0; i < 2; ++i) {
          const __m512i next = _mm512_castps_si512(d[i]);
          const __m512 end = i == 0 ? beyond : _mm512_permute_ps(beyond, 1);
          d[n + i] =
              _mm512_mask_broadcastss_ps(_mm512_castsi512_ps(_mm512_alignr_epi32(next, next, 1)),
                                         kLast, _mm512_castps512_ps128(end));
        }
        transform_inputs(d);
      }
      float* to = rows.to + row % m * rows.remainder_stride + row / m * rows.tiles + tile;
      for (int i = 0; i < kPoints; ++i) {
        _mm512_mask_storeu_ps(to + i * rows.point_stride, stored, d[i]);
      }
    }
  }
}

template <int m, int n>
void transform_columns(const WinogradColumns& columns) {
  constexpr int kPoints = m + 2;
  constexpr int kRowPoints = n + 2;
  const std::int64_t end = (columns.tiles + kSplitBlock - 1) / kSplitBlock * kSplitBlock;
  for (std::int64_t tile = 0; tile < end; tile += kLanes) {
    const __mmask16 mask = first_of_16(columns.tiles - tile);
    const __mmask16 even_mask = columns.even == nullptr ? __mmask16{0} : mask;
    const __mmask16 odd_mask = columns.odd == nullptr ? __mmask16{0} : mask;
    std::uint16_t* to =
        columns.to + tile / kSplitBlock * columns.block_stride + tile % kSplitBlock / kHalf * kTile;
    for (int point = 0; point < kRowPoints; ++point) {
      const std::int64_t from = point * columns.from_stride + tile;
      __m512 even[kPoints], odd[kPoints];
      for (int i = 0; i < kPoints; ++i) {
        const std::int64_t at =
            from + i % m * columns.remainder_stride + i / m * columns.tiles_a_row;
        even[i] = _mm512_maskz_loadu_ps(even_mask, columns.even + at);
        odd[i] = _mm512_maskz_loadu_ps(odd_mask, columns.odd + at);
      }
      transform_inputs(even);
      transform_inputs(odd);
      for (int i = 0; i < kPoints; ++i) {
        const Split<kParts> e(even[i]);
        const Split<kParts> o(odd[i]);
        std::uint16_t* pair_to = to + (i * kRowPoints + point) * columns.point_stride;
        for (int q = 0; q < kParts; ++q) {
          _mm512_store_si512(pair_to + q * kSplitPatchPart, pair(e.part[q], o.part[q]));
        }
      }
    }
  }
}

// Outputs of 16 tiles side by side: n vectors.
inline void interleave(__m512 (&y)[2]) {
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high =
      _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const __m512 first = _mm512_permutex2var_ps(y[0], low, y[1]);
  y[1] = _mm512_permutex2var_ps(y[0], high, y[1]);
  y[0] = first;
}
inline void interleave(__m512 (&y)[4]) {
  __m512 even[] = {y[0], y[2]};
  __m512 odd[] = {y[1], y[3]};
  interleave(even);
  interleave(odd);
  for (int i = 0; i < 2; ++i) {
    __m512 both[] = {even[i], odd[i]};
    interleave(both);
    y[2 * i] = both[0];
    y[2 * i + 1] = both[1];
  }
}

// The lanes [first, first + count) of a vector, both relative to its first.
inline __mmask16 lanes_of(std::int64_t first, std::int64_t count) {
  return first_of_16(first + count) & static_cast<__mmask16>(~first_of_16(first));
}

// One run's part of the vectors of outputs of 16 tiles.
template <int n>
struct RunPart {
  void* to;  // of the first lane
  std::int64_t rows;
  __mmask16 lanes[n];
};

template <int m, int n>
void store(const WinogradResult& result) {
  constexpr int kRows = m + 2;
  constexpr int kColumns = n + 2;
  for (std::int64_t half = 0; half < kSplitBlock; half += kLanes) {
    RunPart<n> parts[kLanes];
    std::int64_t count = 0;
    const std::int64_t bytes = result.half ? 2 : 4;
    for (std::int64_t r = 0; r < result.run_count; ++r) {
      const WinogradRun& run = result.runs[r];
      if (run.first / kLanes != half / kLanes) continue;
      const std::int64_t first = (run.first - half) * n;
      RunPart<n>& part = parts[count++];
      part.to = static_cast<char*>(run.to) + (result.output_offset - first) * bytes;
      part.rows = run.rows;
      for (int j = 0; j < n; ++j) part.lanes[j] = lanes_of(first - j * kLanes, run.columns);
    }
    if (count == 0) continue;
    for (std::int64_t o = 0; o < result.outputs; ++o) {
      const float* acc = result.acc + o * result.acc_output_stride + half;
      __m512 rows[m][kColumns];
      for (int x = 0; x < kColumns; ++x) {
        __m512 column[kRows], y[m];
        for (int i = 0; i < kRows; ++i) {
          column[i] = _mm512_load_ps(acc + (i * kColumns + x) * kSplitBlock);
        }
        transform_sums(column, y);
        for (int i = 0; i < m; ++i) rows[i][x] = y[i];
      }
      const __m512 bias = _mm512_set1_ps(result.bias[o]);
      for (int i = 0; i < m; ++i) {
        __m512 y[n];
        transform_sums(rows[i], y);
        for (int j = 0; j < n; ++j) y[j] = finish_sum(y[j], bias, result.relu);
        interleave(y);
        const std::int64_t at = o * result.output_stride + i * result.row_stride;
        for (std::int64_t r = 0; r < count; ++r) {
          const RunPart<n>& part = parts[r];
          if (i >= part.rows) continue;
          for (int j = 0; j < n; ++j) {
            if (result.half) {
              _mm256_mask_storeu_epi16(static_cast<std::uint16_t*>(part.to) + at + j * kLanes,
                                       part.lanes[j],
                                       _mm512_cvtps_ph(y[j], _MM_FROUND_TO_NEAREST_INT));
            } else {
              float* const to = static_cast<float*>(part.to) + at + j * kLanes;
              _mm512_mask_storeu_ps(to, part.lanes[j], y[j]);
              __builtin_prefetch(to + 2 * result.output_stride, 1, 3);
            }
          }
        }
      }
    }
  }
}

}  // namespace

void winograd_rows_2x2(const WinogradRows& rows, SplitRange& range) noexcept {
  transform_rows<2, 2>(rows, range);
}
void winograd_rows_2x4(const WinogradRows& rows, SplitRange& range) noexcept {
  transform_rows<2, 4>(rows, range);
}
void winograd_rows_4x4(const WinogradRows& rows, SplitRange& range) noexcept {
  transform_rows<4, 4>(rows, range);
}
void winograd_columns_2x2(const WinogradColumns& columns) noexcept {
  transform_columns<2, 2>(columns);
}
void winograd_columns_2x4(const WinogradColumns& columns) noexcept {
  transform_columns<2, 4>(columns);
}
void winograd_columns_4x4(const WinogradColumns& columns) noexcept {
  transform_columns<4, 4>(columns);
}
void winograd_store_2x2(const WinogradResult& result) noexcept { store<2, 2>(result); }
void winograd_store_2x4(const WinogradResult& result) noexcept { store<2, 4>(result); }
void winograd_store_4x4(const WinogradResult& result) noexcept { store<4, 4>(result); }

void winograd_multiply(const WinogradProduct& product) noexcept {
  const std::uint16_t* ahead = product.ahead;
  multiply_block<kParts>(product.filter, product.patches, product.steps, product.acc,
                         product.output_stride, true,
                         [&] { ahead = fetch_ahead(ahead, product.ahead_lines); });
}

}  // namespace weft::kernels::WEFT_ISA
