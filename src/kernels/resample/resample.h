#pragma once

// The loops of the RESAMPLE family. Where output elements come from stands in tables that a plan
// computes once for a tile and uses for many rows.

#include <cstdint>
#include <span>

#include "weft/data_type.h"
#include "weft/isa.h"

namespace weft::kernels {

// to[i * to_stride] = from[offsets[i]], bit for bit; offsets and stride in elements. Offsets never
// decrease.
using GatherRow = void (*)(const void* from, const std::int64_t* offsets, void* to,
                           std::int64_t to_stride, std::int64_t count) noexcept;

// Rows of elements that stand there twice or four times: row r of the output, `to_stride` bytes
// after the one before, has `bytes` and comes from the one at byte sources[r] of `from`:
// to[r][i] = from[sources[r]][i / factor], elements of 1, 2 or 4 bytes.
using RepeatRows = void (*)(const void* from, const std::int64_t* sources, std::int64_t rows,
                            std::int64_t bytes, std::int64_t element_bytes, std::int64_t factor,
                            void* to, std::int64_t to_stride) noexcept;

// to[i] = from[i * from_stride], widened exactly.
template <class Real>
using WidenRow = void (*)(const void* from, std::int64_t from_stride, Real* to,
                          std::int64_t count) noexcept;

// How far ahead of its stores a kernel asks for the lines that they go to: stores that wait for
// memory hold up everything else. Four times 256x32x32, one thread of a Zen 5: 484 us with 4096,
// 387 with 8192, 338 with this, 324 with 16384, which leaves less of the first level to the rest.
inline constexpr std::int64_t kWriteAhead = 12288;  // bytes

// Linear interpolation in one precision, `count` results.
//
//   float   lerp(a, b, t) = (1 - t) a + t b
//   double  lerp(a, b, t) = a + t (b - a), for integers: between equal numbers it is exact

// Between two rows, `rows` times: to[r * to_stride + i] = lerp(a[i], b[i], t[r]), rounded to the
// type of the row; the stride in elements. `to` overlaps nothing.
template <class Real>
using Between = void (*)(const Real* a, const Real* b, const float* t, std::int64_t rows, void* to,
                         std::int64_t to_stride, std::int64_t count) noexcept;

// Which elements of a row mix: index[i] and index[i] + 1. Neither index[i] nor index[i] + t[i] ever
// decreases.
struct Picks {
  const std::int32_t* index = nullptr;
  const float* t = nullptr;  // [0, 1)
  std::int64_t count = 0;
  std::int64_t row_count = 0;  // elements of the row
  // Most elements that 8 and 16 of them need, those from a multiple of 8 or 16 on: from the first
  // to the last.
  std::int32_t reach_8 = 0;
  std::int32_t reach_16 = 0;
  // From output 16 to there, what is 8 further has the same t and comes from `step` elements
  // further: so it is where scales are powers of two.
  std::int64_t same_end = 0;
  std::int32_t step = 0;
  // Whether the row is doubled from its middle: output 2 i is 3/4 of element i and 1/4 of the one
  // before it, output 2 i + 1 3/4 of it and 1/4 of the one after it; the first output is the first
  // element and the last one the last.
  bool doubles = false;
  // From the row to the one that is read in its place next, in elements, as a hint; or 0.
  std::int64_t ahead = 0;
};

// Along a row: to[i] = lerp(x[index[i]], x[index[i] + 1], t[i]), where x is `row`, or, where
// `other` is not null, lerp(row, other, between). Where t[i] is 0, x[index[i] + 1] counts for
// nothing and need not be there. `to` overlaps nothing. Rows of floats have no NaN but load_f32's;
// from AVX2 on they may be the tensor's own, whose NaN become that one.
template <class Real>
using Along = void (*)(const void* row, const void* other, float between, const Picks& picks,
                       Real* to) noexcept;

// Both at once, to rows of the type that they come from: `rows` of them, row r between those
// numbered index[r] and index[r] + 1, which are what Along makes of those of `row` and `other`, or,
// where the picks have no index, these as they are (mixed where there is an `other`). Strides are
// in elements. Where t[r] is 0, row index[r] + 1 need not be there; index[r] never decreases. False
// where the instruction set or the picks do not allow it, which picks without rows ask for.
struct LerpRows {
  const void* row = nullptr;  // number 0
  const void* other = nullptr;
  float between = 0;
  std::int64_t row_stride = 0;
  const Picks* picks = nullptr;
  const std::int64_t* index = nullptr;
  const float* t = nullptr;  // [0, 1)
  std::int64_t rows = 0;
  void* to = nullptr;
  std::int64_t to_stride = 0;
  // A hint: float32 rows at cache lines need not enter the caches. Who gives it calls
  // base::end_stream() before another thread may read them.
  bool past_caches = false;
};
using RowsFunction = bool (*)(const LerpRows&) noexcept;

// Elements of a row whose tables stay from row to row with AVX-512. Of more, parts of rows are made
// one after the other, but for those that are picked alike.
inline constexpr std::int64_t kMostTables = 512;

// Linear interpolation of 8-bit integers without rounding, where weights are multiples of
// 2^-kMostShift: numbers of a row are counted in units of 2^-shift from the lowest of the type on.
// Rows are of uint32_t, or of uint16_t where both shifts together are at most kShortShift.
inline constexpr int kMostShift = 24;
inline constexpr int kShortShift = 8;

struct FixedPicks {
  const std::int32_t* index = nullptr;
  const std::int32_t* weights = nullptr;  // of index[i] + next, in [0, 2^shift)
  // Every four numbers come from 16 elements (or the whole row where that is shorter): those from
  // starts[i / 4] on, of which byte controls[i] says which; a negative byte is a 0. Null where the
  // elements lie further apart. All tables have whole groups of kGroup numbers.
  static constexpr std::int64_t kGroup = 32;
  const std::int32_t* starts = nullptr;
  const std::uint32_t* controls = nullptr;
  // Whether the four windows of every 16 numbers are the same one.
  bool one_window = false;
  // Every eight numbers come from 16 elements: those from pair_starts[i / 8] on, of which the bytes
  // of pair_controls[i] say which two, and those of pair_weights[i] how much of each. Null where
  // the elements lie further apart or shift is more than kPairShift.
  static constexpr int kPairShift = 6;
  const std::int32_t* pair_starts = nullptr;
  const std::uint16_t* pair_controls = nullptr;
  const std::uint16_t* pair_weights = nullptr;
  // Every group comes from 128 elements in the same way, from wide_starts[i / kGroup] on: the lower
  // byte of first[i] and second[i] counts pairs of them up to the one that index[i] and what it is
  // mixed with are in, the upper byte the bits below it there. Null where they lie further apart.
  const std::int32_t* wide_starts = nullptr;
  const std::uint16_t* first = nullptr;
  const std::uint16_t* second = nullptr;
  const std::uint16_t* short_weights = nullptr;  // as weights, modulo 2^16
  std::int64_t count = 0;
  std::int64_t row_count = 0;
  std::int64_t ahead = 0;  // from each element to one that is read soon, as a hint
  std::int32_t next = 1;   // elements of a pixel
  int shift = 0;
};

// to[i] = row[index[i]] 2^shift + (row[index[i] + next] - row[index[i]]) weights[i]; `to` has room
// for whole groups.
template <class Row>
using FixedAlong = void (*)(const void* row, const FixedPicks& picks, Row* to) noexcept;

struct FixedWeight {
  std::uint32_t weight = 0;  // [0, 2^shift)
  int shift = 0;
  int row_shift = 0;  // of the two rows
};

// to[i] = a[i] + (b[i] - a[i]) weight 2^-shift, truncated toward zero.
template <class Row>
using FixedBetween = void (*)(const Row* a, const Row* b, const FixedWeight& t, void* to,
                              std::int64_t count) noexcept;

template <class Row>
struct FixedKernels {
  FixedAlong<Row> along_i8;
  FixedAlong<Row> along_u8;
  FixedBetween<Row> between_i8;
  FixedBetween<Row> between_u8;
};

struct ResampleKernels {
  Isa isa;
  const char* nearest_name;  // "nearest_avx2"
  const char* linear_name;
  const char* antialias_name;

