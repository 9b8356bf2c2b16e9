#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/direct/channels.h"
#include "kernels/direct/doubling.h"
#include "kernels/direct/in_place.h"
#include "kernels/direct/phases.h"
#include "kernels/ramp.h"
#include "weft/data_type.h"
#include "weft/isa.h"

namespace weft::kernels {

// Most output channels that one call sums.
inline constexpr std::int64_t kDirectChannels = 4;

// Output rows may be computed, and input rows read, up to the next multiple of this many columns.
inline constexpr std::int64_t kDirectColumns = 16;

// How the taps of a channel lie, for the kernels that load a vector once for several of them.
struct DirectWindow {
  enum class Kind {
    any,
    // Taps (.., h, w) of which taps(h, w) == taps(h - step, w) + in_row_stride, so that an input
    // row serves several output rows. One output channel.
    rows,
    // As `rows` with a step of 1, of which registers hold but a band at a time.
    bands,
    // More than far_taps() consecutive taps. One output channel.
    run,
  };
  Kind kind = Kind::any;
  std::int64_t rows = 0, columns = 0, step = 1;  // of a run: far_taps()

  static constexpr std::int64_t kMostBandRows = 7;

  // Whether there are kernels for so many rows and that step.
  static constexpr bool has_rows(std::int64_t rows, std::int64_t step) {
    if (step == 2) return rows == 3 || rows == 5;
    return step == 1 && (rows == 2 || rows == 3 || rows == 5 || rows == 7);
  }
  static constexpr bool has_bands(std::int64_t rows, std::int64_t step) {
    return step == 1 && rows > kMostBandRows;
  }

  constexpr std::int64_t bands() const { return (rows + kMostBandRows - 1) / kMostBandRows; }
  // The first row of a band; for the number of bands, that behind the last.
  constexpr std::int64_t band(std::int64_t number) const {
    return number * (rows / bands()) + (number < rows % bands() ? number : rows % bands());
  }
};

// Of so many taps of a run, those that are far_taps() apart are summed together: they read the same
// vectors. Four factors have room beside the sums of AVX2.
inline constexpr std::int64_t kRunTaps = 32;
constexpr std::int64_t far_taps(Isa isa) { return isa == Isa::avx2 ? 8 : 16; }

// Tap number `tap`, which lies at `offset` and has factors filter[tap * out_channels + ..].
struct DirectTerm {
  std::int64_t offset;
  std::int64_t tap;
};

// Calls add(tap) for all taps in the order in which they are summed: ascending; those of `rows`
// for each layer of the window one column of every step-th row after the other; those of `bands`
// one column of a band after the other; of kRunTaps of a run each with those far_taps() further on.
template <class Add>
void direct_order(const DirectWindow& window, std::int64_t tap_count, const Add& add) {
  switch (window.kind) {
    case DirectWindow::Kind::any:
      for (std::int64_t t = 0; t < tap_count; ++t) add(t);
      return;
    case DirectWindow::Kind::rows:
      for (std::int64_t t = 0; t < tap_count; t += window.rows * window.columns) {
        for (std::int64_t first = 0; first < window.step; ++first) {
          for (std::int64_t w = 0; w < window.columns; ++w) {
            for (std::int64_t h = first; h < window.rows; h += window.step) {
              add(t + h * window.columns + w);
            }
          }
        }
      }
      return;
    case DirectWindow::Kind::bands:
      for (std::int64_t t = 0; t < tap_count; t += window.rows * window.columns) {
        for (std::int64_t band = 0; band < window.bands(); ++band) {
          for (std::int64_t w = 0; w < window.columns; ++w) {
            for (std::int64_t h = window.band(band); h < window.band(band + 1); ++h) {
              add(t + h * window.columns + w);
            }
          }
        }
      }
      return;
    case DirectWindow::Kind::run:
      for (std::int64_t first = 0; first < tap_count; first += kRunTaps) {
        const std::int64_t end = std::min(first + kRunTaps, tap_count);
        for (std::int64_t t = first; t < first + window.step; ++t) {
          for (std::int64_t far = t; far < end; far += window.step) add(far);
        }
      }
  }
}

// Blocks of output rows of a few output channels, summed straight from padded input rows, for some
// groups of channels one after the other:
//
//   out(m, r, i) = sum over c, t of filter(c, t, m) * in(c, r * in_row_stride + taps[t] + i)
//                  + bias[m], and then, where there is one, its ramp
//
// One multiply-add a term, fused where the instruction set has it, c ascending, and for each
// channel its taps in the order of `terms`, which is that of direct_order(); the terms of
// chain_channels channels are one chain, whose sum is added to those of the chains before it.
//
//   in      in(c, o) = in[c * in_channel_stride + o]; readable up to the next multiple of
//           kDirectColumns columns
//   filter  filter(c, t, m) = filter[(c * tap_count + t) * out_channels + m]
//   out     out(m, r, i) = out[m * out_channel_stride + r * out_row_stride + i]; only `columns`
//           elements of a row are written
struct DirectBlock {
  const float* in;
  std::int64_t in_channel_stride;
  std::int64_t in_row_stride;
  std::int64_t in_channels;
  std::int64_t chain_channels;

