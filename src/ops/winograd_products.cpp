// The two ways in which WinogradConvolution multiplies, and when it is the way at all.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/fetch.h"
#include "kernels/gemm/chains.h"
#include "kernels/gemm/gemm.h"
#include "kernels/split/product.h"
#include "ops/convolution_tiling.h"
#include "ops/convolution_winograd.h"

namespace weft::ops {

using kernels::GemmTerm;
using kernels::kSplitBlock;
using kernels::SplitAhead;
using kernels::SplitRange;

namespace {

// Sums of fewer input channels are so exact that the rounding of what they are made from shows:
// their error would pass that of one chain of multiply-adds, most of inputs after ReLU: of the
// least by 4 x 4 it is 0.8 to 0.9 of that. 4 x 4 errs twice as much as others; on the unit, where
// it is not known from how many on it errs less than a chain, it is not the default, and gains
// little but where the filters of many channels, or of many images' tiles, are so much less to
// read. Several parts of a window: 7 x 7 and 2 x 4 err there as one chain does from 8 channels on.
// What float16 is transformed into is rounded to two parts: 2 to 3 in 100 results of tiles of 2
// outputs a side are the other float16 next to the exact sum, as of direct sums, and 3 to 8 of
// larger ones. Of vectors, there are 0 parts.
std::int64_t fewest_channels(const kernels::WinogradTile& tile, const PlanOptions& options,
                             std::int64_t parts, bool several, std::int64_t batch) {
  const bool unit = parts > 0;
  const bool allowed = options.winograd == Winograd::allowed;
  const bool small = std::max(tile.rows, tile.columns) == 2;
  if (parts == 2 && !small && !allowed) return INT64_MAX;
  if (tile == WinogradConvolution::kErrsMost) {
    if (unit) return !allowed ? INT64_MAX : batch > 1 ? 128 : 256;
    return allowed ? 64 : 224;
  }
  // Sums of fewer taps err less.
  const std::int64_t taps = tile.row_taps * tile.column_taps;
  const bool two = tile.column_taps == 2;
  if (small) return unit ? 16 : two ? 48 : taps == 3 ? 40 : 32;
  if (taps <= 3) return unit ? 160 : several ? 120 : 104;
  if (two && tile.rows == 4) return unit && several ? 216 : 160;
  if (two) return unit ? 48 : 80;
  return !unit ? 64 : several ? 44 : 32;
}

// What the transformations lose adds to the error of a chain of sums, which so has to be smaller
// than that of all channels in one: the less so, the more channels these are. At every length a
// twentieth of the error is to spare, or nearly. Chains that begin and end take time: with AVX-512,
// layers of 3 x 3 take 0.90 to 0.93 of it by chains of 64 instead of 16. Windows of 2 x 2 taps
// without a stride, which take 0.97 to 1, have chains of 16: of BACKWARD, they so err less than
// direct sums do.
std::int64_t chain_channels(const PlanOptions& options, const kernels::WinogradTile& tile,
                            const WinogradImages& images) {
  constexpr kernels::WinogradTile kErrsLeast{2, 2};
  constexpr std::int64_t kChain = 16;
  const bool several = images.of_slice() > images.of_part();
  const bool of_two = tile.row_taps == 2 && tile.column_taps == 2 && !images.is_strided();
  const std::int64_t fewest =
      tile == kErrsLeast ? 16 : fewest_channels(tile, options, 0, several, images.count());
  const double times = images.least_channels() / static_cast<double>(fewest);
  std::int64_t chain = times >= 2.4 ? 4 * kChain : times >= 1.6 ? 2 * kChain : kChain;
  if (of_two) chain = kChain;
  if (tile == WinogradConvolution::kErrsMost) chain = std::min(chain, 2 * kChain);
  return std::min(options.winograd == Winograd::allowed ? 2 * chain : chain, 4 * kChain);
}

// The unit's kernels, or null where it is not there or not allowed.
const kernels::SplitKernels* unit_for(Isa isa, const kernels::WinogradTile& tile, DataType type) {
  const std::int64_t parts = split_parts(type);
  if (isa < Isa::amx || kernels::winograd_unit(tile, parts) == nullptr) return nullptr;
  return kernels::split_kernels(parts);
}

// Products on a matrix unit, of numbers in parts.
class UnitWinograd final : public WinogradConvolution {
 public:
  UnitWinograd(const ConvolutionParams& params, const PlanOptions& options,
               const kernels::WinogradTile& outputs, const kernels::SplitKernels& unit)
      : WinogradConvolution(params, options, outputs, &unit, WinogradVectors::of_tiles),
        unit_(unit),
        kernels_of_unit_(*kernels::winograd_unit(outputs, unit.parts)) {
    algorithm = kernels_of_unit_.name;
  }