  GatherRow gather_8;  // by bits an element
  GatherRow gather_16;
  GatherRow gather_32;

  RepeatRows repeat;

  // Every NaN becomes the one of one_nan.h: which of two would result is up to how they are mixed.
  WidenRow<float> load_f32;
  WidenRow<float> load_f16;

  // Rows of 8-bit integers. store truncates toward zero and saturates.
  WidenRow<float> load_i8_f32;
  WidenRow<float> load_u8_f32;
  WidenRow<double> load_i8_f64;
  WidenRow<double> load_u8_f64;
  void (*store_f64_i8)(const double* from, void* to, std::int64_t to_stride,
                       std::int64_t count) noexcept;
  void (*store_f64_u8)(const double* from, void* to, std::int64_t to_stride,
                       std::int64_t count) noexcept;

  Between<float> between_f32;
  Between<float> between_f32_past_caches;  // rows at cache lines; as LerpRows::past_caches
  Between<float> between_f16;              // float32 rows, a float16 result
  Between<double> between_f64;
  Along<float> along_f32;
  Along<float> along_f16;  // float16 rows, a float32 result
  Along<double> along_f64;
  RowsFunction rows_f32;
  RowsFunction rows_f16;

  FixedKernels<std::uint16_t> fixed_16;
  FixedKernels<std::uint32_t> fixed_32;

  // sum[i] += weight * row[i]
  void (*add_row)(const float* row, double weight, double* sum, std::int64_t count) noexcept;

  // The sum of values[i] * (1 - |first + i - center| * slope): one piece of a triangle filter,
  // whose weights are not negative. In an order that depends on `count` alone.
  double (*triangle_sum)(const double* values, std::int64_t count, double first, double center,
                         double slope) noexcept;

  // to[i] = from[i], rounded to float32, every NaN as of load_f32.
  void (*narrow)(const double* from, float* to, std::int64_t count) noexcept;

  template <class Row>
  const FixedKernels<Row>& fixed() const noexcept {
    if constexpr (sizeof(Row) == 2) {
      return fixed_16;
    } else {
      return fixed_32;
    }
  }

  GatherRow gather(DataType type) const noexcept {
    return byte_size(type) == 1 ? gather_8 : byte_size(type) == 2 ? gather_16 : gather_32;
  }
};

// One entry an instruction set, best first.
std::span<const ResampleKernels> resample_kernel_table() noexcept;
const ResampleKernels& resample_kernels(Isa isa) noexcept;

}  // namespace weft::kernels
