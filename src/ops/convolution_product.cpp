#include "ops/convolution_product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::ProductSide;
using kernels::SplitAhead;
using kernels::SplitRange;

namespace {

constexpr std::int64_t kAcc = kSplitBlock * kSplitBlock;  // sums of a block

// What a tile keeps in the second-level cache (2 MiB on every machine that has the unit).
constexpr std::int64_t kPatchSets = 2;
constexpr std::int64_t kPatchBytes = 640 << 10;  // of each
constexpr std::int64_t kAccBytes = 768 << 10;

// Blocks of positions a run; for short sums; the fewest for sums in one chunk, and for threads.
constexpr std::int64_t kRun = 8, kLongRun = 16, kShortRun = 5, kLeastRun = 4;
constexpr std::int64_t kFewSteps = 3;

// The least that a tile does: steps of products of 32 positions and outputs, about 10 us.
constexpr std::int64_t kLeastSteps = 64;

// Outputs of more bytes would be out of the cache before anybody reads them.
constexpr std::uint64_t kCachedOutput = 16 << 20;

// In all. Classes of taps that no phase uses, as a cropped BACKWARD may have them, are packed too,
// each as whole blocks.
constexpr std::int64_t kMaxPhases = 64;

// Phases of one tap have all channels in one chain of sums: so short a chain halves the error of
// 512, which passed that of oneDNN, for 2 to 4 hundredths of the time.
constexpr std::int64_t kShortChain = 4;  // steps

std::int64_t positions_of(const std::array<Phase, kSpatial>& phases) {
  return phases[0].count * phases[1].count * phases[2].count;
}

}  // namespace