 private:
  // The unit takes subnormal numbers as zero. A part that vanishes so, or a product, is small
  // against the rounding of the inputs and weights that it comes from, whatever cancels between
  // them.
  bool is_safe(const SplitRange& x, const SplitRange& filter) const noexcept override {
    const auto exponent = [](std::uint32_t bits) { return static_cast<int>(bits >> 23) - 127; };
    constexpr int kScale = 40;  // WinogradFilter::scale()
    const int most = exponent(x.largest) + exponent(filter.largest) + kScale;
    if (exponent(x.largest) > 100 || exponent(filter.largest) > 100 - kScale || most > 100)
      return false;
    if (x.largest == 0 || filter.largest == 0) return true;
    const int low = exponent(x.smallest + 1);
    const int filter_low = exponent(filter.smallest + 1);
    return low >= -100 && low + filter_low + kScale >= -80;
  }

  void transform_columns(const Tile& tile, std::int64_t c, const float* even, const float* odd,
                         const Slot& slot) const noexcept override {
    kernels_of_unit_.transform_columns({.even = even,
                                        .odd = odd,
                                        .from_stride = plane_point_,
                                        .remainder_stride = plane_remainder_,
                                        .tiles_a_row = tile.columns,
                                        .tiles = tile.count,
                                        .to = reinterpret_cast<std::uint16_t*>(slot.patches) +
                                              c / kSplitBlock * step_ +
                                              c % kSplitBlock / 2 * kSplitBlock,
                                        .block_stride = patch_block_ / 2,
                                        .point_stride = patch_point_ / 2});
  }

  void multiply(const std::byte* packed, const Tile& tile, std::int64_t first_block,
                std::int64_t blocks, const Slot& slot) const noexcept override {
    const std::int64_t fetches = kernels::part_products(unit_.parts);  // a step of products
    const std::int64_t steps = filter_.steps();
    const std::int64_t slice = steps * step_;
    const std::int64_t first = tile.begin / kSplitBlock;
    const std::int64_t count = base::divide_up(tile.end, kSplitBlock) - first;
    const std::int64_t ahead_lines =
        base::divide_up(slice / SplitAhead::kLine, tile.blocks * steps * fetches);
    const auto filter_at = [&](std::int64_t point) {
      return reinterpret_cast<const std::uint16_t*>(
          filter_.block(packed, tile.filter, first_block, point));
    };
    unit_.enter();
    for (std::int64_t point = 0; point < tiling_.tile.points(); ++point) {
      const std::uint16_t* filter = filter_at(point);
      for (std::int64_t k = 0; k < blocks; ++k, filter += slice) {
        const std::uint16_t* ahead = k + 1 < blocks ? filter + slice : filter_at(point + 1);
        for (std::int64_t n = 0; n < tile.blocks; ++n) {
          kernels_of_unit_.multiply(
              {.filter = filter + first * step_,
               .patches = reinterpret_cast<const std::uint16_t*>(
                              slot.patches + point * patch_point_ + n * patch_block_) +
                          first * step_,
               .steps = count,
               .acc = slot.acc + (k * tile.blocks + n) * block_sums() + point * kSplitBlock,
               .output_stride = row_sums(),
               .ahead =
                   SplitAhead::of(ahead, slice, n * ahead_lines * fetches * steps, ahead_lines)});
        }
      }
    }
    unit_.leave();
  }

