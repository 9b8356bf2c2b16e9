#pragma once

#include <cstdint>

#include "kernels/ramp.h"

namespace weft::kernels {

// Most sums of a column in one call of DirectKernels::sum_phases.
inline constexpr int kDirectPhases = 12;

// Inputs that some of the sums of a column have a factor for.
struct DirectTap {
  std::int64_t offset;
  std::uint32_t users;  // bit p: sum p
  bool fetch;           // the first of a row: the next channel's row is brought nearer
};

// One row of all stride phases of a BACKWARD convolution, or of one, of one or more output
// channels, which read the same few input rows:
//
//   out(p, i) = bias[p] + sum over c, t that p uses of filter(c, t, p) * in(c, taps[t].offset + i)
//
// One multiply-add a term, fused where the instruction set has it, in the order c, t. The terms of
// some channels are summed from 0 and added to those before: long chains of roundings add up.
//
//   in      in(c, o) = in[c * in_channel_stride + o]; readable up to the next multiple of
//           kDirectColumns columns
//   filter  the factors one behind the other, in the order c, t, p
//   out     out(p, i) = out[p * out_stride + i]; written up to the next multiple of kDirectColumns
struct DirectPhases {
  const float* in;
  std::int64_t in_channel_stride;
  std::int64_t in_channels;
  const float* next;  // a row of each channel that is wanted later is brought nearer
  std::int64_t next_channel_stride;
  std::int64_t channel_block;  // channels that are summed from 0
  const DirectTap* taps;
  std::int64_t tap_count;
  const float* filter;
  const float* bias;  // kDirectPhases numbers
  const Ramp* ramp;   // of whole sums, or null
  int sums;           // 1 to kDirectPhases
  float* out;
  std::int64_t out_stride;
  std::int64_t columns;
};

}  // namespace weft::kernels