double ProductConvolution::seconds(const ConvolutionParams& params, const PlanOptions& options) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const std::int64_t parts = split_parts(params.input.data_type);
  if (base::choose_isa(options.max_isa) < Isa::amx) return kNever;
  if (kernels::product_kernels(parts) == nullptr) return kNever;
  const ConvolutionGeometry images(params);
  std::int64_t phases = 1;
  for (const ConvolutionAxis& axis : images.axes) {
    const std::int64_t most = std::max(axis.phase_count(), axis.class_count());
    if (most > kMaxPhases) return kNever;
    phases *= most;
  }
  if (phases > kMaxPhases) return kNever;
  const ConvolutionGeometry g = as_one_image(images);
  // Measured on one core at 2.8 GHz: a step of products and its part of all else that is done for a
  // block; a block's results; a pair of terms of a block packed, its terms gathered where they do
  // not lie in place; results written past the second-level cache.
  const double step = parts == 3 ? 150e-9 : 85e-9;
  const double pair = parts == 3 ? 18e-9 : 13e-9;
  // A byte of a filter past the second-level cache, which is read for every run of positions: from
  // the third, or from beyond what of that one core has to itself.
  constexpr double kNearByte = 4e-11, kFarByte = 1e-10, kFilterNear = 32 << 20;
  constexpr double kResult = 70e-9, kGathered = 0.35e-9, kGatheredRow = 55e-9, kByte = 1 / 20e9;
  const auto out_blocks = static_cast<double>(base::divide_up(g.out_channels, kSplitBlock));
  const auto fetching = [&](double filter_steps, double times) {
    const double bytes = filter_steps * static_cast<double>(parts * kernels::kSplitFilterPart * 2);
    if (bytes <= kFilterKept) return 0.0;
    return times * bytes * (bytes > kFilterNear ? kFarByte : kNearByte);
  };
  double sum = 0;
  const std::vector<PhaseSet> sets = phase_sets(g);
  if (const Planes planes = planes_of(g, sets); !planes.taps.empty() && g.batch == images.batch) {
    const auto& [pd, ph, pw] = sets.front().inputs;
    const auto halves = static_cast<double>(base::divide_up(pw.count, kSplitBlock / 2));
    // Half a block takes little less: each sum waits for its last product.
    const auto blocks_of = [](std::int64_t count) {
      const std::int64_t rest = count % kSplitBlock;
      const double last = rest == 0 ? 0 : rest <= kSplitBlock / 2 ? 0.8 : 1;
      const std::int64_t whole = count / kSplitBlock;
      return static_cast<double>(whole) + last;
    };
    const auto rows = static_cast<double>(pd.count * ph.count);
    const std::int64_t whole_steps = std::ssize(planes.order) / kSplitBlock;
    const auto steps = static_cast<double>(whole_steps);
    // A step of products of a block, from the second-level cache where the first is too small; its
    // results; a pair of terms of 16 positions; a row of a channel that is taken apart, for whose
    // memory is waited.
    constexpr double kFarOperands = 96 << 10;
    const bool far = steps * static_cast<double>(parts * 4 * kAcc) > kFarOperands;
    const double plane_step = (parts == 3 ? 167e-9 : 112e-9) + (far ? 57e-9 : 0);
    const double plane_pair = parts == 3 ? 6.7e-9 : 5e-9;
    constexpr double kPlaneResult = 100e-9;
    const double plane_row = pw.in_step == 1 ? 0 : parts == 3 ? 24e-9 : 18e-9;
    const double blocks = blocks_of(pw.count) * blocks_of(g.out_channels);
    sum =
        blocks * (steps * plane_step + kPlaneResult) +
        static_cast<double>(ph.in_step * planes.pairs) * halves * plane_pair +
        static_cast<double>(ph.in_step * g.in_channels) * plane_row +
        static_cast<double>(pw.count * g.out_channels * byte_size(params.output.data_type)) * kByte;
    sum = rows * sum + fetching(out_blocks * steps, rows);
    return sum * static_cast<double>(g.batch * g.groups);
  }
  for (const PhaseSet& set : sets) {
    const double positions = static_cast<double>(positions_of(set.inputs));
    const double blocks = std::ceil(positions / kSplitBlock);
    const double steps = std::ceil(static_cast<double>(set.terms) / kSplitBlock);
    sum +=
        static_cast<double>(set.members.size()) * blocks * out_blocks * (steps * step + kResult) +
        blocks * steps * kSplitBlock / 2 * pair;
    if (set.in_place.step == 0) {
      sum += positions * static_cast<double>(set.terms) * kGathered;
      // Where positions lie apart, neighbouring taps of a row are read together.
      const Phase& pw = set.inputs[2];
      if (pw.in_step > 1) {
        const std::int64_t rows = set.terms / std::max<std::int64_t>(pw.taps, 1);
        sum += positions / static_cast<double>(pw.count) * static_cast<double>(rows) * kGatheredRow;
      }
    }
    sum += fetching(static_cast<double>(set.members.size()) * out_blocks * steps,
                    std::ceil(blocks / kRun));
    sum += positions * static_cast<double>(set.members.size()) *
           static_cast<double>(g.out_channels * byte_size(params.output.data_type)) * kByte;
  }
  return sum * static_cast<double>(g.batch * g.groups);
}

ProductConvolution::ProductConvolution(const ConvolutionParams& params, const PlanOptions& options)
    : SplitPlan(params, options),
      unit_(*kernels::split_kernels(split_parts(data_type_))),
      kernels_(*kernels::product_kernels(split_parts(data_type_))),
      transpose_(kernels::transpose_kernel(Isa::amx, bit_size(data_type_)).transpose),
      shape_(as_one_image(geometry_)),
      sets_(phase_sets(shape_)),
      planes_(shape_.batch < geometry_.batch ? Planes{} : planes_of(shape_, sets_)),
      filter_(geometry_, data_type_, rows_.load(data_type_), unit_, planes_.order) {
  algorithm = kernels_.name;
  past_cache_ = *element_count(params.output.sizes) * element_bytes_ > kCachedOutput;
  choose_tiles(options);
  chain_ = has_short_chains(params) ? kShortChain : step_chunk_;
  set_memory(options, filter_.size_in_bytes(), slots_, slot_bytes_);
  explanation = "tiles of " + std::to_string(line_) + " positions x " +
                std::to_string(shares_.most_blocks() * kSplitBlock) + " channels, " +
                std::to_string(has_planes() ? kSplitBlock : run_) + " positions x " +
                std::to_string(step_chunk_ * kSplitBlock) + " terms at a time" +
                (has_planes() ? " from planes, " : ", ") + std::to_string(shares_.tiles()) +
                " tiles, " + std::to_string(slots_) + " slots";
}