  const kernels::SplitKernels& unit_;
  const kernels::WinogradUnit& kernels_of_unit_;
  const std::int64_t step_ = unit_.parts * kernels::kSplitPatchPart;  // elements
};

static_assert(kernels::kGemmBlock == kSplitBlock);

// Products in float32.
class VectorWinograd final : public WinogradConvolution {
 public:
  VectorWinograd(const ConvolutionParams& params, const PlanOptions& options,
                 const kernels::WinogradTile& outputs, std::optional<WinogradVectors> along)
      : WinogradConvolution(params, options, outputs, nullptr, along),
        vectors_(std::min<std::int64_t>(most_along(tiling_) / gemm_.lanes, 2)),
        columns_(tiling_.along_channels()
                     ? base::round_up(tiling_.block_rows * tiling_.block_columns, 16)
                     : vectors_ * gemm_.lanes),
        strips_(kSplitBlock, gemm_.max_positions[vectors_ - 1]),
        chain_(chain_channels(options, outputs, images_)) {
    algorithm = kernels_.name;
    list_channels();
  }

 private:
  // No parts that could vanish.
  bool is_safe(const SplitRange& x, const SplitRange& filter) const noexcept override {
    return transforms_are_safe(x, filter);
  }

  void transform_columns(const Tile& tile, std::int64_t c, const float* even, const float* odd,
                         const Slot& slot) const noexcept override {
    float* const to = reinterpret_cast<float*>(slot.patches) + c * columns_;
    for (const float* from : {even, odd}) {
      if (from == nullptr) continue;
      kernels_.transform_channel({.from = from,
                                  .from_stride = plane_point_,
                                  .remainder_stride = plane_remainder_,
                                  .tiles_a_row = tile.columns,
                                  .tiles = tile.count,
                                  .to = to + (from == odd ? columns_ : 0),
                                  .block = columns_,
                                  .block_stride = filter_.steps() * kSplitBlock * columns_,
                                  .point_stride = patch_point_ / 4});
    }
  }

  struct ChannelList {
    std::vector<bool> counts;     // each part
    std::vector<GemmTerm> terms;  // of the channels of those that do; none where all do
  };

  // Numbers of a filter and of patches of a channel.
  GemmTerm term(std::int64_t channel) const noexcept {
    const std::int64_t of_filter = channel * kSplitBlock, of_patches = channel * columns_;
    return tiling_.along_channels() ? GemmTerm{.a = of_patches, .b = of_filter}
                                    : GemmTerm{.a = of_filter, .b = of_patches};
  }

  // Those channels of every filter and point whose numbers are not all zeros, where some are.
  void list_channels() {
    const std::int64_t points = tiling_.tile.points();
    const std::int64_t parts = images_.channels() / images_.of_part();
    for (std::int64_t i = 0; i < images_.filters() * points; ++i) {
      ChannelList list;
      for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t first = part * images_.of_part();
        list.counts.push_back(!images_.vanishes(i / points, first, i % points));
      }
      const auto known = std::find_if(lists_.begin(), lists_.end(), [&](const ChannelList& other) {
        return other.counts == list.counts;
      });
      list_of_.push_back(known - lists_.begin());
      if (known != lists_.end()) continue;
      const bool all =
          std::find(list.counts.begin(), list.counts.end(), false) == list.counts.end();
      for (std::int64_t c = 0; c < images_.channels() && !all; ++c) {
        if (list.counts[static_cast<std::size_t>(c / images_.of_part())]) {
          list.terms.push_back(term(c));
        }
      }
      lists_.push_back(std::move(list));
    }
  }

