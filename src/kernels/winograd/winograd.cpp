#ifdef __AVX2__

#include "kernels/winograd/winograd.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "kernels/winograd/winograd_levels.h"
#include "kernels/winograd/winograd_transforms.h"
#include "kernels/winograd/winograd_vectors.h"

namespace weft::kernels::WEFT_ISA {

namespace {

// d[j]: input j of each of a vector of tiles, for the first inputs, which are all of x.
inline void pick_inputs(const Vector (&x)[1], Vector* d) { d[0] = x[0]; }
inline void pick_inputs(const Vector (&x)[2], Vector* d) {
  d[0] = even_lanes(x[0], x[1]);
  d[1] = odd_lanes(x[0], x[1]);
}
inline void pick_inputs(const Vector (&x)[4], Vector* d) {
  const Vector even[] = {even_lanes(x[0], x[1]), even_lanes(x[2], x[3])};
  const Vector odd[] = {odd_lanes(x[0], x[1]), odd_lanes(x[2], x[3])};
  d[0] = even_lanes(even[0], even[1]);
  d[1] = even_lanes(odd[0], odd[1]);
  d[2] = odd_lanes(even[0], even[1]);
  d[3] = odd_lanes(odd[0], odd[1]);
}

// Inputs of a vector of tiles of s taps. kOne: all that lie inside the row are in the first of n
// vectors.
template <int n, int s, bool kOne>
class TileInputs {
 public:
  TileInputs(const WinogradRows& rows, std::int64_t at)
      : next_(rows.next), is_last_(at + n * kLanes >= rows.first + rows.tiles * n) {
    for (int i = 0; i < kVectors; ++i) {
      inside_[i] = lanes_between(-at - i * kLanes, rows.size - at - i * kLanes);
    }
    const std::int64_t end = at + n * kLanes;
    beyond_ = lanes_between(-end, std::min<std::int64_t>(rows.size - end, s - 1));
  }

  template <class T>
  void load_row(const T* from, RangeOf& seen, Vector (&d)[n + s - 1]) const {
    Vector x[kVectors];
    for (int i = 0; i < kVectors; ++i) {
      _mm_prefetch(reinterpret_cast<const char*>(from + next_ + i * kLanes), _MM_HINT_T0);
      x[i] = load(inside_[i], from + i * kLanes);
      seen.add(x[i]);
    }
    if constexpr (kOne) {
      pick_lanes<n, 0>(x[0], d);
    } else {
      pick_inputs(x, d);
      if constexpr (s == 1) return;
      // The last inputs of a tile are the first of the next one.
      _mm_prefetch(reinterpret_cast<const char*>(from + next_ + n * kLanes + s - 2), _MM_HINT_T0);
      const Vector beyond = load(beyond_, from + n * kLanes);
      if (is_last_) seen.add(beyond);
      d[n] = one_further<0>(d[0], beyond);
      if constexpr (s > 2) d[n + 1] = one_further<1>(d[1], beyond);
    }
  }

 private:
  static constexpr int kVectors = std::max(kOne ? 0 : n, 1);