// The run, or less of it where threads would share one, all of them packing it: if that saves a
// sixth, as the filter is read more often then.
std::int64_t ProductConvolution::shared_run(std::int64_t positions, std::int64_t others,
                                            std::int64_t phases, unsigned threads) const noexcept {
  constexpr std::int64_t kPacked = 2;  // a block of terms, in products of a block
  const std::int64_t all = threads;
  if (others * base::divide_up(positions, run_) >= all) return run_;
  const auto time = [&](std::int64_t run) {
    const std::int64_t units = others * base::divide_up(positions, run);
    const std::int64_t shares = std::min(base::divide_up(all, units), filter_.out_blocks());
    const std::int64_t turns = base::divide_up(units * shares, all);
    return turns * run * (kPacked + phases * base::divide_up(filter_.out_blocks(), shares));
  };
  std::int64_t best = run_;
  for (std::int64_t run = run_; run >= kLeastRun * kSplitBlock; run -= kSplitBlock) {
    if (time(run) < time(best)) best = run;
  }
  return 6 * time(best) < 5 * time(run_) ? best : run_;
}

void ProductConvolution::choose_tiles(const PlanOptions& options) {
  std::int64_t steps = 1, positions = 1, interleaved = 1, phases = 1;
  for (const PhaseSet& set : sets_) {
    steps = std::max(steps, filter_.steps(set.taps));
    positions = std::max(positions, positions_of(set.inputs));
    if (set.taps > 0) phases = std::max<std::int64_t>(phases, std::ssize(set.members));
    interleaved = std::max(interleaved, set.interleaved);
  }
  const std::int64_t position_bytes = kernels_.parts * 2 * kSplitBlock;  // of a step
  const std::int64_t others =
      shape_.batch * shape_.groups * static_cast<std::int64_t>(sets_.size());
  const unsigned threads = slot_count(options, INT64_MAX);
  // Few tiles leave threads without work at the end.
  const std::int64_t wanted = threads > 1 ? 4 * std::int64_t{threads} : 1;
  if (has_planes()) {
    choose_bands(wanted);
    step_chunk_ = steps;
  } else {
    // Short sums are stored all the time: longer runs of one output channel are written faster.
    run_ = (steps <= kFewSteps ? kLongRun : kRun) * kSplitBlock;
    // A chunk of all steps, where that takes runs that are not much shorter. Each chunk is a chain
    // of sums, so what it has must not depend on how many images or threads there are.
    const std::int64_t fitting = kPatchBytes / (steps * position_bytes) / kSplitBlock * kSplitBlock;
    if (fitting >= kShortRun * kSplitBlock) run_ = std::min(run_, fitting);
    step_chunk_ = std::min(steps, std::max<std::int64_t>(kPatchBytes / (run_ * position_bytes), 1));
    step_chunk_ = base::divide_up(steps, base::divide_up(steps, step_chunk_));
    run_ =
        base::round_up(base::divide_up(positions, base::divide_up(positions, run_)), kSplitBlock);
    run_ = shared_run(positions, others, phases, threads);
    const std::int64_t runs = base::divide_up(positions, run_);
    line_ = run_ * std::max<std::int64_t>(1, runs * others / wanted);
    lines_ = base::divide_up(positions, line_);
  }
  const std::int64_t out_blocks = filter_.out_blocks();
  const std::int64_t units = others * lines_;
  std::int64_t fitting = out_blocks;
  if (step_chunk_ < steps) {
    const std::int64_t block_bytes = phases * run_ * kSplitBlock * 4;
    fitting = std::clamp<std::int64_t>(kAccBytes / block_bytes, 1, out_blocks);
  }
  keeps_patches_ = line_ == run_ && steps <= kPatchSets * step_chunk_;
  if (fitting == out_blocks && (has_planes() || keeps_patches_)) {
    const std::int64_t work = line_ / kSplitBlock * steps * phases;
    shares_ = TileShares::for_threads(units, out_blocks, out_blocks * work / kLeastSteps, threads);
  } else {
    const std::int64_t shares = base::divide_up(std::int64_t{threads}, units);
    shares_ = {units, out_blocks, std::min(fitting, base::divide_up(out_blocks, shares))};
  }
  slots_ = static_cast<unsigned>(std::min<std::int64_t>(threads, shares_.tiles()));
  keeps_sums_ = step_chunk_ < steps;
  fetch_ahead_ = static_cast<double>(filter_.size_in_bytes()) > kFilterKept;
  acc_blocks_ = 2 * interleaved;  // some are stored while the next ones are summed
  if (keeps_sums_) {
    acc_blocks_ = std::max(acc_blocks_, phases * shares_.most_blocks() * (run_ / kSplitBlock));
  }
  row_offsets_ = step_chunk_ * kSplitBlock + kernels::kPatchTermsAhead;
  slot_bytes_ = base::slot_bytes(
      static_cast<std::uint64_t>(kPatchSets * run_ * step_chunk_ * position_bytes) +
      kernels_.parts * plane_part_ * 2 + row_floats() * 4 + row_offsets_ * 8 +
      acc_blocks_ * kAcc * 4 + shares_.most_blocks() * kSplitBlock * 4 + std::int64_t{7} * 64);
}