  const std::int64_t* taps;
  std::int64_t tap_count;
  DirectWindow window;
  const DirectTerm* terms;  // the taps in the order in which they are summed
  // Of bands: input row r + h is zero, and is not read, unless it lies in [inside, inside_end).
  std::int64_t inside, inside_end;

  const float* filter;
  const float* bias;          // out_channels numbers, or null
  const Ramp* ramp;           // or null
  std::int64_t out_channels;  // 1 to kDirectChannels
  void* out;                  // float32, or with `half` float16
  bool half;
  std::int64_t out_channel_stride;
  std::int64_t out_row_stride;
  std::int64_t rows;
  std::int64_t columns;

  // Whether half a vector takes half the time of a whole one (base::halves_vectors()).
  bool halves = false;

  // From group to group; those of the bias follow each other.
  std::int64_t groups;
  std::int64_t in_group_stride;
  std::int64_t filter_group_stride;
  std::int64_t out_group_stride;

  // Memory that is wanted next is brought nearer meanwhile.
  const char* next;
  std::int64_t next_bytes;
};

// For each of some channels,
//
//   to[r * to_row_stride + i] = from[r * from_row_stride + i * from_stride], widened to float32.
//
// May write zeros after the last column, up to the next multiple of kDirectColumns, and goes from
// the first row to the last.
//
// With to_odd, from_stride is 2 and `columns` counts the elements from the first to the last one
// read: those of even number go to `to`, those of odd number to `to_odd`.
struct DirectRows {
  const void* from;
  std::int64_t from_channel_stride;  // elements
  std::int64_t from_row_stride;
  std::int64_t from_stride;
  float* to;
  float* to_odd;  // or null
  std::int64_t to_channel_stride;
  std::int64_t to_row_stride;
  std::int64_t channels;
  std::int64_t rows;
  std::int64_t columns;
};

using LoadDirectRows = void (*)(const DirectRows& rows) noexcept;

struct DirectKernels {
  Isa isa;
  const char* f32_name;  // what plans report: "direct_f32_avx2"
  const char* f16_name;
  void (*multiply)(const DirectBlock& block) noexcept;
  void (*sum_phases)(const DirectPhases& phases) noexcept;
  LoadDirectRows load_f32;
  LoadDirectRows load_f16;
  void (*sum_doubling)(const DirectDoubling& block) noexcept;  // or null
  void (*in_place)(const DirectInPlace& block) noexcept;       // or null
  void (*sum_channels)(const DirectChannels& block) noexcept;  // or null
  bool in_place_512;  // with the kernels that has_run() speaks of, and float16 channels

  // For float32 and float16.
  LoadDirectRows load(DataType type) const noexcept {
    return type == DataType::float16 ? load_f16 : load_f32;
  }

  // Numbers in a register of in_place and sum_channels.
  constexpr std::int64_t lanes() const { return in_place_512 ? 16 : 8; }
};

// Best instruction set first.
std::span<const DirectKernels> direct_kernel_table() noexcept;
const DirectKernels& direct_kernels(Isa isa) noexcept;

}  // namespace weft::kernels