  std::int64_t next_;
  bool is_last_;
  Mask inside_[kVectors];
  Mask beyond_;
};

template <int m, int n, int s, class T, bool kOne>
void transform_tiles(const WinogradRows& rows, std::int64_t tile, RangeOf& seen) {
  constexpr int kPoints = n + s - 1;
  const Mask stored = lanes_between(0, rows.tiles - tile);
  const std::int64_t at = rows.first + tile * n;
  const TileInputs<n, s, kOne> inputs(rows, at);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    Vector d[kPoints];
    if (row >= rows.begin && row < rows.end) {
      inputs.load_row(static_cast<const T*>(rows.from) + row * rows.row_stride + at, seen, d);
      transform_inputs(d);
    } else {
      for (Vector& zeros : d) zeros = set(0);
    }
    float* to = rows.to + row % m * rows.remainder_stride + row / m * rows.tiles + tile;
    for (int i = 0; i < kPoints; ++i) {
      store(to + i * rows.point_stride, stored, d[i]);
    }
  }
}

template <int m, int n, int s, class T>
void transform_rows_of(const WinogradRows& rows, SplitRange& range) {
  RangeOf seen(range);
  for (std::int64_t tile = 0; tile < rows.tiles; tile += kLanes) {
    if (n > 1 && rows.size - rows.first - tile * n <= kLanes) {
      transform_tiles<m, n, s, T, n != 1>(rows, tile, seen);
    } else {
      transform_tiles<m, n, s, T, false>(rows, tile, seen);
    }
  }
}

template <int m, int n, int s>
void transform_rows(const WinogradRows& rows, SplitRange& range) {
  if (rows.half) return transform_rows_of<m, n, s, std::uint16_t>(rows, range);
  transform_rows_of<m, n, s, float>(rows, range);
}

template <int m, int r, int n, int s>
void transform_channel(const WinogradChannel& channel) {
  constexpr int kPoints = m + r - 1;
  constexpr int kRowPoints = n + s - 1;
  const std::int64_t end = (channel.tiles + channel.block - 1) / channel.block * channel.block;
  for (std::int64_t tile = 0; tile < end; tile += kLanes) {
    const Mask mask = lanes_between(0, channel.tiles - tile);
    float* to = channel.to + tile / channel.block * channel.block_stride + tile % channel.block;
    for (int point = 0; point < kRowPoints; ++point) {
      const float* from = channel.from + point * channel.from_stride + tile;
      Vector d[kPoints];
      for (int i = 0; i < kPoints; ++i) {
        d[i] = load(mask, from + i % m * channel.remainder_stride + i / m * channel.tiles_a_row);
      }
      transform_inputs(d);
      for (int i = 0; i < kPoints; ++i) {
        store_aligned(to + (i * kRowPoints + point) * channel.point_stride, d[i]);
      }
    }
  }
}

// A^T of the sums of a vector at all points, kSplitBlock floats from one to the next.
template <int r, int m, int points>
[[gnu::always_inline]] inline void transform_columns(const float* acc, Vector (&rows)[m][points]) {
  for (int x = 0; x < points; ++x) {
    Vector column[m + r - 1], y[m];
    for (int i = 0; i < m + r - 1; ++i) {
      column[i] = load_aligned(acc + (i * points + x) * kSplitBlock);
    }
    transform_sums(column, y);
    for (int i = 0; i < m; ++i) rows[i][x] = y[i];
  }
}

// One run's part of the vectors of outputs of a vector of tiles.
template <int n>
struct RunPart {
  void* to;  // of the first lane
  std::int64_t rows;
  Mask lanes[n];
};

template <int m, int r, int n, int s>
void store_tiles(const WinogradResult& result) {
  for (std::int64_t tile = 0; tile < kSplitBlock; tile += kLanes) {
    RunPart<n> parts[kLanes];
    std::int64_t count = 0;
    const std::int64_t bytes = result.half ? 2 : 4;
    for (std::int64_t i = 0; i < result.run_count; ++i) {
      const WinogradRun& run = result.runs[i];
      const std::int64_t first = (run.first - tile) * n;  // output
      if (first >= kLanes * n || first + run.columns <= 0) continue;
      RunPart<n>& part = parts[count++];
      part.to = static_cast<char*>(run.to) + (result.output_offset - first) * bytes;
      part.rows = run.rows;
      for (int j = 0; j < n; ++j) {
        part.lanes[j] = lanes_between(first - j * kLanes, first - j * kLanes + run.columns);
      }
    }
    if (count == 0) continue;
    for (std::int64_t o = 0; o < result.outputs; ++o) {
      Vector rows[m][n + s - 1];
      transform_columns<r>(result.acc + o * result.acc_output_stride + tile, rows);
      const Vector bias = set(result.bias[o]), scale = set(result.scale);
      for (int i = 0; i < m; ++i) {
        Vector y[n];
        transform_sums(rows[i], y);
        for (int j = 0; j < n; ++j) y[j] = finish_sum(y[j] * scale, bias, result.ramp);
        interleave(y);
        const std::int64_t at = o * result.output_stride + i * result.row_stride;
        for (const RunPart<n>& part : std::span(parts, count)) {
          if (i >= part.rows) continue;
          const auto store_vectors = [&](auto* to) {
            for (int j = 0; j < n; ++j, to += kLanes) {
              store(to, part.lanes[j], y[j]);
              __builtin_prefetch(to + 2 * result.output_stride, 1, 3);
            }
          };
          result.half ? store_vectors(static_cast<std::uint16_t*>(part.to) + at)
                      : store_vectors(static_cast<float*>(part.to) + at);
        }
      }
    }
  }
}

template <int m, int r, int n, int s>
void store_channels(const WinogradChannels& result) {
  for (std::int64_t o = 0; o < result.channels; o += kLanes) {
    const Vector bias = load_aligned(result.bias + o);
    const float* acc = result.acc + o;
    float* to = result.to + o;
    for (std::int64_t columns = result.columns; columns > 0; columns -= n) {
      Vector rows[m][n + s - 1];
      transform_columns<r>(acc, rows);
      for (int i = 0; i < m && i < result.rows; ++i) {
        Vector y[n];
        transform_sums(rows[i], y);
        for (int j = 0; j < n && j < columns; ++j) {
          store_aligned(to + i * result.row_stride + j * kSplitBlock,
                        finish_sum(y[j], bias, result.ramp));
        }
      }
      acc += result.acc_tile_stride;
      to += n * kSplitBlock;
    }
  }
}

template <int m, int r, class T>
void store_lines_as(const WinogradLines& lines, T* to) {
  const Vector bias = set(lines.bias);
  for (std::int64_t tile = 0; tile < lines.tiles; tile += kLanes) {
    const Mask mask = lanes_between(0, lines.tiles - tile);
    Vector column[m + r - 1], y[m];
    for (int i = 0; i < m + r - 1; ++i) {
      column[i] = load(mask, lines.acc + i * lines.point_stride + tile);
    }
    transform_sums(column, y);
    for (int i = 0; i < m && i < lines.lines; ++i) {
      store(to + i * lines.line_stride + tile, mask, finish_sum(y[i], bias, lines.ramp));
    }
  }
}

template <int m, int r>
void store_lines(const WinogradLines& lines) {
  if (lines.half) return store_lines_as<m, r>(lines, static_cast<std::uint16_t*>(lines.to));
  store_lines_as<m, r>(lines, static_cast<float*>(lines.to));
}

// Those of all points of a side.
template <int m, int r>
constexpr auto filter_rows = [] {
  std::array<WinogradFilterRow, m + r - 1> rows{};
  for (int point = 0; point < m + r - 1; ++point) {
    rows[static_cast<std::size_t>(point)] = winograd_filter_row(m, r, point);
  }
  return rows;
}();

// Of 32 outputs, from as many taps as a side has.
template <int taps, class From, class To>
void combine(const WinogradFilterRow& row, const From* const (&from)[kWinogradTaps], double scale,
             To* to) {
  const double g0 = row.g[0], g1 = row.g[1], g2 = row.g[2];
  for (std::int64_t o = 0; o < kSplitBlock; ++o) {
    double sum = g0 * from[0][o];
    if constexpr (taps > 1) sum += g1 * from[1][o];
    if constexpr (taps > 2) sum += g2 * from[2][o];
    to[o] = static_cast<To>(sum * scale);
  }
}

template <int m, int r, int n, int s>
void transform_window(const WinogradWindow& w) {
  double columns[kWinogradTaps][n + s - 1][kSplitBlock];
  for (int i = 0; i < r; ++i) {
    for (int p = 0; p < n + s - 1; ++p) {
      combine<s>(
          filter_rows<n, s>[p], { w.window[i][0], w.window[i][1], w.window[i][2] }, 1,
          columns[i][p]);
    }
  }
  for (int q = 0; q < m + r - 1; ++q) {
    for (int p = 0; p < n + s - 1; ++p) {
      combine<r>(
          filter_rows<m, r>[q], { columns[0][p], columns[1][p], columns[2][p] }, w.scale,
          w.to + (q * (n + s - 1) + p) * w.point_stride);
    }
  }
}

}  // namespace

#define WEFT_DEFINE_WINOGRAD(tile, m, r, n, s)                                      \
  void winograd_rows_##tile(const WinogradRows& rows, SplitRange& range) noexcept { \
    transform_rows<m, n, s>(rows, range);                                           \
  }                                                                                 \
  void winograd_channel_##tile(const WinogradChannel& channel) noexcept {           \
    transform_channel<m, r, n, s>(channel);                                         \
  }                                                                                 \
  void winograd_store_##tile(const WinogradResult& result) noexcept {               \
    store_tiles<m, r, n, s>(result);                                                \
  }                                                                                 \
  void winograd_channels_##tile(const WinogradChannels& result) noexcept {          \
    store_channels<m, r, n, s>(result);                                             \
  }                                                                                 \
  void winograd_window_##tile(const WinogradWindow& window) noexcept {              \
    transform_window<m, r, n, s>(window);                                           \
  }                                                                                 \
  void winograd_lines_##tile(const WinogradLines& lines) noexcept { store_lines<m, r>(lines); }
WEFT_WINOGRAD_TILES(WEFT_DEFINE_WINOGRAD)
#undef WEFT_DEFINE_WINOGRAD

}  // namespace weft::kernels::WEFT_ISA

#endif