  // The channels that a tile sums at a point: [begin, end) of a list, or of all where that is null.
  struct Channels {
    const GemmTerm* list;
    std::int64_t begin, end;
  };
  Channels channels_of(const Tile& tile, std::int64_t point) const noexcept {
    const std::int64_t filter = tile.filter / geometry_.groups;
    const auto index = static_cast<std::size_t>(filter * tiling_.tile.points() + point);
    const std::vector<GemmTerm>& list = lists_[static_cast<std::size_t>(list_of_[index])].terms;
    const auto position = [&](std::int64_t channel) {
      const auto before = [](const GemmTerm& x, const GemmTerm& y) { return x.a < y.a; };
      return std::lower_bound(list.begin(), list.end(), term(channel), before) - list.begin();
    };
    const std::int64_t begin = position(tile.begin), end = position(tile.end);
    if (begin == end) return {.list = nullptr, .begin = tile.begin, .end = tile.end};
    return {.list = list.data(), .begin = begin, .end = end};
  }

  // Some of them, from channel `begin` on: as many as stay in the first-level cache.
  kernels::GemmChains chains_of(const Channels& channels, std::int64_t begin, const float* a,
                                const float* b) const noexcept {
    const GemmTerm row = term(1);
    kernels::GemmChains chains{.a = a,
                               .b = b,
                               .acc = nullptr,
                               .terms = nullptr,
                               .a_row = row.a,
                               .depth = std::min(kMostChain, channels.end - begin),
                               .chain = chain_,
                               .acc_stride = row_sums(),
                               .next = nullptr,
                               .next_step = 0,
                               .first = begin == channels.begin};
    const std::int64_t last = begin + chains.depth - 1;
    GemmTerm first = term(begin), end = term(last);
    if (const GemmTerm* const list = channels.list; list != nullptr) {
      const bool follow = list[last].a - list[begin].a == term(chains.depth - 1).a;
      first = follow ? list[begin] : GemmTerm{.a = 0, .b = 0};
      end = list[last];
      if (!follow) chains.terms = list + begin;
    }
    chains.a += first.a;
    chains.b += first.b;
    chains.next = reinterpret_cast<const char*>(b + end.b + row.b);
    return chains;
  }

  void multiply(const std::byte* packed, const Tile& tile, std::int64_t first_block,
                std::int64_t blocks, const Slot& slot) const noexcept override {
    if (tiling_.along_channels()) {
      return multiply_channels(packed, tile, first_block, blocks, slot);
    }
    const auto filter_at = [&](std::int64_t point) {
      return filter_.block(packed, tile.filter, first_block, point);
    };
    const std::int64_t block_bytes = filter_.block_bytes();
    const std::int64_t calls = base::divide_up(tile.count, columns_) * strips_.count *
                               base::divide_up(tile.end - tile.begin, kMostChain);
    const std::int64_t ahead_lines = base::divide_up(block_bytes / base::kLineBytes, calls);
    for (std::int64_t point = 0; point < tiling_.tile.points(); ++point) {
      const Channels channels = channels_of(tile, point);
      const std::byte* filter = filter_at(point);
      for (std::int64_t k = 0; k < blocks; ++k, filter += block_bytes) {
        const std::byte* const next = k + 1 < blocks ? filter + block_bytes : filter_at(point + 1);
        auto ahead = SplitAhead::of(reinterpret_cast<const std::uint16_t*>(next), block_bytes / 2,
                                    0, ahead_lines);
        const std::int64_t outputs = outputs_of((first_block + k) * kSplitBlock);
        for (std::int64_t n = 0; n < tile.blocks; ++n) {
          multiply_block(tile, n, channels, outputs, reinterpret_cast<const float*>(filter),
                         reinterpret_cast<const float*>(slot.patches + point * patch_point_ +
                                                        n * patch_block_),
                         slot.acc + (k * tile.blocks + n) * block_sums() + point * kSplitBlock,
                         ahead);
        }
      }
    }
  }

