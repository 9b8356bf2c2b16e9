#pragma once

#include <cstdint>

#include "kernels/ramp.h"

namespace weft::kernels {

// A strip is so many vectors of columns or one less, a panel as many rows as half a vector has
// lanes.
inline constexpr int kGemmPairsVectors = 3;

// Where the results of half a vector of columns go, in elements from a channel's first: those of
// the first `count` columns, and those of the others up to column `end`; beyond there are none.
struct GemmPairsPlace {
  std::int64_t to;
  std::int64_t count;
  std::int64_t rest;
  std::int64_t end;
};

// Products of a panel of rows and some strips of columns (kernels/gemm/gemm.h), whose rows belong
// together two by two: their sums are interleaved.
//
//   sum(m, n) = sum over k < depth of a(k, m) * b(k, n)
//   and then                          sum(m, n) += bias(m)
//   and then, where there is a ramp,  sum(m, n) = ramp(sum(m, n))
//   out(channel, n, i) = sum(2 * channel + i, n)
//
// Each sum is made of chains of `chain` terms, added in their order.
//
//   a     a(k, m) = a[k * rows + m]
//   b     of a strip, b(k, n) = b[k * columns + n], with as many columns as if it were long, the
//         strips one behind the other
//   out   channels out_channel_stride apart, both sums of a column side by side, columns where
//         places say: of each strip 2 * kGemmPairsVectors, the last two unused where it is short
struct GemmPairs {
  const float* a = nullptr;
  const float* b = nullptr;
  std::int64_t depth = 0;  // 1 or more
  std::int64_t chain = 0;
  const float* bias = nullptr;
  const Ramp* ramp = nullptr;
  const GemmPairsPlace* places = nullptr;
  std::int64_t strips = 0;
  std::int64_t long_strips = 0;  // which come first
  void* out = nullptr;
  bool half = false;  // out is float16, else float32
  std::int64_t out_channel_stride = 0;
  std::int64_t channels = 0;  // up to half a panel's rows
  // Where results are written next, at the same places.
  const void* next_out = nullptr;
};

}  // namespace weft::kernels