ProductConvolution::Slot ProductConvolution::slot_memory(std::byte* slots,
                                                         unsigned slot) const noexcept {
  std::byte* memory = slots + slot * slot_bytes_;
  Slot result{};
  result.patches = base::take<std::uint16_t>(
      memory, kPatchSets * run_ * step_chunk_ * kernels_.parts * kSplitBlock);
  result.acc = base::take<float>(memory, acc_blocks_ * kAcc);
  result.bias = base::take<float>(memory, shares_.most_blocks() * kSplitBlock);
  result.row_offsets = base::take<std::int64_t>(memory, row_offsets_);
  result.rows = base::take<float>(memory, row_floats());
  result.planes = base::take<std::uint16_t>(memory, kernels_.parts * plane_part_);
  return result;
}

void ProductConvolution::pack_filter(const void* filter, std::byte* packed) const noexcept {
  filter_.pack(filter, packed, slots_);
}

void ProductConvolution::run_tiles(const RunArguments& arguments, const std::byte* packed,
                                   std::byte* slots, SharedRange* ranges) const noexcept {
  const bool one_image = shape_.batch < geometry_.batch;
  SharedRange all;
  shares_.run(slots_, [&](const TileShares::Share& share, unsigned slot, bool has_patches) {
    const Tile tile = locate(share);
    if (tile.count <= 0) return;
    SplitRange seen;
    compute_tile(arguments, packed, tile, slot_memory(slots, slot), has_patches, seen);
    (one_image ? all : ranges[tile.image]).add(seen);
  });
  if (!one_image || is_safe(all.get(), stored_range(packed))) return;
  for (std::int64_t image = 0; image < geometry_.batch; ++image) {
    ranges[image].add(range_of(arguments, image, slot_memory(slots, 0)));
  }
}

ProductConvolution::Tile ProductConvolution::locate(const TileShares::Share& share) const noexcept {
  Tile tile;
  std::int64_t index = share.unit;
  tile.first_out_block = share.first_block;
  tile.out_blocks = share.blocks;
  const std::int64_t line = base::take_digit(index, lines_);
  tile.set = &sets_[static_cast<std::size_t>(base::take_digit(index, std::ssize(sets_)))];
  tile.group = base::take_digit(index, shape_.groups);
  tile.image = index;
  const Phases& phases = tile.set->inputs;
  if (has_planes()) {
    const std::int64_t row = line % bands_ * band_rows_;
    tile.first = (line / bands_ * phases[1].count + row) * phases[2].count;
    tile.count = std::min(band_rows_, phases[1].count - row) * phases[2].count;
  } else {
    tile.first = line * line_;
    tile.count = std::min(line_, positions_of(phases) - tile.first);
  }
  return tile;
}