  // Some channels after the others, for all strips of outputs that there are.
  void multiply_block(const Tile& tile, std::int64_t block, const Channels& channels,
                      std::int64_t outputs, const float* filter, const float* patches, float* acc,
                      SplitAhead& ahead) const noexcept {
    const std::int64_t tiles = std::min(tile.count - block * kSplitBlock, kSplitBlock);
    for (std::int64_t c = channels.begin; c < channels.end; c += kMostChain) {
      for (std::int64_t column = 0; column < tiles; column += columns_) {
        const float* const b = patches + column * filter_.steps() * kSplitBlock;
        kernels::GemmChains chains = chains_of(channels, c, filter, b);
        chains.acc = acc + column;
        chains.next_step = columns_ * 4 / strips_.count;
        std::int64_t first = 0;
        for (std::int64_t strip = 0; first < outputs; ++strip) {
          const std::int64_t size = strips_.size(strip);
          ahead.fetch();
          gemm_.chains(vectors_, size)(chains);
          first += size;
          chains.a += size;
          chains.acc += size * row_sums();
          chains.next += chains.depth * chains.next_step;
        }
      }
    }
  }

  // The filter is read once, in the order of memory, by all strips of tiles.
  void multiply_channels(const std::byte* packed, const Tile& tile, std::int64_t first_block,
                         std::int64_t blocks, const Slot& slot) const noexcept {
    const std::int64_t lanes = vectors_ * gemm_.lanes;
    const Strips strips(tile.count, gemm_.max_positions[vectors_ - 1]);
    for (std::int64_t point = 0; point < tiling_.tile.points(); ++point) {
      const Channels channels = channels_of(tile, point);
      const std::byte* filter = filter_.block(packed, tile.filter, first_block, point);
      const auto* const patches =
          reinterpret_cast<const float*>(slot.patches + point * patch_point_);
      for (std::int64_t k = 0; k < blocks; ++k, filter += filter_.block_bytes()) {
        const std::int64_t outputs = outputs_of((first_block + k) * kSplitBlock);
        float* const acc = slot.acc + k * tile.blocks * block_sums() + point * kSplitBlock;
        for (std::int64_t c = channels.begin; c < channels.end; c += kMostChain) {
          kernels::GemmChains chains =
              chains_of(channels, c, patches, reinterpret_cast<const float*>(filter));
          const float* const b = chains.b;
          chains.next += kAhead;
          chains.next_step =
              base::divide_up(kSplitBlock * 4, strips.count * base::divide_up(outputs, lanes));
          std::int64_t first = 0;
          for (std::int64_t strip = 0; strip < strips.count; ++strip) {
            const std::int64_t tiles = strips.size(strip);
            for (std::int64_t o = 0; o < outputs; o += lanes) {
              chains.b = b + o;
              chains.acc = acc + first * row_sums() + o;
              gemm_.far_chains(tiles)(chains);
              chains.next += chains.depth * chains.next_step;
            }
            chains.a += tiles;
            first += tiles;
          }
        }
      }
    }
  }

  // The filter comes from the third-level cache or from memory, and has to be asked for in time,
  // line by line: a chain's at once would be more than a core can wait for, and hold it up. 512 to
  // 512 channels, 7 x 7, tiles of 2 x 4, on one core of a Zen 5: 657 us by chains, 584 by lines.
  static constexpr std::int64_t kAhead = 6 << 10;  // bytes past the next chain

  // What vectors may be filled with.
  static std::int64_t most_along(const WinogradTiling& tiling) noexcept {
    return !tiling.along_channels() && tiling.is_narrow() ? WinogradTiling::kNarrow : kSplitBlock;
  }

  std::int64_t vectors_;  // multiplied at once,
  std::int64_t columns_;  // tiles a row of patches,
  Strips strips_;         // and of outputs, where tiles lie along vectors
  std::int64_t chain_;    // input channels of a chain of sums
  std::vector<ChannelList> lists_;
  std::vector<std::int64_t> list_of_;  // a filter and a point, one of them
};

}  // namespace

