#pragma once

// float32 and float16 matrix products on a matrix unit for bfloat16 (AMX).
//
//   x = h + m + l   for every float32 whose parts are normal: 8 significant bits a part
//   x = h + m       for every float16
//
// A product is the sum of the part products hh + hm + mh + mm, for float32 of these and hl + lh,
// accumulated in float32. What is left out of a product of float32 is at most 2^-24 of it. mm,
// 2^-16 of a product at most, may be left out of those of float16: see needs_all_products().
// Numbers that two parts do not hold are rounded to them. The unit takes subnormal numbers as zero
// and gives NaN for the parts of an infinity, so the range of all numbers is recorded while they
// are split; whoever multiplies asks products_are_safe().

#include <cstddef>
#include <cstdint>

#include "kernels/ramp.h"

namespace weft::kernels {

// Pixels and channels of a block; a tile of the unit holds half of either.
inline constexpr std::int64_t kSplitBlock = 32;

// Elements of one part of a filter block: 32 input channels x 32 output channels.
inline constexpr std::int64_t kSplitFilterPart = kSplitBlock * kSplitBlock;

// Part products of a product, without those that may be left out.
constexpr std::int64_t part_products(std::int64_t parts) noexcept {
  return parts * (parts + 1) / 2;
}

// The bits of the absolute values: the largest, and the smallest but 0, less 1.
struct SplitRange {
  std::uint32_t largest = 0;
  std::uint32_t smallest = UINT32_MAX;
};

// A range that holds all numbers of float16 up to one, given by its bits.
constexpr SplitRange range_of_halves(std::uint16_t largest) noexcept {
  if (largest == 0) return {};
  constexpr std::uint32_t kSmallest = 0x33800000u, kInfinity = 0x7f800000u;
  const bool finite = largest < 0x7c00;
  return {finite ? (std::uint32_t{largest} << 13) + (112u << 23) : kInfinity, kSmallest - 1};
}

// Cache lines to fetch into the second level while something is multiplied, from four parts of the
// memory in turn: of several pages a processor has more lines under way than of one, from memory
// half as many again (11 and 18 GB/s were measured).
struct SplitAhead {
  static constexpr std::int64_t kParts = 4;
  static constexpr std::int64_t kLine = 32;  // elements

  const std::uint16_t* from = nullptr;  // in the first part
  std::int64_t part = 0;                // elements
  std::int64_t lines = 0;               // wanted after each step, of all parts
  std::int64_t due = 0;

  // Of what begins at `begin`, after `line` lines.
  static constexpr SplitAhead of(const std::uint16_t* begin, std::int64_t elements,
                                 std::int64_t line, std::int64_t lines) noexcept {
    constexpr std::int64_t kRound = kParts * kLine;
    return {begin + line / kParts * kLine, (elements + kRound - 1) / kRound * kLine, lines,
            line % kParts};
  }

  // After a step.
  [[gnu::always_inline]] void fetch() noexcept {
    for (due += lines; due >= kParts; due -= kParts, from += kLine) {
      for (std::int64_t i = 0; i < kParts; ++i) __builtin_prefetch(from + i * part, 0, 2);
    }
  }
};

// One 32 x 32 block of a convolution: 32 pixels (rows) by 32 output channels.
//
//   acc(p, o) = (first ? 0 : acc(p, o))
//             + sum over block, tap, c of x(block, c, p + tap) * filter(block, tap, c, o)
//
//   a     split pixels: [block][part][pixel][32 channels]; block_stride, part_stride in elements
//   taps  offset of each tap's pixels from a, in elements
//   b     split filter: [block][tap][part][32 x 32], see split_filter; b_gap elements are left out
//         after each block
//   acc   32 rows of 32 floats
struct SplitTile {
  const std::uint16_t* a;
  const std::int64_t* taps;
  std::int64_t tap_count;
  std::int64_t block_count;
  std::int64_t block_stride;
  std::int64_t part_stride;
  const std::uint16_t* b;
  std::int64_t b_gap;
  float* acc;
  bool first;
  bool all_products;   // of float16, mm too
  std::int64_t chain;  // blocks whose sums are added as a whole to those before
  SplitAhead ahead;
};

// A block's sums on their way to a tensor whose positions lie side by side, in runs:
//
//   to(o, p) = activation(acc(first + p, o) + bias(o))   for p in [0, count), o in [0, outputs)
struct SplitResult {
  static constexpr int kMostRuns = 6;

  struct Run {
    std::int64_t first;
    std::int64_t count;
    void* to;
  };

  const float* acc;   // as in SplitTile
  const float* bias;  // one an output
  const Ramp* ramp;   // or null
  bool half;          // float16, otherwise float32
  std::int64_t outputs;
  std::int64_t output_stride;  // elements
  std::int64_t run_count;
  Run runs[kMostRuns];
  int next = kSquares;  // square of 16 x 16 sums; kSquares: nothing is left to store
  static constexpr int kSquares = 4;
};

// The kernels for numbers of two or three parts.
struct SplitKernels {
  std::int64_t parts;
  const char* name;

  // Around any number of calls of multiply() on one thread, with whatever stores their results.
  void (*enter)() noexcept;
  void (*leave)() noexcept;

  // 32 channels of `count` pixels, row_stride floats apart, to pixels of 32 channels, each part
  // part_stride elements after the one before. `to` is aligned to 64 bytes.
  void (*split_pixels)(const float* rows, std::int64_t row_stride, std::int64_t count,
                       std::uint16_t* to, std::int64_t part_stride, SplitRange& range) noexcept;

  // The same from float16; null where there are three parts.
  void (*split_half_pixels)(const std::uint16_t* rows, std::int64_t row_stride, std::int64_t count,
                            std::uint16_t* to, std::int64_t part_stride,
                            SplitRange& range) noexcept;

  // One tap of 32 input channels (rows, 32 floats apart) x 32 output channels, as multiply() reads
  // it: part, half of the output channels, pair of input channels, output channel, one of the pair.
  void (*split_filter)(const float* rows, std::uint16_t* to, SplitRange& range) noexcept;

  // Stores some results of a block before meanwhile, while the vector units have nothing to do.
  void (*multiply)(const SplitTile& tile, SplitResult& before) noexcept;

  // to[o * to_stride + p] = acc[p * 32 + o] for 32 pixels and 32 output channels.
  void (*transpose)(const float* acc, float* to, std::int64_t to_stride) noexcept;

  // What is left of them.
  void (*store)(SplitResult& result) noexcept;
};

// Null where this build or this machine has no such unit.
const SplitKernels* split_kernels(std::int64_t parts) noexcept;

// Whether every part and every product that counts is a normal number, and no sum of fewer than
// 2^20 products passes float32.
constexpr bool products_are_safe(const SplitRange& x, const SplitRange& filter) noexcept {
  const auto exponent = [](std::uint32_t bits) { return static_cast<int>(bits >> 23) - 127; };
  if (x.largest == 0 || filter.largest == 0) {
    return x.largest < 0x7f000000u && filter.largest < 0x7f000000u;
  }
  // The last part has its only bit up to 23 below the first.
  const int low = exponent(x.smallest + 1);
  const int filter_low = exponent(filter.smallest + 1);
  return low >= -103 && filter_low >= -103 && low + filter_low >= -102 &&
         exponent(x.largest) + exponent(filter.largest) < 100 && x.largest < 0x7f000000u &&
         filter.largest < 0x7f000000u;
}

}  // namespace weft::kernels