void ProductConvolution::compute_tile(const RunArguments& arguments, const std::byte* packed,
                                      const Tile& tile, const Slot& slot, bool has_patches,
                                      SplitRange& range) const noexcept {
  const std::byte* input = input_of(arguments, tile);
  load_bias(arguments, tile.group, tile.first_out_block, tile.out_blocks, slot.bias);
  ProductSide side = nothing_aside();
  if (has_planes()) {
    if (!has_patches) fill_planes(tile, input, slot, side.range);
    compute_rows(arguments, packed, tile, slot, side);
    widen(range, side.range);
    return;
  }
  const bool ahead = tile.set->in_place.step > 0;
  const std::int64_t all_steps = filter_.steps(tile.set->taps);
  const bool keeps = keeps_sums_ && all_steps > 0;
  const std::int64_t step_elements = kernels_.parts * kernels::kSplitPatchPart;
  const std::int64_t slices =
      kernels::part_products(kernels_.parts);  // of a step, each four products
  Batch batch = batch_at(tile, 0, 0);
  std::uint16_t* patches = slot.patches;
  if (!has_patches) pack(tile, input, batch, patches, slot, side);
  unit_.enter();
  for (std::int64_t parity = 0;;) {
    const Batch next = batch.step + batch.steps < all_steps
                           ? batch_at(tile, batch.first, batch.step + batch.steps)
                           : batch_at(tile, batch.first + batch.count, 0);
    const bool last = batch.step + batch.steps == all_steps;
    const bool more = next.first < tile.count;
    std::uint16_t* next_patches =
        (ahead || keeps_patches_) && patches == slot.patches
            ? slot.patches + run_ * step_chunk_ * step_elements / kSplitBlock
            : slot.patches;
    const std::int64_t blocks = base::divide_up(batch.count, kSplitBlock);
    if (ahead && more && !has_patches) {
      set_packing(tile, input, next, next_patches, slot, side);
      const std::int64_t units =
          next.steps * kSplitBlock / 2 * base::divide_up(next.count, kSplitBlock);
      side.units_a_step = base::divide_up(
          units, static_cast<std::int64_t>(tile.set->members.size()) * tile.out_blocks * blocks *
                     std::max<std::int64_t>(batch.steps, 1));
    }
    float* acc = slot.acc;
    const auto& members = tile.set->members;
    const std::int64_t together = tile.set->interleaved;
    // With which block the next batch begins, maybe in the next tile.
    const bool shares_follow = tile.first_out_block + tile.out_blocks < filter_.out_blocks();
    const std::int64_t following = more            ? 0
                                   : shares_follow ? tile.out_blocks
                                                   : -tile.first_out_block;
    const auto filter_of = [&](std::int64_t m, std::int64_t k, std::int64_t step) {
      return filter_.block(packed, tile.group, members[m].phases, tile.first_out_block + k) +
             step * filter_.step();
    };
    for (std::int64_t m = 0; m < std::ssize(members); m += together) {
      for (std::int64_t k = 0; k < tile.out_blocks; ++k) {
        std::array<const std::uint16_t*, kernels::kMostInterleaved> filters{}, wanted{};
        for (std::int64_t q = 0; q < together && batch.steps > 0; ++q) {
          filters[q] = filter_of(m + q, k, batch.step);
          if (!fetch_ahead_) continue;
          // What is multiplied next.
          wanted[q] = k + 1 < tile.out_blocks ? filter_of(m + q, k + 1, batch.step)
                      : m + together < std::ssize(members)
                          ? filter_of(m + together + q, 0, batch.step)
                          : filter_of(q, following, next.step);
        }
        const std::int64_t lines =
            fetch_ahead_ ? base::divide_up(filter_.step() / SplitAhead::kLine, slices * blocks) : 0;
        for (std::int64_t n = 0; n < blocks; ++n, parity ^= 1) {
          float* block_acc = keeps ? acc : slot.acc + parity * together * kAcc;
          for (std::int64_t q = 0; q < together; ++q) {
            kernels_.multiply({.filter = filters[q],
                               .patches = patches + n * batch.steps * step_elements,
                               .next = nullptr,
                               .layout = {},
                               .steps = batch.steps,
                               .chain = chain_,
                               .outputs = kSplitBlock,
                               .positions = kSplitBlock,
                               .acc = block_acc + q * kAcc,
                               .acc_stride = kSplitBlock,
                               .first = batch.step == 0,
                               .all_products = all_products_,
                               .ahead = SplitAhead::of(wanted[q], batch.steps * filter_.step(),
                                                       n * batch.steps * slices * lines, lines)},
                              side);
          }
          if (last) {
            const std::int64_t first = batch.first + n * kSplitBlock;
            store(arguments, tile, members[m], k, first, std::min(kSplitBlock, tile.count - first),
                  slot, block_acc, side);
          }
          acc += together * kAcc;
        }
      }
    }
    if (keeps) kernels_.store(side);  // before its sums are written again
    if (!more) break;
    if (has_patches) {
      // Those of the next terms are there, too.
    } else if (ahead) {
      kernels_.pack(side);
      side.rows.terms = 0;
    } else {
      pack(tile, input, next, next_patches, slot, side);
    }
    batch = next;
    patches = next_patches;
  }
  kernels_.store(side);
  unit_.leave();
  widen(range, side.range);
}

