// 1x1 layers whose rows are one: how their input lies in the caches, and the order of their sums.

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/cache.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/fetch.h"
#include "ops/convolution_tiling.h"

namespace weft::ops {

namespace {

// `sets`: no more than such a cache has on any machine.
bool stays_in_cache(const ConvolutionGeometry& geometry, std::int64_t channels,
                    std::int64_t positions, std::int64_t cache_bytes, std::int64_t sets) {
  const std::int64_t distance = std::abs(geometry.in_channel_stride);
  const bool whole = distance % base::kLineFloats == 0;
  const std::int64_t lines = base::divide_up(positions, base::kLineFloats) + (whole ? 0 : 1);
  // Sets at which channels start, and the lines that the fullest of all sets gets.
  const std::int64_t between = whole ? std::gcd(distance / base::kLineFloats, sets) : 1;
  const std::int64_t fullest =
      base::divide_up(channels * between, sets) * base::divide_up(lines, between);
  return fullest <= cache_bytes / (base::kLineFloats * 4 * sets);
}

constexpr std::int64_t kFirstCacheSets = 64, kSecondCacheSets = 1024;

// Of AMD: a slab more to add to sums in the second level costs more than slabs save, but where
// channels that start at all sets of the first level have much to read. In turns, in us, one thread
// of Zen 4, AVX-512 and AVX2: 64 to 64, 56x56: 337 and 381, without slabs 280 and 312; 64x64: 539
// and 774, 392 and 395; 256 to 64, 28x28: 286 and 312, 331 and 351. Of others: where all channels
// start at one set. One thread of a Xeon, AVX-512, with slabs and without: 128 to 128, 64x64: 1273
// and 948; 256 to 128, 64x64: 2441 and 1979; 64 to 64, 128x128: 1273 and 1059; but 256 to 64,
// 64x64, two threads: 621 and 685; 320 to 320, 64x64: 2774 and 2989.
bool loses_by_slabs(const ConvolutionGeometry& geometry) {
  constexpr std::int64_t kFewSums = 32, kLittle = 64, kMuch = 256;
  const std::int64_t distance = std::abs(geometry.in_channel_stride);
  const std::int64_t in = geometry.in_channels, out = geometry.out_channels;
  if (out <= kFewSums) return false;
  if (base::is_amd()) return distance % (2 * base::kLineFloats) == 0 || in <= kLittle;
  return distance % (kFirstCacheSets * base::kLineFloats) == 0 && in <= kMuch && in <= 2 * out;
}

// Zen 5 with AVX-512 reads whole lines from the second-level cache as fast as it multiplies them by
// a few channels, so that neither copies nor slabs pay there. Zen 4 was faster with both. A Xeon
// with a matrix unit does so where they stay there, one core, us: 48 to 32 channels, 160x160, 790
// and 640; 96 to 24, 56x56, 123 and 108; but 64 to 32, 128x128, which do not, 1210 and 1360.
bool reads_lines_fast(const ConvolutionGeometry& geometry, const kernels::GemmKernel& kernel) {
  if (kernel.lanes != base::kLineFloats || !lies_at_lines(geometry)) return false;
  return base::is_zen5() || (base::machine_has(Isa::amx) &&
                             stays_in_second_cache(geometry, kAcrossVectors * kernel.lanes));
}

}  // namespace

bool joins_rows(const ConvolutionGeometry& geometry) noexcept {
  std::int64_t stride = 1;
  for (int d = kSpatial; d-- > 0;) {
    const ConvolutionAxis& axis = geometry.axes[d];
    const Phase phase = axis.phase(0);
    const std::int64_t last = (phase.count - 1) * phase.in_step + phase.first_offset;
    if (axis.phase_count() != 1 || phase.taps != 1 || phase.first_offset < 0 ||
        last >= axis.in_size() || (phase.count > 1 && geometry.out_strides[d] != stride)) {
      return false;
    }
    stride *= phase.count;
  }
  return true;
}

bool lies_in_line(const ConvolutionGeometry& geometry) noexcept {
  std::int64_t distance = 1;
  for (int d = kSpatial; d-- > 0;) {
    const Phase phase = geometry.axes[d].phase(0);
    const bool counts = phase.count > 1 || d == kSpatial - 1;
    if (counts && phase.in_step * geometry.in_strides[d] != distance) return false;
    distance *= phase.count;
  }
  return true;
}

bool lies_at_lines(const ConvolutionGeometry& geometry) noexcept {
  return lies_in_line(geometry) && geometry.in_channel_stride % base::kLineFloats == 0;
}

bool is_line_across(const ConvolutionGeometry& geometry,
                    const kernels::GemmKernel& kernel) noexcept {
  // Groups of few channels are over before a tile has begun.
  constexpr std::int64_t kManyChannels = 16;
  return geometry.in_channels >= kManyChannels && joins_rows(geometry) && lies_in_line(geometry) &&
         is_best_across(geometry, kernel);
}

// One thread of Zen 5, us, in turns, before this and with it: 64 to 32 channels, 128x128, 419 and
// 323; 64 to 16, 256x256, 1483 and 1135; 48 to 32, 160x160, 564 and 426; 64 to 64, 128x128, 677 and
// 600; 128 to 64, 128x128, 1344 and 1192.
bool suits_rows_in_place(const ConvolutionGeometry& geometry,
                         const kernels::GemmKernel& kernel) noexcept {
  constexpr std::int64_t kFewChannels = 64, kManyPositions = 3136, kMostCrowded = 256;
  if (!reads_lines_fast(geometry, kernel)) return false;
  const std::int64_t in = geometry.in_channels, out = geometry.out_channels;
  if (out <= kernel.max_positions[kAcrossVectors - 1]) return false;
  if (in <= kFewChannels) return out <= 2 * in && position_count(geometry) >= kManyPositions;
  return out <= in && in <= kMostCrowded &&
         !stays_in_second_cache(geometry, kAcrossVectors * kernel.lanes);
}

// 256 to 64 channels, 56x56, 567 and 436; 144 to 24, 141 and 99; 96 to 24, 95 and 67; 384 to 128,
// 40x40, 744 and 644; 56 to 12, 128x128, 227 and 138. Where channels share too few sets of the
// second level, two threads, 640 to 640, 32x32: 1727 and 1892.
bool suits_strips_in_place(const ConvolutionGeometry& geometry,
                           const kernels::GemmKernel& kernel) noexcept {
  return reads_lines_fast(geometry, kernel) && geometry.out_channels <= geometry.in_channels &&
         !suits_rows_in_place(geometry, kernel) &&
         stays_in_second_cache(geometry, kAcrossVectors * kernel.lanes);
}

// With AVX2. One thread of Zen 4, us, by slabs or near strips and packed: 24 to 24, 64x64, 93 and
// 78; 40 to 24, 80x80, 227 and 183; 64 to 32, 64x64, 412 and 243; 256 to 32, 32x32, 364 and 239;
// but 128 to 16, 64x64, 376 and 418; 64 to 12, 128x128, 602 and 761; 200 to 20, 14x14, 25 and 31.
// With AVX-512, where its vectors take two turns: 96 to 24, 56x56, 198 and 143; 144 to 24, 293 and
// 218; 256 to 128, 2050 and 1880; 384 to 64, 14x14, 112 and 102; 64 to 256, 56x56, 976 and 953; but
// 256 to 1024, 14x14, 1016 and 1037. Zen 5, before and packed: 288 to 48, 35x35, 211 and 176; 72 to
// 40, 28x28, 30 and 23; 96 to 64, 80x80, 472 and 405; but 768 to 512, 16x16, 1037 and 1062; 1024 to
// 1024, 14x14, two threads, 1089 and 1260; and, of rows better read in place, 64 to 32, 32x32x32,
// 785 and 1095.
bool suits_packed_strips(const ConvolutionGeometry& geometry,
                         const kernels::GemmKernel& kernel) noexcept {
  constexpr std::int64_t kManyChannels = 20, kManySums = 24, kMostToMore = 128;
  constexpr std::int64_t kMostWeights = 1 << 18;
  const std::int64_t in = geometry.in_channels, out = geometry.out_channels;
  if (kernel.packed_strips == nullptr || in < kManyChannels || out < kManySums) return false;
  if (kernel.lanes < base::kLineFloats) return true;
  if (out > in && in > kMostToMore) return false;
  return base::halves_vectors() ||
         (base::is_zen5() && in * out <= kMostWeights && !suits_rows_in_place(geometry, kernel));
}

// Zen 5, one thread and two, us, along vectors and packed: 512 to 64 channels, 14x14, 97 and 69, 58
// and 50; 768 to 128, 17x17, 344 and 294, 206 and 163; but 512 to 24, 14x14, 32 and 37; 672 to 160,
// 7x7, 60 and 68.
bool is_best_packed(const ConvolutionGeometry& geometry,
                    const kernels::GemmKernel& kernel) noexcept {
  constexpr std::int64_t kManyPositions = 160, kManySums = 32;
  return base::is_zen5() && kernel.lanes == base::kLineFloats && joins_rows(geometry) &&
         position_count(geometry) >= kManyPositions && geometry.out_channels >= kManySums &&
         suits_packed_strips(geometry, kernel);
}

bool suits_strips(const ConvolutionGeometry& geometry, const kernels::GemmKernel& kernel) noexcept {
  if (!lies_in_line(geometry) || suits_rows_in_place(geometry, kernel)) return false;
  if (suits_strips_in_place(geometry, kernel)) return true;
  // Of AMD, in turns, one thread of Zen 4, us: 64 to 256, 56x56: AVX-512 1122, as strips 1040, AVX2
  // 1324 and 1159; 64x64: 1392 and 1370, 2104 and 1372. With AVX-512, 128 channels gain nothing.
  constexpr std::int64_t kFewChannels = 96;
  if (base::is_amd() && geometry.in_channels <= kFewChannels) return true;
  constexpr std::int64_t kStrip = 32, kStripAndFilter = 48;
  const std::int64_t floats = geometry.in_channels * (geometry.out_channels + kStrip);
  return geometry.out_channels <= kernel.max_positions[kAcrossVectors - 1] ||
         floats * 4 <= base::first_cache_bytes() ||
         (!lies_at_lines(geometry) && stays_in_first_cache(geometry, kStripAndFilter));
}

// As measured, on one thread: with 48 channels and more, slabs of 32 to 48 are 1.05 to 2.6 times as
// fast as any other order, with 40 a fifth slower. With more than 11 panels products take longer
// than memory does, so that nothing is gained (12: 0.9 to 1.1), but of tiles of many sums where
// lines do not crowd, then of more channels; nor with more than four where lines of the cache are
// read in two halves. In turns, in us, AVX-512: 768 to 192, 28x28: 2552, with slabs of 48 2181, of
// 96 2076; 160 to 160, 40x40: 1085 and 914; 640 to 640, 32x32, crowded: 7140 and 9129.
std::int64_t channels_a_slab(const ConvolutionGeometry& geometry,
                             const kernels::GemmKernel& kernel) noexcept {
  constexpr std::int64_t kFewest = 48, kMost = 48, kCrowded = 32, kMostOfManyPanels = 96;
  constexpr std::int64_t kMostPanels = 11, kMostPanelsOfHalves = 4, kManySums = 8;
  const std::int64_t channels = geometry.in_channels;
  if (channels < kFewest || geometry.out_channels > channels || !lies_in_line(geometry)) return 0;
  if (loses_by_slabs(geometry)) return 0;
  // One thread of Zen 5, us, with slabs and without: 64 to 4, 256x256, 575 and 686; 64 to 8,
  // 128x128, 146 and 130; 256 to 8, 64x64, 194 and 124.
  constexpr std::int64_t kFewSums = 8, kManyPositions = 1 << 16;
  const bool large = geometry.out_channels < kFewSums && position_count(geometry) >= kManyPositions;
  if (reads_lines_fast(geometry, kernel) && !large) return 0;
  const std::int64_t panels =
      base::divide_up(geometry.out_channels, channels_across(geometry, kernel));
  // Next to the filter, and what is fetched meanwhile.
  const bool fits = stays_in_cache(geometry, kMost, kAcrossVectors * kernel.lanes,
                                   base::first_cache_bytes() * 3 / 4, kFirstCacheSets);
  std::int64_t most = fits ? kMost : kCrowded;
  if (panels > (lies_at_lines(geometry) ? kMostPanels : kMostPanelsOfHalves)) {
    const bool many_sums = kernel.max_positions[kAcrossVectors - 1] >= kManySums;
    if (!many_sums || !fits || !lies_at_lines(geometry)) return 0;
    most = kMostOfManyPanels;
  }
  return std::max(equal_parts(channels - kFirstSlab, most), kFirstSlab);
}

bool stays_in_first_cache(const ConvolutionGeometry& geometry, std::int64_t positions) noexcept {
  return stays_in_cache(geometry, geometry.in_channels, positions, base::first_cache_bytes(),
                        kFirstCacheSets);
}

bool stays_in_second_cache(const ConvolutionGeometry& geometry, std::int64_t positions) noexcept {
  return stays_in_cache(geometry, geometry.in_channels, positions, base::second_cache_bytes(),
                        kSecondCacheSets);
}

}  // namespace weft::ops
