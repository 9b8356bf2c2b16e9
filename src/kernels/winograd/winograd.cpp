#ifdef __AVX512F__

#include "kernels/winograd/winograd.h"

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/split/split_vectors.h"
#include "kernels/winograd/winograd_levels.h"
#include "kernels/winograd/winograd_transforms.h"

namespace weft::kernels::WEFT_ISA {

namespace {

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

inline __m512 load(__mmask16 mask, const float* from) { return _mm512_maskz_loadu_ps(mask, from); }
inline __m512 load(__mmask16 mask, const std::uint16_t* from) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, from));
}

template <int m, int n, class T>
void transform_rows_of(const WinogradRows& rows, SplitRange& range) {
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
        const T* from = static_cast<const T*>(rows.from) + row * rows.row_stride + at;
        __m512 x[n];
        for (int i = 0; i < n; ++i) {
          _mm_prefetch(reinterpret_cast<const char*>(from + rows.next + i * kLanes), _MM_HINT_T0);
          x[i] = load(inside[i], from + i * kLanes);
          seen.add(x[i]);
        }
        pick_inputs(x, d);
        // The last two inputs of a tile are the first two of the next one.
        const __m512 beyond = load(inside[n] & 3, from + n * kLanes);
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
void transform_rows(const WinogradRows& rows, SplitRange& range) {
  if (rows.half) return transform_rows_of<m, n, std::uint16_t>(rows, range);
  transform_rows_of<m, n, float>(rows, range);
}

template <int m, int n>
void transform_channel(const WinogradChannel& channel) {
  constexpr int kPoints = m + 2;
  constexpr int kRowPoints = n + 2;
  const std::int64_t end = (channel.tiles + kSplitBlock - 1) / kSplitBlock * kSplitBlock;
  for (std::int64_t tile = 0; tile < end; tile += kLanes) {
    const __mmask16 mask = first_of_16(channel.tiles - tile);
    float* to = channel.to + tile / kSplitBlock * channel.block_stride + tile % kSplitBlock;
    for (int point = 0; point < kRowPoints; ++point) {
      const float* from = channel.from + point * channel.from_stride + tile;
      __m512 d[kPoints];
      for (int i = 0; i < kPoints; ++i) {
        d[i] = _mm512_maskz_loadu_ps(
            mask, from + i % m * channel.remainder_stride + i / m * channel.tiles_a_row);
      }
      transform_inputs(d);
      for (int i = 0; i < kPoints; ++i) {
        _mm512_store_ps(to + (i * kRowPoints + point) * channel.point_stride, d[i]);
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
  for (std::int64_t i = 0; i < 2; ++i) {
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
      const __m512 scale = _mm512_set1_ps(result.scale);
      for (int i = 0; i < m; ++i) {
        __m512 y[n];
        transform_sums(rows[i], y);
        for (int j = 0; j < n; ++j)
          y[j] = finish_sum(_mm512_mul_ps(y[j], scale), bias, result.relu);
        interleave(y);
        const std::int64_t at = o * result.output_stride + i * result.row_stride;
        for (std::int64_t r = 0; r < count; ++r) {
          const RunPart<n>& part = parts[r];
          if (i >= part.rows) continue;
          for (int j = 0; j < n; ++j) {
            if (result.half) {
              auto* const to = static_cast<std::uint16_t*>(part.to) + at + j * kLanes;
              _mm256_mask_storeu_epi16(to, part.lanes[j],
                                       _mm512_cvtps_ph(y[j], _MM_FROUND_TO_NEAREST_INT));
              __builtin_prefetch(to + 2 * result.output_stride, 1, 3);
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
void winograd_channel_2x2(const WinogradChannel& channel) noexcept {
  transform_channel<2, 2>(channel);
}
void winograd_channel_2x4(const WinogradChannel& channel) noexcept {
  transform_channel<2, 4>(channel);
}
void winograd_channel_4x4(const WinogradChannel& channel) noexcept {
  transform_channel<4, 4>(channel);
}
void winograd_store_2x2(const WinogradResult& result) noexcept { store<2, 2>(result); }
void winograd_store_2x4(const WinogradResult& result) noexcept { store<2, 4>(result); }
void winograd_store_4x4(const WinogradResult& result) noexcept { store<4, 4>(result); }

}  // namespace weft::kernels::WEFT_ISA

#endif