double WinogradConvolution::seconds(const ConvolutionParams& params, const PlanOptions& options,
                                    const kernels::WinogradTile& tile) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const Isa isa = base::choose_isa(options.max_isa);
  if (kernels::winograd_kernels(isa, tile) == nullptr) return kNever;
  const ConvolutionGeometry g(params);
  if (!WinogradImages::suits(g, tile)) return kNever;
  const WinogradImages images(g, tile);
  const kernels::SplitKernels* const unit = unit_for(isa, tile, params.input.data_type);
  // Few products are saved, and others have fewer. 80 to 768 channels, 1 x 3, by tiles of two taps,
  // on one core of a Zen 5: 5500 us, 4650 directly. With a stride, whose zeros are not multiplied,
  // enough are; with AVX-512 that is known of AMD's only.
  const bool filled = images.is_filled();
  const bool known = isa == Isa::avx2 || (isa == Isa::avx512 && base::is_amd());
  if (!filled && (!known || !images.is_just_filled())) return kNever;
  // Volumes of larger windows take longer than is estimated. 32 to 64 channels, 8x28x28, 5 x 5 x 5,
  // on one core of a Xeon: 18.4 ms, 15.9 without the unit. With a stride, two threads wait for
  // memory. 3 to 64 channels, 16x112x112, 3 x 7 x 7 at 2, with AVX2: 20.1 ms, directly 17.4.
  const bool several = images.of_slice() > images.of_part();
  const bool strided = images.in_column_stride() != g.in_strides[2];
  if ((unit || strided) && images.has_depth() && several) return kNever;
  const std::int64_t parts = unit != nullptr ? unit->parts : 0;
  const std::int64_t fewest = fewest_channels(tile, options, parts, several, g.batch);
  if (images.least_channels() < static_cast<double>(fewest)) return kNever;
  // For one thread, whatever their number: the way is the same for all, and so are the bits.
  const WinogradTiling tiling(g, tile, WinogradTiling::products(isa, unit), 1);
  // A single block of tiles leaves nothing for a second thread.
  const std::int64_t tiles = tiling.batch * tiling.rows * tiling.columns;
  if (unit && tile == kErrsMost && tiles <= kSplitBlock) return kNever;
  // Transforming inputs whose products are left out takes longer than is estimated where another
  // thread shares the core. 128 to 128 channels, 56 x 56, 3 x 3 at 2, on two cores of a Zen 3, by
  // 4 x 4: 1960 us, 1860 directly, where 0.87 of that was estimated. By whole vectors of AVX-512,
  // tiles of more than 2 x 2 take less than is estimated. 64 to 128 channels, 112 x 112, on one
  // core of a Zen 5: by 2 x 2 2560 us, by 2 x 4 2090, directly 2490.
  const bool whole = isa == Isa::avx512 && !base::halves_vectors();
  const bool late = tile.row_taps > 1 && (!whole || tile.rows * tile.columns <= 4);
  double more = filled ? 1 : late ? 1.15 : 1.05;
  // Without a stride, by vectors of AVX2, parts of two taps of which some have one take longer
  // still beside direct sums. One core of a Zen 4, 8 to 32 channels, 64x64, 5 x 5: 791 us, directly
  // 682; 3 to 64, 96x96, 9 x 9: 3380 and 3150; 64 to 64, 8192, 5: 4730 and 4300.
  const bool of_two = std::max(tile.row_taps, tile.column_taps) == 2;
  if (!images.is_whole() && !strided && of_two && isa == Isa::avx2) more *= 1.3;
  return more * tiling.seconds;
}

std::shared_ptr<WinogradConvolution> WinogradConvolution::make(
    const ConvolutionParams& params, const PlanOptions& options, const kernels::WinogradTile& tile,
    std::optional<WinogradVectors> vectors) {
  const Isa isa = base::choose_isa(options.max_isa);
  if (const kernels::SplitKernels* unit = unit_for(isa, tile, params.input.data_type)) {
    return std::make_shared<UnitWinograd>(params, options, tile, *unit);
  }
  return std::make_shared<VectorWinograd>(params, options, tile, vectors);
}

}  // namespace weft::ops