// From planes.
void ProductConvolution::compute_rows(const RunArguments& arguments, const std::byte* packed,
                                      const Tile& tile, const Slot& slot,
                                      ProductSide& side) const noexcept {
  const Phases& phases = tile.set->inputs;
  const std::int64_t width = phases[2].count;
  const std::int64_t row_step = phases[1].in_step * planes_.pairs * planes_.pitch;
  const std::int64_t first_channel = tile.first_out_block * kSplitBlock;
  unit_.enter();
  const std::uint16_t* row = slot.planes;
  std::int64_t parity = 0;
  for (std::int64_t first = 0; first < tile.count; first += width, row += row_step) {
    for (std::int64_t k = 0; k < tile.out_blocks; ++k) {
      const std::uint16_t* const filter =
          filter_.block(packed, tile.group, phases, tile.first_out_block + k);
      const std::int64_t outputs = shape_.out_channels - first_channel - k * kSplitBlock;
      const bool can_be_wide = kernels_.parts == 2 && outputs <= kSplitBlock / 2 &&
                               plain_results_ && phases[2].step * shape_.out_strides[2] == 1;
      for (std::int64_t n = 0, count = 0; n < width; n += count, parity ^= 1) {
        float* const acc = slot.acc + parity * kAcc;
        const std::uint16_t* const patches = row + 2 * n;
        const bool wide = can_be_wide && width - n >= kernels::kWideBlock;
        count = std::min(wide ? kernels::kWideBlock : kSplitBlock, width - n);
        kernels_.multiply({.filter = filter,
                           .patches = patches,
                           .next = n + count < width ? patches + 2 * count : row,
                           .layout = {.step = kSplitBlock / 2 * planes_.pitch,
                                      .part = plane_part_,
                                      .half = kSplitBlock,
                                      .pair = planes_.pitch},
                           .steps = step_chunk_,
                           .chain = chain_,
                           .outputs = outputs,
                           .positions = count,
                           .acc = acc,
                           .acc_stride = kSplitBlock,
                           .first = true,
                           .all_products = all_products_,
                           .ahead = {}},
                          side);
        store(arguments, tile, tile.set->members.front(), k, first + n, count, slot, acc, side);
      }
    }
  }
  kernels_.store(side);
  unit_.leave();
}

// Of what the sums of one image are made of, where all of them lie in one.
SplitRange ProductConvolution::range_of(const RunArguments& arguments, std::int64_t image,
                                        const Slot& slot) const noexcept {
  ProductSide side = nothing_aside();
  for (std::int64_t group = 0; group < shape_.groups; ++group) {
    for (const PhaseSet& set : sets_) {
      const std::int64_t count = positions_of(set.inputs) / geometry_.batch;
      const Tile tile{0, group, 0, 0, &set, image * count, count};
      for (std::int64_t first = 0; first < count; first += run_) {
        for (std::int64_t step = 0; step < filter_.steps(set.taps); step += step_chunk_) {
          pack(tile, input_of(arguments, tile), batch_at(tile, first, step), slot.patches, slot,
               side);
        }
      }
    }
  }
  SplitRange range;
  widen(range, side.range);
  return range;
}

const std::byte* ProductConvolution::input_of(const RunArguments& arguments,
                                              const Tile& tile) const noexcept {
  return static_cast<const std::byte*>(arguments.inputs[0]) +
         (tile.image * shape_.in_batch_stride +
          tile.group * shape_.in_channels * shape_.in_channel_stride) *
             element_bytes_;
}

}  // namespace weft::ops
